# SPDX-License-Identifier: BSD-2-Clause
"""The frames behind the counters in the window: those of the golden model, in each epoch."""

import random
from pathlib import Path

import litemrc_gateware.monitor.monitor as monitor_module
import pytest

from tests.gateware.monitor_bench import (
    CLEAR,
    CONTEXTS,
    ENABLE,
    FRAMES,
    FREEZE,
    GROUPS,
    HOLD,
    RELEASE,
    STATUS_EPOCH_DUE,
    STATUS_EPOCH_READY,
    WINDOW,
    Bench,
    Build,
    Log,
    golden,
    golden_epochs,
    observe,
    read_window,
    set_up,
    traffic,
)
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

BUILD = Build("bucket_stack", sampling=1, lower=2, upper=13, page_bitmap=True)
FRAMES_BITS = WINDOW + CONTEXTS * 2 * GROUPS
BANK_WORDS = 2
LENGTH, EPOCHS = 20, 40
LOOPS = 3000  # of the processor; a mutant may never end an epoch
READS = 1000


def read_frames(monitor):
    """Read the frames accessed and written, as two sorted lists; the words beyond the frames are 0."""
    found = []
    for bank in range(2):
        words = []
        for word in range(BANK_WORDS):
            words.append((yield from monitor.window.bus.read(FRAMES_BITS + bank * BANK_WORDS + word)))
        assert not any(words[1:])
        found.append([frame for frame in range(FRAMES) if words[0] >> frame & 1])
    return found


def held(bench, rng, finished):
    """Read and release each epoch; clear and freeze now and then."""
    for _ in range(LOOPS):
        if len(finished) == EPOCHS:
            break
        if rng.random() < 0.01:
            yield from bench.write("command", CLEAR)
        if rng.random() < 0.05:
            yield from bench.write("control", ENABLE | HOLD | rng.choice([0, FREEZE]))
        if (yield from bench.read("status")) & STATUS_EPOCH_READY:
            # Either may be read first.
            frames = yield from read_frames(bench.monitor)
            rows = yield from read_window(bench.monitor)
            assert (yield from read_frames(bench.monitor)) == frames
            finished.append((frames, rows))
            yield from bench.write("command", RELEASE)
            for _ in range(3):
                yield


def unheld(bench, rng, reads):
    """Read the frames between two reads of `epoch`, and whether an end is due behind them."""
    while len(reads) < READS:
        for _ in range(rng.randrange(40)):
            yield
        before = yield from bench.read("epoch")
        frames = yield from read_frames(bench.monitor)
        due = (yield from bench.read("status")) & STATUS_EPOCH_DUE
        if (yield from bench.read("epoch")) == before > 0:
            reads.append((before - 1, frames, bool(due)))


def run(monitor_class, reader, control, length=LENGTH):
    """Returns what a reader found, and the events of the queue."""
    bench, log, found = Bench(monitor_class, BUILD), Log(), []

    def processor():
        yield from set_up(bench, BUILD, length)
        log.events.clear()
        yield from bench.write("control", control)
        log.enabled = True
        yield from reader(bench, random.Random(2), found)

    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(1), 0.6, log),
            observe(bench.monitor.observed, log.events),
            processor(),
        ],
        bench.ports,
    )
    return found, log.events


def held_epochs(monitor_class):
    """Returns the epochs read from the window, and those of the golden model."""
    finished, events = run(monitor_class, held, ENABLE | HOLD)
    frames = [frames for _, frames in golden_epochs(events, BUILD)]
    rows = [rows for *_, rows in golden(events, BUILD)]
    return finished, list(zip(frames, rows, strict=True))[: len(finished)]


def test_the_frames_of_each_epoch_are_those_of_the_golden_model():
    finished, expected = held_epochs(monitor_module.Monitor)
    assert finished == expected and len(finished) == EPOCHS
    assert len({tuple(accessed) for (accessed, _), _ in finished}) > EPOCHS // 4
    assert any(accessed != written for (accessed, written), _ in finished)


def test_without_hold_frames_are_those_of_the_epoch_if_no_end_is_due_behind_them():
    reads, events = run(monitor_module.Monitor, unheld, ENABLE, length=150)
    expected = [frames for _, frames in golden_epochs(events, BUILD)]
    wrong = [due for epoch, frames, due in reads if frames != expected[epoch]]
    assert wrong and all(wrong)
    assert sum(not due for *_, due in reads) > READS // 2


MUTANTS = {
    "accesses out of range": (" & ~self.filter.numbers.outside", ""),
    "frozen accesses": (" & ~op.frozen & ~self.filter", " & ~self.filter"),
    "an access that waits counts twice": ("taken.eq(op.valid & op.ready)", "taken.eq(op.valid)"),
    "the filter does not wait for the bitmap": (
        "filter_.sink.valid.eq(intake.source.valid & ready)",
        "filter_.sink.valid.eq(intake.source.valid)",
    ),
    "clears are left out": ("bitmap.clear.eq(taken & (op.kind == OpKind.CLEAR))", "bitmap.clear.eq(0)"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_caught(mutant):
    mutated = mutated_module(Path(monitor_module.__file__), *MUTANTS[mutant])
    finished, expected = held_epochs(mutated.Monitor)
    assert finished != expected or len(finished) < EPOCHS
