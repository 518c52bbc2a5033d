# SPDX-License-Identifier: BSD-2-Clause
"""The monitor around its engine: windows hold exactly the records that entered; faults that this finds."""

import random
from functools import cache, partial
from pathlib import Path

import litemrc_gateware.filter.page_filter as filter_module
import litemrc_gateware.monitor.intake as intake_module
import litemrc_gateware.monitor.monitor as monitor_module
import pytest
from litemrc_gateware.records import OpKind

from tests.gateware.monitor_bench import (
    BUILDS,
    CLAIM,
    CONTEXTS,
    DEFAULT,
    ENABLE,
    EPOCHS,
    FREEZE,
    GROUPS,
    HOLD,
    MODES,
    SINGLE_SHOT,
    Bench,
    Log,
    Tap,
    conserved,
    lengths_of,
    matches_golden,
    observe,
    run,
    shots_are_single,
    traffic,
)
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

BITS = 4  # of the filter's counts, in place of 32
FEW = 3  # accesses lost until the intake's count, which begins near its limit here, is there
SMALL_RANGE = BUILDS["group_stack, sampled and out of range"]
# A fault, and the run that finds it.
MUTANTS = {
    "a full queue takes accesses silently": (
        intake_module,
        "lost.eq(self.access & ~entry.ready)",
        "lost.eq(0)",
        "by accesses, overloaded",
    ),
    "the frame of an invalidation is lost": (
        intake_module,
        "entry.frame.eq(Mux(access, sink.frame, command.frame)),",
        "entry.frame.eq(sink.frame),",
        "by accesses, overloaded",
    ),
    "a claim is an invalidation": (
        intake_module,
        "entry.write.eq(Mux(access, sink.write, claims)),",
        "entry.write.eq(sink.write),",
        "by accesses, overloaded",
    ),
    "a claim is for the running context": (
        intake_module,
        "entry.context.eq(Mux(claims, command.context, self.context)),",
        "entry.context.eq(self.context),",
        "by accesses, overloaded",
    ),
    "recent pages do not forget a claimed page": (
        filter_module,
        "ask & (op.kind == OpKind.INVALIDATE)",
        "ask & (op.kind == OpKind.INVALIDATE) & ~op.write",
        "by command",
    ),
    "a full queue takes commands silently": (
        intake_module,
        "command.ready.eq(~access & entry.ready & command_enters)",
        "command.ready.eq(~access)",
        "by accesses, overloaded",
    ),
    "a command is lost behind an access": (
        intake_module,
        "command.ready.eq(~access & entry.ready & command_enters)",
        "command.ready.eq(entry.ready)",
        "by accesses, overloaded",
    ),
    "a held window is overwritten": (
        intake_module,
        "~in_flight & ~self.window_taken",
        "~in_flight",
        "by accesses, short",
    ),
    "a clear is not passed on": (
        intake_module,
        "Mux(command.clear, OpKind.CLEAR,",
        "Mux(command.clear, OpKind.MARK,",
        "frozen now and then",
    ),
    "accesses lost while frozen are counted": (
        intake_module,
        "If(lost & ~self.frozen &",
        "If(lost &",
        "frozen now and then",
    ),
    "an epoch has the drops of the next": (
        monitor_module,
        "self._epoch_dropped.status.eq(self.intake.epoch_dropped)",
        "self._epoch_dropped.status.eq(self.intake.dropped)",
        "by accesses, overloaded",
    ),
    "frozen accesses count": (
        filter_module,
        "answer.frozen.eq(op.frozen &",
        "answer.frozen.eq(0 &",
        "frozen now and then",
    ),
    "frozen accesses are in the working set": (
        filter_module,
        "((absorb | fill) & ~op.frozen)",
        "(absorb | fill)",
        "frozen now and then",
    ),
}


@cache
def true_run(mode, build="group_stack"):
    """The log of a run of the unmodified monitor."""
    return run(monitor_module.Monitor, build=BUILDS[build], **MODES[mode])


@pytest.mark.parametrize(
    ("mode", "build"),
    [
        *((mode, "group_stack") for mode in MODES),
        *((mode, "bucket_stack") for mode in ("by accesses, overloaded", "by cycles", "frozen now and then")),
        *(("frozen now and then", name) for name in list(BUILDS)[2:]),
    ],
)
def test_the_window_holds_what_the_golden_model_counts(mode, build):
    log = true_run(mode, build)
    assert len(log.finished) == EPOCHS
    assert matches_golden(log, BUILDS[build])
    assert mode == "by accesses, one each" or {OpKind.INVALIDATE, CLAIM} <= {
        kind for kind, *_ in log.commands
    }
    frozen = {event[-1] for event in log.events}
    assert (1 in frozen) == bool(MODES[mode].get("control", 0) & (FREEZE | SINGLE_SHOT))
    assert 0 in frozen


@pytest.mark.parametrize("control", [ENABLE | HOLD, ENABLE | HOLD | FREEZE])
def test_an_epoch_by_accesses_has_just_that_many_unless_it_was_held(control):
    log = run(monitor_module.Monitor, pressure=0.6, length=64, control=control)
    assert min(lengths_of(log)) == 64  # a held window prolongs an epoch; none is shorter


def test_overload_is_counted_and_conserved():
    log = true_run("by accesses, overloaded")
    assert sum(dropped for _, dropped, *_ in log.finished) > 50
    assert conserved(log)


