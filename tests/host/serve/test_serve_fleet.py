# SPDX-License-Identifier: BSD-2-Clause
"""Several devices in one server: merged curves, and one that is lost disturbs no other."""

import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError
from litemrc.serve.api import models
from litemrc.serve.api.queries import SUMMED, WEIGHTED, Counted, merged
from litemrc.serve.ports import check_url, parse_bundles, parse_labels, parse_ports

from tests.host.paced_device import GROUPS, hits_of, misses_of, paced
from tests.host.serve.http_serving import epochs_of, events, serving


def counted(hits: list[int], misses: int, group_pages: int, **changes: int) -> Counted:
    counters = HitCounters.of(hits, misses, group_pages, scale_log2=changes.pop("scale_log2", 0))
    return Counted(counters, 4096, "zipf", changes.pop("dropped", 0))


def test_counters_of_equal_groups_are_summed() -> None:
    curve, how = merged([counted([6, 2, 0], 2, 4, dropped=1), counted([1, 1, 1], 7, 4, dropped=2)])
    assert how == SUMMED
    assert curve.sizes_pages.tolist() == [4, 8, 12]
    assert curve.miss_ratio == pytest.approx([1 - 7 / 20, 1 - 10 / 20, 1 - 11 / 20])
    assert (curve.accesses, curve.misses, curve.dropped) == (20, 9, 3)


def test_curves_of_other_groups_are_weighted_by_accesses() -> None:
    # 10 accesses: 0.6 at 2 pages, 0.3 at 4, then 0.1; 30 accesses: 0.5 at 4 pages, 0.2 at 8.
    curve, how = merged([counted([4, 3, 2], 1, 2), counted([15, 9], 6, 4)])
    assert how == WEIGHTED
    assert curve.sizes_pages.tolist() == [4, 8]
    assert curve.miss_ratio == pytest.approx([(10 * 0.3 + 30 * 0.5) / 40, (10 * 0.1 + 30 * 0.2) / 40])
    assert (curve.accesses, curve.misses) == (40, 7)


def test_sampled_accesses_weigh_as_many_as_they_stand_for() -> None:
    # 1 page of 4 is sampled: 10 accesses stand for 40.
    curve, _ = merged([counted([5], 5, 4, scale_log2=2), counted([40], 0, 4)])
    assert curve.miss_ratio == pytest.approx([(40 * 0.5 + 40 * 0) / 80])


def test_a_part_without_accesses_weighs_nothing() -> None:
    curve, _ = merged([counted([0, 0], 0, 2), counted([3], 1, 4)])
    assert curve.miss_ratio == pytest.approx([0.25])
    idle, _ = merged([counted([0, 0], 0, 2), counted([0], 0, 4)])
    assert np.isnan(idle.miss_ratio).all()


def test_merged_curves_never_rise() -> None:
    dice = np.random.default_rng(1)
    for _ in range(200):
        parts = [
            counted(dice.integers(0, 9, dice.integers(1, 9)).tolist(), int(dice.integers(0, 9)), int(pages))
            for pages in dice.integers(1, 6, 4)
        ]
        curve, _ = merged(parts)  # Curve refuses ratios that rise
        assert curve.accesses == sum(part.counters.accesses for part in parts)


def test_curves_of_devices_are_merged_by_name_and_by_label() -> None:
    labels = {"a": {"rack": "1"}, "b": {"rack": "1"}, "c": {"rack": "2"}}
    with ExitStack() as stack:
        devices = {
            name: stack.enter_context(paced(rate=20, contexts=2 if name == "c" else 8)) for name in "abc"
        }
        ports = {name: device.url for name, device in devices.items()}
        served = stack.enter_context(serving(ports, labels=labels))
        last = {}
        for name, device in devices.items():
            served.wait_for_epochs(3, name)
            served.stop(device, name)
            last[name] = device.epochs - 1
        by_name = {each["value"]: each for each in served.json("/api/v1/merged?by=name")}
        by_rack = {each["value"]: each for each in served.json("/api/v1/merged?by=rack")}
    for each in [*by_name.values(), *by_rack.values()]:
        models.Merged.model_validate(each)
        assert each["how"] == SUMMED
    assert by_name["context 1"]["devices"] == ["a", "b", "c"]
    assert by_name["context 5"]["devices"] == ["a", "b"]
    check(by_name["context 1"]["curve"], [(last[name], 1) for name in "abc"])
    assert by_rack["1"]["devices"] == ["a", "b"] and by_rack["2"]["devices"] == ["c"]
    check(by_rack["2"]["curve"], [(last["c"], context) for context in range(2)])
    check(by_rack["1"]["curve"], [(last[name], context) for name in "ab" for context in range(8)])


