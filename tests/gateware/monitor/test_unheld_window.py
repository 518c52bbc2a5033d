# SPDX-License-Identifier: BSD-2-Clause
"""Reading the window while epochs end: words read between two equal values of `epoch` are of that epoch."""

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import litemrc_gateware.counters.hit_counters as hit_counters_module
import litemrc_gateware.counters.totals as totals_module
import litemrc_gateware.monitor.monitor as monitor_module
import pytest

from tests.gateware.monitor_bench import (
    CONTEXTS,
    ENABLE,
    GROUPS,
    Bench,
    Build,
    Log,
    golden,
    observe,
    set_up,
    traffic,
)
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

BUILD = Build("bucket_stack", sampling=1, lower=2)  # accesses of all kinds: counted, outside, unsampled
LENGTH, READS = 150, 2000
LOSSES = ("epoch_dropped", "epoch_outside", "epoch_unsampled")
WORDS = [(context, word) for context in range(CONTEXTS) for word in range(GROUPS + 3)]


@dataclass(frozen=True)
class Read:
    """What a reader saw: `epoch` before and after, and between them words, by register or (context, word)."""

    before: int
    words: dict
    after: int

    def is_of(self, epoch):
        """Whether all words are those of a record of `golden`."""
        _, *losses, rows = epoch
        record = dict(zip(LOSSES, losses, strict=True))
        for context, (hits, *totals) in rows.items():
            record |= {(context, word): value for word, value in enumerate([*hits, *totals])}
        return all(record[name] == value for name, value in self.words.items())


def reader(bench, rng, log, reads):
    """Read some words, or all, again and again, without hold and without release."""
    yield from bench.write("control", ENABLE)
    yield
    yield
    log.enabled = True
    while len(reads) < READS:
        yield from bench.write("context", rng.randrange(CONTEXTS))
        for _ in range(rng.randrange(40)):
            yield
        names = rng.choice([[(0, GROUPS + 1)], rng.sample([*LOSSES, *WORDS], 2), [*WORDS, *LOSSES]])
        before, words = (yield from bench.read("epoch")), {}
        for name in names:
            if name in LOSSES:
                words[name] = yield from bench.read(name)
            else:
                words[name] = yield from bench.monitor.window.bus.read(name[0] * 2 * GROUPS + name[1])
        reads.append(Read(before, words, (yield from bench.read("epoch"))))


def run(monitor_class, seed=1):
    """Returns the reads, and the epochs of the golden model."""
    bench, log, reads = Bench(monitor_class, BUILD), Log(), []

    def processor():
        yield from set_up(bench, BUILD, LENGTH)
        log.events.clear()
        yield from reader(bench, random.Random(seed + 1), log, reads)

    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(seed), 0.9, log),
            observe(bench.monitor.observed, log.events),
            processor(),
        ],
        bench.ports,
    )
    return reads, golden(log.events, BUILD)


@cache
def true_run():
    """The reads and epochs of the unmodified monitor."""
    return run(monitor_module.Monitor)


def torn(reads, epochs):
    """Reads that are not of the epoch that was in the window before, although `epoch` stayed the same."""
    return [
        read for read in reads if read.before == read.after > 0 and not read.is_of(epochs[read.before - 1])
    ]


def test_without_the_comparison_a_reader_mixes_two_epochs():
    reads, epochs = true_run()
    mixed = [read for read in reads if read.before and not any(read.is_of(epoch) for epoch in epochs)]
    assert len(mixed) > 100


def test_what_is_read_between_two_equal_values_of_epoch_is_of_that_epoch():
    reads, epochs = true_run()
    assert len({read.before for read in reads if read.before == read.after > 0}) > 50
    assert torn(reads, epochs) == []


# A fault, in the counters or in their totals.
MUTANTS = {
    "totals are shown as they are copied": (
        totals_module,
        "~half)),\n            finished.write.we.eq(self.copies),\n"
        "            If(self.publish, half.eq(~half)),",
        "half)),\n            finished.write.we.eq(self.copies),",
    ),
    "the epoch is counted before the window has it": (
        hit_counters_module,
        "If(publishing, self.epoch.eq",
        "If(copy & (next_copy == 0), self.epoch.eq",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_window_is_caught(mutant, monkeypatch):
    module, *fault = MUTANTS[mutant]
    mutated = mutated_module(Path(module.__file__), *fault)
    if module is totals_module:
        monkeypatch.setattr(hit_counters_module, "CounterTotals", mutated.CounterTotals)
    else:
        monkeypatch.setattr(monitor_module, "HitCounters", mutated.HitCounters)
    assert torn(*run(monitor_module.Monitor))
