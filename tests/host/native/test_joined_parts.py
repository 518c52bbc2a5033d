# SPDX-License-Identifier: BSD-2-Clause
"""Parts of a trace, joined in any grouping, count what one engine counts."""

import pickle
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.curves.curve import Curve
from litemrc.errors import UserError
from litemrc.native.engines import make_engine
from litemrc.native.part_engines import ExactPart, ExactState, PartState, make_part_engine
from numpy.typing import NDArray

from tests.host.native.golden_histogram import golden_histogram
from tests.host.native.page_streams import loop, zipf

SCATTERED = 0x9E3779B97F4A7C15


def states(
    pages: NDArray[np.uint64], cuts: list[int], engine: str = "exact", **more: object
) -> list[PartState]:
    """Return the states of the parts between the cuts; some may be empty."""
    found = []
    for part in np.split(pages, sorted(min(cut, pages.size) for cut in cuts)):
        measuring = make_part_engine(engine, **more)
        for chunk in np.array_split(part, 3):
            measuring.access(chunk)
        found.append(measuring.state())
    return found


def joined(parts: list[PartState], choose: list[int]) -> PartState:
    """Join neighbours until one state is left; `choose` says which pair is next."""
    parts = list(parts)
    for number in choose:
        if len(parts) > 1:
            at = number % (len(parts) - 1)
            parts[at : at + 2] = [parts[at].join(parts[at + 1])]
    while len(parts) > 1:
        parts[:2] = [parts[0].join(parts[1])]
    return parts[0]


def same_curve(one: Curve, other: Curve) -> bool:
    """Return whether all fields of two curves are equal to the last bit."""
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(Curve)
    )


@settings(deadline=None)
@given(
    pages=st.lists(st.integers(0, 30), max_size=300),
    factor=st.sampled_from([1, 1 << 50]),
    cuts=st.lists(st.integers(0, 300), max_size=7),
    order=st.lists(st.integers(0, 10), max_size=8),
)
def test_any_cuts_joined_in_any_grouping_give_the_golden_stacks_histogram(
    pages: list[int], factor: int, cuts: list[int], order: list[int]
) -> None:
    array = np.array(pages, np.uint64) * np.uint64(factor)
    state = joined(states(array, cuts), order)
    assert state.histogram.tolist() == golden_histogram(pages)
    first = list(dict.fromkeys(pages))
    assert state.pages.tolist() == [page * factor for page in first]
    last = list(dict.fromkeys(reversed(pages)))[::-1]
    assert state.ranks.tolist() == [last.index(page) + 1 for page in first]
    assert state.accesses == len(pages)


@pytest.mark.parametrize("factor", [1, SCATTERED], ids=["dense", "scattered"])
@pytest.mark.parametrize(
    "pages", [zipf(600_000, 90_000, 0.9, seed=1), loop(600_000, 130_000)], ids=["zipf", "loop"]
)
@pytest.mark.parametrize(
    ("engine", "parameters"),
    [("exact", {}), ("shards", {"sample_rate": 0.03}), ("shards", {"sample_rate": 0.03, "band": False})],
)
def test_long_parts_give_the_curve_of_one_engine_to_the_last_bit(
    pages: np.ndarray, factor: int, engine: str, parameters: dict
) -> None:
    pages = pages * np.uint64(factor)
    one = make_engine(engine, **parameters)
    one.access(pages)
    parts = states(pages, [1000, 200_000, 200_000, 350_000, 580_000], engine, **parameters)
    for order in ([], [4, 3, 2, 1, 0], [0, 1, 2]):
        assert same_curve(joined(parts, order).only_counts().curve(), one.curve())


def test_a_swap_of_two_parts_gives_another_curve() -> None:
    # A loop over 100 pages, then 100 others: joined the other way round, nothing is reused at distance 100.
    first, second = states(np.r_[loop(250, 100), loop(250, 100) + 1000, loop(50, 100)], [250])
    assert first.join(second).histogram.tolist() != second.join(first).histogram.tolist()


def test_arrays_are_as_narrow_as_their_values_and_travel_without_a_copy() -> None:
    part = ExactPart()
    part.access(np.r_[np.arange(70_000), np.arange(70_000)])
    state = part.state()
    # 70,000 > 2^16: pages and ranks of 4 bytes; the counts 70,000 (cold) and 70,000 (distance 70,000) too.
    assert state.nbytes == 4 * 70_000 + 4 * 70_000 + 4 * 70_001
    assert state.__sizeof__() >= state.nbytes
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(state, protocol=5, buffer_callback=buffers.append)
    assert len(head) < 1000
    assert sum(buffer.raw().nbytes for buffer in buffers) == state.nbytes
    received = [bytes(buffer.raw()) for buffer in buffers]  # read-only, as from a network
    copy = pickle.loads(head, buffers=received)  # made above
    assert copy.join(state).histogram.tolist() == state.join(state).histogram.tolist()


def test_an_empty_part_changes_nothing() -> None:
    empty, part = ExactPart().state(), states(loop(300, 100), [])[0]
    assert isinstance(empty, ExactState)
    for state in (empty.join(part), part.join(empty)):
        assert state.histogram.tolist() == part.histogram.tolist()
    assert empty.join(empty).accesses == 0


@pytest.mark.parametrize(
    ("engine", "parameters", "what"),
    [
        ("group", {}, "the parts of engine group cannot be joined"),
        ("os", {}, "the parts of engine os cannot be joined"),
        ("exact", {"by": "bytes"}, "by pages only"),
        ("exact", {"threads": 2}, "a worker measures its parts with one thread"),
        ("shards", {"sample_rate": 2.0}, "sampling rate must be"),
        ("nonesuch", {}, "unknown engine"),
    ],
)
def test_what_cannot_be_joined_is_refused(engine: str, parameters: dict, what: str) -> None:
    with pytest.raises(UserError, match=what):
        make_part_engine(engine, **parameters)
