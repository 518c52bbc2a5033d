# SPDX-License-Identifier: BSD-2-Clause
"""The list behind the counters in the window, and the queue: those of the golden model, in each epoch."""

import random
from pathlib import Path

import litemrc_gateware.monitor.monitor as monitor_module
import pytest
from litemrc.golden.monitor.hot_pages import HotPages, HotSettings
from litemrc_gateware.records import OpKind

from tests.gateware.monitor_bench import (
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
    golden,
    observe,
    read_window,
    set_up,
    traffic,
)
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

PAGES = 4
BITMAP_WORDS = 4
BUILD = Build("bucket_stack", sampling=1, page_bitmap=True, hot_pages=PAGES)
LIST = WINDOW + CONTEXTS * 2 * GROUPS + BITMAP_WORDS
LENGTH, EPOCHS = 60, 30
LOOPS = 6000  # of the processor; a mutant may never end an epoch
HOT_ENABLE, READS, WRITES, ALWAYS_ON = 1, 2, 4, 8
MORE, OVERFLOW, WAITING, VALID = 1 << 16, 1 << 18, 1 << 19, 1 << 31
TAKE, ACKNOWLEDGE = 1, 2
SETTINGS = HotSettings(lower=2, upper=14, reads=False, threshold=3, wanted=3, always_on=True)


def set_up_hot(bench):
    """Write `SETTINGS`, with the default sampling."""
    yield from bench.write("hot_lower", SETTINGS.lower)
    yield from bench.write("hot_upper", SETTINGS.upper)
    yield from bench.write("hot_threshold", SETTINGS.threshold)
    yield from bench.write("hot_wanted", SETTINGS.wanted)
    yield from bench.write("hot_watermark", 2)
    yield from bench.write("hot_control", HOT_ENABLE | WRITES | ALWAYS_ON)
    while not (yield from bench.read("status")) & 1:
        pass


def read_list(bench):
    """Read the list of the window, as (accesses, pages, more)."""
    status = yield from bench.read("hot_status")
    pages = []
    for number in range(status & 0xFF):
        words = []
        for word in range(2):
            words.append((yield from bench.monitor.window.bus.read(LIST + 2 * number + word)))
        pages.append(tuple(words))
    return (yield from bench.read("hot_accesses")), pages, bool(status & MORE)


def processor(bench, log, finished, queue):
    """Read and release each epoch, take queued pages; clear and freeze now and then."""
    rng = random.Random(2)
    yield from set_up(bench, BUILD, LENGTH)
    yield from set_up_hot(bench)
    yield from bench.write("command", CLEAR)
    yield from bench.write("control", ENABLE | HOLD)
    log.events.clear()
    log.enabled = True
    for _ in range(LOOPS):
        if len(finished) == EPOCHS:
            break
        if rng.random() < 0.005:
            yield from bench.write("command", CLEAR)
        if rng.random() < 0.05:
            yield from bench.write("control", ENABLE | HOLD | rng.choice([0, FREEZE]))
        if rng.random() < 0.3 and (oldest := (yield from bench.read("hot_queue"))) & VALID:
            queue.append(oldest & 0xF)
            yield from bench.write("hot_command", TAKE)
        if (yield from bench.read("status")) & STATUS_EPOCH_READY:
            hot = yield from read_list(bench)
            if rng.random() < 0.3:  # the window is held: a clear changes nothing in it
                yield from bench.write("command", CLEAR)
                for _ in range(100):
                    yield
                if (yield from read_list(bench)) != hot:
                    hot = None
            finished.append((hot, (yield from read_window(bench.monitor))))
            yield from bench.write("command", RELEASE)
            for _ in range(3):
                yield


def run(monitor_class):
    """Returns the epochs and the queue that were read, and the same of the golden models."""
    bench, log, finished, queue = Bench(monitor_class, BUILD), Log(), [], []
    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(1), 0.5, log),
            observe(bench.monitor.observed, log.events),
            processor(bench, log, finished, queue),
        ],
        bench.ports,
    )
    lists, queued = golden_lists(log.events)
    rows = [rows for *_, rows in golden(log.events, BUILD)]
    expected = list(zip(lists, rows, strict=True))[: len(finished)]
    return (finished, queue), (expected, queued[: len(queue)])


