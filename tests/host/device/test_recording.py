# SPDX-License-Identifier: BSD-2-Clause
"""The recorder's file, made by hand: what the tap reports is compared with the DRAM observer's accesses."""

import random

import numpy as np
import pyarrow.parquet as pq
import pytest
from litemrc.device.simulation import recording
from litemrc.device.simulation.recording import OPS, Settings, read_recording
from litemrc.errors import UserError

SHIFT = 12
# As litex-soc/sim_modules/recorder/recorder.c writes them.
RECORD = np.dtype(
    [("cycle", "<u8"), ("value", "<u4"), ("source", "S1"), ("kind", "u1"), ("context", "u1")]
    + [(name, "?") for name in ("write", "dropped", "epoch_end", "frozen")]
)


def switched(cycle, source, value):
    """A change of the enable bit (E), the range (L, U) or the sampling (S)."""
    return (cycle, value, source, 0, 0, False, False, False, False)


def observed(cycle, frame, write=False, shift=SHIFT):
    """An access to the DRAM's memory array."""
    return (cycle, (frame << shift) + 0x45, "D", 0, 0, write, False, False, False)


def queued(cycle, op, frame=0, *, write=False, context=0, end=False, frozen=False):
    """An event at the monitor's queue; the recorder has flags, not kinds, for dropped accesses and claims."""
    kind = {"dropped": 0, "claim": OPS.index("invalidate")}.get(op, OPS.index(op))
    return (cycle, frame, "Q", kind, context, write or op == "claim", op == "dropped", end, frozen)


@pytest.fixture
def read(tmp_path):
    """read(events) -> Recording of them, in the order of their cycles."""

    def read(events, shift=SHIFT):
        np.save(tmp_path / "record.npy", np.array(sorted(events, key=lambda each: each[0]), RECORD))
        return read_recording(tmp_path / "record.npy", shift)

    return read


def test_events_at_the_queue_are_read_in_order(read):
    made = read(
        [
            switched(0, "E", 1),
            switched(3, "U", 99),
            observed(9, 7, True),
            queued(10, "access", 7, write=True, context=3),
            queued(11, "invalidate", 8, end=True),
            switched(12, "L", 5),
            switched(12, "S", 2),
            queued(13, "clear", 6, write=True, frozen=True),
            queued(14, "mark", 6, end=True),
            observed(19, 9),
            queued(20, "dropped", 9),
            queued(21, "claim", 4, context=2),
        ]
    )
    assert made.cycle.tolist() == [10, 11, 13, 14, 20, 21]
    assert [OPS[op] for op in made.op] == ["access", "invalidate", "clear", "mark", "dropped", "claim"]
    assert made.frame.tolist() == [7, 8, 0, 0, 9, 4]
    assert made.write.tolist() == [True] + [False] * 5, "only accesses have a direction"
    assert made.context.tolist() == [3, 0, 0, 0, 0, 2]
    assert made.frozen.tolist() == [False, False, True, False, False, False]
    assert made.epoch.tolist() == [0, 0, 1, 1, 2, 2]
    assert made.epoch_end.tolist() == [False, True, False, True, False, False]
    assert [made.settings[number] for number in made.setting.tolist()] == (
        [Settings(0, 99, 0)] * 2 + [Settings(5, 99, 2)] * 4
    )
    assert made.settings[0] == Settings(0, 0, 0), "before the first change"
    assert (made.tap.accesses, made.tap.exact, made.tap.clocks) == (2, True, 1)
    assert made.counts() == dict.fromkeys(OPS, 1)


def test_events_come_one_by_one_however_they_are_cut(read, monkeypatch):
    made = read([queued(cycle, "mark", context=cycle % 3) for cycle in range(7)])
    for piece in (65536, 7, 3, 1):
        monkeypatch.setattr(recording, "_PIECE", piece)
        assert list(made.events("cycle", "context")) == [(cycle, cycle % 3) for cycle in range(7)]


def random_run(seed, delay):
    """Accesses while the monitor is on and off; those it must report arrive `delay` cycles later."""
    dice = random.Random(seed)
    frames = [dice.choice((dice.randrange(1 << 20), dice.randrange(4))) for _ in range(300)]
    cycles = sorted(dice.sample(range(50, 1000), 300))
    windows = [(100, 400), (600, 980)]  # from the cycle in which the bit rises until it falls
    events = [
        switched(cycle, "E", on) for window in windows for cycle, on in zip(window, (1, 0), strict=True)
    ]
    there = [(cycle, frame, dice.random() < 0.5) for cycle, frame in zip(cycles, frames, strict=True)]
    events += [observed(*access) for access in there]
    here = [
        (cycle + delay, frame, write)
        for cycle, frame, write in there
        if any(start <= cycle + delay < stop for start, stop in windows)
    ]
    return events, here


