"""The frames behind the counters in the window: those of the golden model, in each epoch."""

import random
from pathlib import Path

import litemrc_gateware.monitor.monitor as monitor_module
import pytest
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc_gateware.records import OpKind
from migen import passive
from monitor_bench import (
    CLEAR,
    CONTEXTS,
    ENABLE,
    FRAMES,
    FREEZE,
    GROUPS,
    HOLD,
    RELEASE,
    STATUS_EPOCH_READY,
    WINDOW,
    Bench,
    Build,
    Log,
    read_window,
    set_up,
    traffic,
)
from mutation import mutated_module
from verilated_simulation import run_simulation

BUILD = Build("bucket_stack", sampling=1, lower=2, upper=13, page_bitmap=True)
FRAMES_BITS = WINDOW + CONTEXTS * 2 * GROUPS
BANK_WORDS = 2
EPOCHS = 40
LOOPS = 3000  # of the processor; a mutant may never end an epoch


@passive
def writes(tap):
    """A third of the accesses are writes."""
    for number in range(1 << 30):
        yield tap.source.write.eq(number % 3 == 0)
        yield


@passive
def observe(observed, events):
    """Record what happens at the queue, with `write`."""
    names = ("kind", "frame", "context", "write", "dropped", "epoch_end", "frozen")
    while True:
        yield
        if (yield observed.valid):
            event = []
            for name in names:
                event.append((yield getattr(observed, name)))
            events.append(event)


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


def processor(bench, rng, log, finished):
    """Read and release each epoch; clear and freeze now and then."""
    yield from set_up(bench, BUILD, 20)
    log.events.clear()
    yield from bench.write("control", ENABLE | HOLD)
    log.enabled = True
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
            finished.append((*(yield from read_frames(bench.monitor)), rows))
            assert list(finished[-1][:2]) == frames
            yield from bench.write("command", RELEASE)
            for _ in range(3):
                yield


def golden(events):
    """The epochs of the golden model: frames accessed, frames written, rows of the window."""
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, BUILD.engine)
    model.set_range(BUILD.lower, BUILD.upper)
    model.set_sampling(BUILD.sampling)
    finished = []
    for kind, frame, context, write, dropped, epoch_end, frozen in events:
        model.freeze = bool(frozen)
        if dropped:
            model.drop()
        elif kind == OpKind.ACCESS:
            model.access(frame, context, bool(write))
        elif kind == OpKind.CLEAR:
            model.clear()
        if epoch_end:
            e = model.end_epoch()
            bitmap = model.page_bitmap
            rows = {c: (e.hits[c], e.misses[c], e.accesses[c], e.touched[c]) for c in range(CONTEXTS)}
            finished.append((sorted(bitmap.accessed), sorted(bitmap.written), rows))
    return finished


def run(monitor_class):
    """Returns the epochs read from the window, and those of the golden model."""
    bench, log, finished = Bench(monitor_class, BUILD), Log(), []
    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(1), 0.6, log),
            writes(bench.sources),
            observe(bench.monitor.observed, log.events),
            processor(bench, random.Random(2), log, finished),
        ],
        bench.ports,
    )
    return finished, golden(log.events)[: len(finished)]


def test_the_frames_of_each_epoch_are_those_of_the_golden_model():
    finished, expected = run(monitor_module.Monitor)
    assert finished == expected and len(finished) == EPOCHS
    assert len({tuple(accessed) for accessed, *_ in finished}) > EPOCHS // 4
    assert any(accessed != written for accessed, written, _ in finished)


MUTANTS = {
    "accesses out of range": (" & ~self.filter.numbers.outside", ""),
    "frozen accesses": (" & ~op.frozen & ~self.filter", " & ~self.filter"),
    "an access that waits counts twice": ("taken.eq(op.valid & op.ready)", "taken.eq(op.valid)"),
    "the filter does not wait for the bitmap": (
        "filter_.sink.valid.eq(intake.source.valid & bitmap_ready)",
        "filter_.sink.valid.eq(intake.source.valid)",
    ),
    "clears are left out": ("bitmap.clear.eq(taken & (op.kind == OpKind.CLEAR))", "bitmap.clear.eq(0)"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_caught(mutant):
    mutated = mutated_module(Path(monitor_module.__file__), *MUTANTS[mutant])
    finished, expected = run(mutated.Monitor)
    assert finished != expected or len(finished) < EPOCHS
