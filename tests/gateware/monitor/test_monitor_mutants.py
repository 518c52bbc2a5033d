"""Faults in the monitor that its simulation must find."""

from pathlib import Path

import litemrc_gateware.filter.page_filter as filter_module
import litemrc_gateware.monitor.intake as intake_module
import litemrc_gateware.monitor.monitor as monitor_module
import pytest

from tests.gateware.monitor_bench import MODES, matches_golden, run, shots_are_single
from tests.mutation import mutated_module

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
    "a full queue takes commands silently": (
        intake_module,
        "command.ready.eq(~access & entry.ready)",
        "command.ready.eq(~access)",
        "by accesses, overloaded",
    ),
    "a command is lost behind an access": (
        intake_module,
        "command.ready.eq(~access & entry.ready)",
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