def at_the_queue(accesses):
    return [queued(cycle, "access", frame, write=write) for cycle, frame, write in accesses]


@pytest.mark.parametrize("delay", range(9))
def test_the_delay_of_the_tap_is_found_and_wrong_accesses_are_counted(read, delay):
    events, here = random_run(delay, delay)
    found = read(events + at_the_queue(here))
    assert (found.tap.accesses, found.tap.missed, found.tap.invented) == (len(here), 0, 0)
    assert (found.tap.exact, found.tap.clocks) == (True, delay)
    assert found.frame.tolist() == [frame for _, frame, _ in here]
    assert found.write.tolist() == [write for _, _, write in here]

    fewer = read(events + at_the_queue(here[3:])).tap
    assert (fewer.missed, fewer.invented, fewer.exact, fewer.clocks) == (3, 0, False, delay)
    more = read(events + at_the_queue([*here, (990, 1, True), (991, 2, True)])).tap
    assert (more.missed, more.invented, more.exact) == (0, 2, False)
    cycle, frame, write = here[5]
    for wrong in ((cycle, frame ^ 1, write), (cycle, frame, not write)):
        tap = read(events + at_the_queue([*here[:5], wrong, *here[6:]])).tap
        assert (tap.missed, tap.invented) == (1, 1)


def test_a_later_tap_than_any_is_not_exact(read):
    events, here = random_run(9, 9)
    tap = read(events + at_the_queue(here)).tap
    assert not tap.exact and tap.clocks <= 8


def test_nothing_observed_and_nothing_reported_is_exact(read):
    tap = read([switched(5, "E", 1), switched(9, "E", 0), observed(9, 1)]).tap
    assert (tap.accesses, tap.exact, tap.clocks) == (0, True, 0)


def test_the_least_delay_counts_where_none_fits_better(read):
    assert read([switched(0, "E", 1), observed(10, 1), observed(20, 2)]).tap.clocks == 0


def test_the_highest_frame_is_not_taken_for_the_next_cycle(read):
    """Frame 2^23 in cycle 10 is another access than frame 0 in cycle 11."""
    events = [switched(0, "E", 1), observed(10, 1 << 23, shift=8), queued(11, "access", 0)]
    for cycle in range(20, 30):  # no delay fits better than none
        events += [observed(cycle, cycle, shift=8), queued(cycle, "access", cycle)]
    tap = read(events, shift=8).tap
    assert (tap.missed, tap.invented, tap.clocks) == (1, 1, 0)


def test_a_record_that_is_cut_short_or_none_is_refused(tmp_path):
    path = tmp_path / "record.npy"
    np.save(path, np.array([switched(0, "E", 1)] * 3, RECORD))
    whole = path.read_bytes()
    for content, why in (
        (whole[:-1], "no complete record"),
        (whole + b"\0", "cut short"),
        (b"nothing", "no complete record"),
    ):
        path.write_bytes(content)
        with pytest.raises(UserError, match=why) as caught:
            read_recording(path, SHIFT)
        assert caught.value.where == str(path)
    with pytest.raises(UserError, match="No such file"):
        read_recording(tmp_path / "none.npy", SHIFT)


def test_events_are_saved_without_marks_and_with_their_units(read, tmp_path):
    made = read(
        [
            switched(0, "E", 1),
            observed(9, 7, True),
            queued(10, "access", 7, write=True, context=3, end=True),
            queued(11, "mark"),
            queued(12, "clear", frozen=True),
        ]
    )
    made.save(tmp_path / "events.parquet", page_bytes=4096)
    table = pq.read_table(tmp_path / "events.parquet")
    assert table.to_pydict() == {
        "cycle": [10, 12],
        "op": ["access", "clear"],
        "frame": [7, 0],
        "write": [True, False],
        "context": [3, 0],
        "frozen": [False, True],
        "epoch": [0, 1],
    }
    assert table.schema.metadata[b"page_bytes"] == b"4096"
    for field in table.schema:
        assert field.metadata[b"unit"].decode() == recording.UNITS[field.name]