@pytest.mark.parametrize(
    "build", ["group_stack, sampled and out of range", "bucket_stack of 8 pages, sampled and out of range"]
)
def test_accesses_left_out_or_lost_are_conserved_while_the_monitor_freezes_and_thaws(build):
    log = run(
        monitor_module.Monitor, pressure=0.9, length=40, control=ENABLE | HOLD | FREEZE, build=BUILDS[build]
    )
    outside, unsampled = (sum(epoch[column] for epoch in log.finished) for column in (2, 3))
    assert min(outside, unsampled) > 20
    assert conserved(log)


@pytest.mark.parametrize("mode", ["single shot", "single shot, overloaded"])
def test_single_shot_freezes_behind_the_end_of_an_epoch_until_it_is_armed(mode):
    assert shots_are_single(true_run(mode))


def test_a_disabled_monitor_counts_nothing():
    bench, log = Bench(monitor_module.Monitor, DEFAULT), Log(enabled=True)

    def wait():
        for _ in range(300):
            yield

    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(1), 0.5, log),
            observe(bench.monitor.observed, log.events),
            wait(),
        ],
        bench.ports,
    )
    assert log.accesses and not log.events


@pytest.mark.parametrize("engine", monitor_module.ENGINES)
def test_no_memory_of_an_engine_is_on_the_csr_bus(engine):
    """LiteX maps every memory that is an attribute of a module, with a port of its own."""
    assert monitor_module.Monitor(Tap(), groups=GROUPS, contexts=CONTEXTS, engine=engine).get_memories() == []


def test_an_unknown_engine_is_refused_by_name():
    with pytest.raises(ValueError, match="no engine 'magic'; there are: group_stack"):
        monitor_module.Monitor(Tap(), engine="magic")


def run_with_few_bits(module, monkeypatch, *, dropped=False, filter_class=filter_module.PageFilter):
    """Run with counts that soon reach their limit; returns the log, and which epochs have one that did."""
    monkeypatch.setattr(module, "PageFilter", partial(filter_class, counter_bits=BITS))
    limit = 2**BITS - 1
    if dropped:
        begins = f"If(self.restart, self.dropped.eq({2**32 - 1 - FEW}))"
        begun = mutated_module(Path(intake_module.__file__), "If(self.restart, self.dropped.eq(0))", begins)
        monkeypatch.setattr(module, "Intake", begun.Intake)
        log = run(module.Monitor, pressure=0.36, length=30)
        return log, [epoch[1] == 2**32 - 1 for epoch in log.finished]
    log = run(module.Monitor, pressure=0.3, length=36, build=SMALL_RANGE, seed=3)
    return log, [limit in epoch[2:4] for epoch in log.finished]


@pytest.mark.parametrize("dropped", [False, True])
def test_the_status_of_an_epoch_says_that_a_count_is_at_its_limit(dropped, monkeypatch):
    log, full = run_with_few_bits(monitor_module, monkeypatch, dropped=dropped)
    assert log.overflows == full
    assert set(full) == {False, True}, [epoch[1:4] for epoch in log.finished]


def mutant_of(module, old, new):
    return mutated_module(Path(module.__file__), old, new)


BOTH = "self.intake.epoch_dropped_full | self.filter.full"


@pytest.mark.parametrize(
    ("dropped", "kept"), [(True, "self.filter.full"), (False, "self.intake.epoch_dropped_full")]
)
def test_a_monitor_that_forgets_one_of_them_is_caught(dropped, kept, monkeypatch):
    faulty = mutant_of(monitor_module, BOTH, kept)
    log, full = run_with_few_bits(faulty, monkeypatch, dropped=dropped)
    assert log.overflows != full


def test_a_filter_that_flags_only_both_is_caught(monkeypatch):
    faulty = mutant_of(filter_module, "self.full.eq(full != 0)", "self.full.eq(full == 3)").PageFilter
    log, full = run_with_few_bits(monitor_module, monkeypatch, filter_class=faulty)
    assert log.overflows != full


def mutate(module, old, new, monkeypatch):
    """Return a monitor's class with a fault in one of its modules."""
    mutated = mutated_module(Path(module.__file__), old, new)
    if module is monitor_module:
        return mutated.Monitor
    name = {intake_module: "Intake", filter_module: "PageFilter"}[module]
    monkeypatch.setattr(monitor_module, name, getattr(mutated, name))
    return monitor_module.Monitor


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_monitor_is_caught(mutant, monkeypatch):
    *fault, mode = MUTANTS[mutant]
    assert not matches_golden(run(mutate(*fault, monkeypatch), **MODES[mode]))


# The golden model takes the ends of epochs as given; single shots check their lengths.
INTAKE_MUTANTS = {
    "the monitor counts on behind a shot": (
        "self.frozen.eq(self.freeze | shot)",
        "self.frozen.eq(self.freeze)",
    ),
    "an epoch has one access more": (".Elif(advanced & elapses, length_reached.eq(reached[2]))", ""),
    "frozen accesses let the epoch advance": ("elapses.eq(~self.frozen &", "elapses.eq("),
}


@pytest.mark.parametrize("mutant", INTAKE_MUTANTS)
def test_a_mutant_that_ends_epochs_wrongly_is_caught(mutant, monkeypatch):
    monitor = mutate(intake_module, *INTAKE_MUTANTS[mutant], monkeypatch)
    assert not shots_are_single(run(monitor, **MODES["single shot"]))
