# SPDX-License-Identifier: BSD-2-Clause
"""Engines as objects: the curve is that of the name with keywords; wrong parameters are refused early."""

import litemrc
import numpy as np
import pytest
from litemrc.api.engines import EngineChoice, parameters_of
from litemrc.native.engines import ENGINES

TRACE = "gen:zipf?pages=1000&n=20000"
PAIRS = [
    (litemrc.Exact(), "exact", {}),
    (litemrc.Exact(threads=2), "exact", {"threads": 2}),
    (litemrc.Group(frames=1024, groups=64), "group", {"frames": 1024, "groups": 64}),
    (litemrc.Bucket(frames=1024), "bucket", {"frames": 1024}),
    (litemrc.Bucket(), "bucket", {}),
    (litemrc.Shards(rate=0.5), "shards", {"sample_rate": 0.5}),
    (litemrc.Shards(pages=100, band=False), "shards", {"sample_pages": 100, "band": False}),
    (litemrc.OsTracker(period=500, seen_only=True), "os", {"period": 500, "seen_only": True}),
]


@pytest.mark.parametrize(("engine", "name", "keywords"), PAIRS, ids=lambda each: repr(each))
def test_an_engine_has_the_curve_of_its_name_and_keywords(engine, name, keywords):
    as_object, as_name = litemrc.mrc(TRACE, engine), litemrc.mrc(TRACE, name, **keywords)
    assert as_object.sizes_pages.tolist() == as_name.sizes_pages.tolist()
    assert as_object.miss_ratio.tolist() == as_name.miss_ratio.tolist()
    assert (as_object.low is None) == (as_name.low is None)


def test_every_engine_and_every_parameter_of_it_has_an_object():
    choices = {choice.name: choice for choice in EngineChoice.__subclasses__()}
    assert set(choices) == set(ENGINES)
    for name, choice in choices.items():
        # reference_ns is for the overhead that `litemrc mrc --engine os` prints: no curve depends on it.
        assert set(parameters_of(choice())) == set(ENGINES[name]) - {"reference_ns"}


def test_windows_and_contexts_take_engines():
    windows = litemrc.mrc_windows(TRACE, 5000, litemrc.Shards(rate=0.5))
    assert [curve.accesses for curve in windows.values()] == [5000] * 4
    (curve,) = litemrc.mrc_by_context(TRACE, litemrc.Group()).values()
    assert curve.resolution_pages == 1024 // 256, "1,024 frames hold 1,000 pages; 256 groups"


def test_an_engine_by_bytes():
    # Pages that are given have no sizes: the command's error, not that of an unknown engine.
    with pytest.raises(litemrc.UserError, match="engine shards measures by pages only"):
        litemrc.mrc(TRACE, litemrc.Shards(), by="bytes")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: litemrc.Exact(threads=0), "threads must be at least 1"),
        (lambda: litemrc.Shards(rate=2), "rate must be above 0 and at most 1"),
        (lambda: litemrc.Shards(rate=0.1, pages=100), "either a sample rate or a number of sample pages"),
        (lambda: litemrc.Shards(rate="1 %"), "rate must be a number"),
        (lambda: litemrc.Shards(pages=2.5), "pages must be a whole number"),
        (lambda: litemrc.Bucket(frames=1000), "not compiled for 1000 frames"),
        (lambda: litemrc.Group(groups=7), "in 7 groups"),
        (lambda: litemrc.OsTracker(scan_list=0), "0 pages"),
        (lambda: litemrc.mrc([1, 2], litemrc.Exact(), threads=2), "threads is given beside Exact"),
        (lambda: litemrc.mrc([1, 2], np.float64(1)), "engine must be a name or an engine"),
    ],
)
def test_wrong_parameters_name_the_remedy(make, why):
    with pytest.raises(litemrc.UserError, match=why) as refused:
        make()
    assert refused.value.where and refused.value.remedy


def test_engines_are_immutable_values():
    assert litemrc.Shards(rate=0.1) == litemrc.Shards(rate=0.1) != litemrc.Shards(rate=0.2)
    with pytest.raises(AttributeError):
        litemrc.Exact().threads = 2
