"""Counts of accesses lost and left out that reach their limit are flagged in the status of their epoch."""

from functools import partial
from pathlib import Path

import litemrc_gateware.filter.page_filter as filter_module
import litemrc_gateware.monitor.intake as intake_module
import litemrc_gateware.monitor.monitor as monitor_module
import pytest

from tests.gateware.monitor_bench import BUILDS, run
from tests.mutation import mutated_module

BITS = 4  # of the filter's counts, in place of 32
FEW = 3  # accesses lost until the intake's count, which begins near its limit here, is there
SMALL_RANGE = BUILDS["group_stack, sampled and out of range"]


def run_with_few_bits(module, monkeypatch, *, dropped=False, filter_class=filter_module.PageFilter):
    """Run with counts that soon reach their limit; returns the log, and which epochs have one that did."""
    monkeypatch.setattr(module, "PageFilter", partial(filter_class, counter_bits=BITS))
    limit = 2**BITS - 1
    if dropped:
        begins = f"If(self.restart, self.dropped.eq({2**32 - 1 - FEW}))"
        begun = mutated_module(Path(intake_module.__file__), "If(self.restart, self.dropped.eq(0))", begins)
        monkeypatch.setattr(module, "Intake", begun.Intake)
        log = run(module.Monitor, pressure=0.42, length=30)
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