def check(curve: dict, of: list[tuple[int, int]]) -> None:
    """The curve is that of the summed counters of these epochs and contexts."""
    hits = [sum(column) for column in zip(*(hits_of(*each) for each in of), strict=True)]
    total = sum(hits) + sum(misses_of(*each) for each in of)
    assert curve["accesses"] == total
    assert curve["miss_ratio"] == pytest.approx(
        [1 - sum(hits[: n + 1]) / total for n in range(GROUPS)], abs=1e-6
    )


def test_a_lost_device_disturbs_no_other() -> None:
    with paced(rate=20) as good, paced(rate=20) as lost:
        ports = {"good": good.url, "lost": lost.url, "never": "/dev/there-is-no-such-port"}
        with serving(ports) as served, events(served, "?devices=good") as reader:
            served.wait_for_epochs(1, "lost")
            numbers = [epoch["number"] for epoch in epochs_of(reader, 5)]
            lost.rate = 0
            served.fleet["lost"].feed.call(lambda device: device._link.close())
            numbers += [epoch["number"] for epoch in epochs_of(reader, 40)]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            described = {device["name"]: device for device in served.json("/api/v1/devices")["devices"]}
            assert described["good"]["connected"] and described["good"]["sessions"] == 1
            assert "No such file" in described["never"]["failure"]
        # A port that was never there is reported once, not at each try.
        assert Counter(line.partition(":")[0] for line in served.said)["never"] == 1


def test_ports_and_labels_are_read() -> None:
    assert parse_ports(["/dev/ttyUSB1"]) == {"device": "/dev/ttyUSB1"}
    assert parse_ports(["a=socket://h:1", "b=/dev/x"]) == {"a": "socket://h:1", "b": "/dev/x"}
    assert parse_ports(["/dev/x=1"]) == {"device": "/dev/x=1"}
    assert parse_labels(["a:rack=3", "a:row=b=c"], ["a", "b"]) == {"a": {"rack": "3", "row": "b=c"}, "b": {}}


def test_a_bare_bundle_is_of_all_devices_and_a_named_one_of_its_device() -> None:
    assert parse_bundles([], ["a", "b"]) == {}
    assert parse_bundles(["build/x=1"], ["a", "b"]) == {name: Path("build/x=1") for name in "ab"}
    assert parse_bundles(["b=build/x"], ["a", "b"]) == {"b": Path("build/x")}


@pytest.mark.parametrize(
    ("bundles", "what"),
    [(["c=x"], "no device is called c"), (["x", "a=y"], "a has another"), (["a=x", "a=y"], "a has another")],
)
def test_bundles_of_no_device_or_two_of_one_are_refused(bundles: list[str], what: str) -> None:
    with pytest.raises(UserError, match=what):
        parse_bundles(bundles, ["a", "b"])


@pytest.mark.parametrize(
    ("ports", "what"),
    [(["a=/dev/x", "/dev/y"], "needs a name"), (["a=/dev/x", "a=/dev/y"], "two devices are called a")],
)
def test_ports_without_a_name_of_their_own_are_refused(ports: list[str], what: str) -> None:
    with pytest.raises(UserError, match=what):
        parse_ports(ports)


@pytest.mark.parametrize("label", ["a", "a:", "a:rack", "a:rack=", "a:2=3", "c:rack=3", "a:name=x", ":k=v"])
def test_bad_labels_are_refused(label: str) -> None:
    with pytest.raises(UserError):
        parse_labels([label], ["a", "b"])


@pytest.mark.parametrize(
    "url", ["foo://x", "socket://x", "socket://x:99999", "litex://h:1", "http://", "http://h/a/b"]
)
def test_urls_that_can_never_be_opened_are_refused(url: str) -> None:
    with pytest.raises(UserError):
        check_url(url)


def test_urls_of_devices_that_may_come_later_are_taken() -> None:
    begun = time.monotonic()
    for url in ("/dev/ttyUSB99", "socket://10.0.0.1:1", "http://token@h:8000/name"):
        check_url(url)
    assert time.monotonic() - begun < 1  # nothing is opened