def golden_lists(events):
    """The list of each epoch, and all pages queued."""
    model, lists = HotPages(FRAMES, settings=SETTINGS), []
    queued = []
    for kind, frame, _, write, dropped, epoch_end, frozen in events:
        if kind == OpKind.ACCESS and not dropped and not frozen:
            model.access(frame, bool(write))
        if kind == OpKind.CLEAR:
            model.clear()
        queued += [frame for frame, _ in model.queue]
        model.queue.clear()
        if epoch_end:
            epoch = model.end_epoch()
            lists.append((epoch.accesses, epoch.pages, epoch.more))
    return lists, queued


def test_lists_counters_and_queue_are_those_of_the_golden_models():
    found, expected = run(monitor_module.Monitor)
    finished, queue = found
    assert found == expected and len(finished) == EPOCHS
    lists = [pages for (_, pages, _), _ in finished]
    assert len({tuple(pages) for pages in lists}) > EPOCHS // 2
    assert any(len(pages) == SETTINGS.wanted for pages in lists)
    assert len(queue) > EPOCHS


def test_off_it_counts_nothing_and_epochs_do_not_wait_for_it():
    """One access in three cycles, epochs of two: far shorter than a list takes."""
    bench, log, numbers = Bench(monitor_module.Monitor, BUILD), Log(), []

    def software():
        yield from set_up(bench, BUILD, 2)
        yield from bench.write("control", ENABLE)
        log.enabled = True
        for _ in range(300):
            yield
        numbers.append((yield from bench.read("epoch")))
        numbers.append((yield from bench.read("hot_status")))

    run_simulation(bench, [traffic(bench.sources, random.Random(1), 0.3, log), software()], bench.ports)
    epochs, status = numbers
    assert epochs > 10 and status == 0


def test_interrupt_and_overflow_are_those_of_the_queue():
    """The queue has 16 places; its reader comes late."""
    bench, log, seen = Bench(monitor_module.Monitor, BUILD), Log(), []

    def software():
        yield from set_up(bench, BUILD, LENGTH)
        yield from set_up_hot(bench)
        yield from bench.write("hot_watermark", 5)
        yield from bench.write("control", ENABLE)
        yield from bench.write("ev_enable", 2)
        assert not (yield bench.monitor.ev.irq)
        log.enabled = True
        while not (yield from bench.read("hot_status")) & OVERFLOW:
            seen.append(((yield bench.monitor.ev.irq), bool((yield from bench.read("hot_status")) & WAITING)))
        yield from bench.write("hot_control", 0)
        taken = 0
        while (yield from bench.read("hot_queue")) & VALID:
            yield from bench.write("hot_command", TAKE | ACKNOWLEDGE)
            taken += 1
            yield
        assert taken == 16
        assert not (yield from bench.read("hot_status")) & (OVERFLOW | WAITING)
        assert not (yield bench.monitor.ev.irq)

    run_simulation(
        bench,
        [traffic(bench.sources, random.Random(1), 0.5, log), software()],
        [*bench.ports, bench.monitor.ev.irq],
    )
    assert (0, False) in seen and seen[-1] == (1, True)


MUTANTS = {
    "frozen accesses": (
        "(op.kind == OpKind.ACCESS) & ~op.frozen),\n            unit",
        "(op.kind == OpKind.ACCESS)),\n            unit",
    ),
    "an access that waits counts twice": (
        "taken.eq(op.valid & op.ready & hot.enabled)",
        "taken.eq(op.valid & hot.enabled)",
    ),
    "the filter does not wait": ("return unit.ready | ~hot.enabled | hot.of_rows", "return 1"),
    "clears are left out": ("unit.discard.eq(taken & (op.kind == OpKind.CLEAR))", "unit.discard.eq(0)"),
    "the epoch is shown before its list": (
        "return self.hot.join(published), meter_busy",
        "return published, meter_busy",
    ),
    "writes are reads": ("unit.write.eq(op.write)", "unit.write.eq(0)"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_caught(mutant):
    mutated = mutated_module(Path(monitor_module.__file__), *MUTANTS[mutant])
    found, expected = run(mutated.Monitor)
    assert found != expected or len(found[0]) < EPOCHS
