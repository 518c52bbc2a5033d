# SPDX-License-Identifier: BSD-2-Clause
"""The native machine is the golden one, under every policy; mutants of the golden one are found."""

from pathlib import Path
from types import ModuleType

import litemrc_studies.zhou2004.golden.aged_curve
import litemrc_studies.zhou2004.golden.frame_policies
import litemrc_studies.zhou2004.golden.multiprogram
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis.errors import NoSuchExample
from litemrc_studies.zhou2004.golden.frame_policies import GlobalLru
from litemrc_studies.zhou2004.golden.multiprogram import Costs, Machine, Process
from litemrc_studies.zhou2004.machine.scenario import POLICIES, Scenario
from litemrc_studies.zhou2004.tests import golden_runs
from litemrc_studies.zhou2004.tests.golden_runs import golden_outcome, native_outcome
from litemrc_studies.zhou2004.tests.random_scenarios import scenarios

from tests.mutation import mutated_source

MACHINE, FRAME_POLICIES, CURVE = (
    litemrc_studies.zhou2004.golden.multiprogram,
    litemrc_studies.zhou2004.golden.frame_policies,
    litemrc_studies.zhou2004.golden.aged_curve,
)
MUTANTS = [
    (MACHINE, "if self.now >= end:", "if self.now > end:", "global-lru"),
    (
        MACHINE,
        "                if self._turn(number):\n                    self._deliver()\n",
        "                if self._turn(number):\n",
        "global-lru",
    ),
    (
        MACHINE,
        "self.disk_free = max(self.disk_free, self.now) + time",
        "self.disk_free = self.now + time",
        "equal",
    ),
    (MACHINE, "resident[page] = write or not fault", "resident[page] = write", "global-clock"),
    (MACHINE, "fault = process.file or", "fault =", "global-lru"),
    (MACHINE, "resident[page] |= write", "pass", "global-clock"),
    (
        MACHINE,
        "else self._evict(victim, measured)\n",
        "else self._evict(victim, measured) and None\n",
        "global-lru",
    ),
    (MACHINE, "return self._written_at.popleft()", "self._written_at.popleft()", "global-lru"),
    (MACHINE, "> self.policy.free_frames():", "> self.policy.free_frames() + 1:", "global-lru"),
    (
        MACHINE,
        "measured = self.now >= self.measure_from",
        "measured = self.now > self.measure_from + 9",
        "global-lru",
    ),
    (MACHINE, "self.on_disk[number].clear()", "pass", "global-lru"),
    (MACHINE, "self._ask(number, self.now)", "self._ask(number, self._serving[number] or 0)", "global-lru"),
    (FRAME_POLICIES, "(self.size(n) - self._minimums[n], -n)", "(self.size(n), -n)", "mrc"),
    (FRAME_POLICIES, "if self.size(number) > self._minimums[number]]", "if self.size(number) > 0]", "mrc"),
    (
        FRAME_POLICIES,
        "return -(-self.size(number) // self._group) * self._group",
        "return self.size(number)",
        "mrc",
    ),
    (FRAME_POLICIES, "if idle else self.oldest(process)", "if False else self.oldest(process)", "mrc"),
    (FRAME_POLICIES, "else self.oldest(givers[giver])", "else self.oldest(*givers)", "mrc"),
    (FRAME_POLICIES, "return None if free else self.oldest(givers", "return self.oldest(givers", "mrc"),
    (FRAME_POLICIES, "if free > self.reclaim_to or", "if free > self.reclaim_below or", "mrc"),
    (FRAME_POLICIES, "spare = min(self._delta, self.size", "spare = min(1, self.size", "mrc"),
    (FRAME_POLICIES, "if len(self._free) >= below:", "if len(self._free) > below:", "global-clock"),
    (
        FRAME_POLICIES,
        "if self.free_frames() < self.reclaim_below:",
        "if self.free_frames() < self.reclaim_to:",
        "global-lru",
    ),
    (
        FRAME_POLICIES,
        "self._used.discard(page)\n            self._hand",
        "self._used.clear()\n            self._hand",
        "global-clock",
    ),
    (CURVE, "count if count >= FORGOTTEN else 0.0", "count", "mrc"),
    (CURVE, "self._time * self._decay + (now - self._last)", "self._time + (now - self._last)", "mrc"),
    (CURVE, "count * self._decay for", "count for", "mrc"),
    (CURVE, "convex[place] = max(between, ratios[right])", "convex[place] = ratios[place]", "mrc"),
    (CURVE, "ratios = [1.0, *self.miss_ratios]", "ratios = [*self.miss_ratios, 0.0]", "mrc"),
]


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, deadline=None)
@given(scenario=scenarios())
def test_processes_fare_as_in_the_golden_machine(policy, scenario):
    assert native_outcome(scenario, policy) == golden_outcome(scenario, policy)


def test_an_arrival_for_an_ended_process_does_not_hold_up_the_next_arrival():
    """c has turns of 100; a serves its only reference from 100 to 110 and ends, its arrival at 150 is void.

    c's second turn is from 110 to 210. b arrived at 160, so it is queued before c and runs to 220.
    """
    a = Process([(1, False)], 10, request_touches=1, clients=0, pauses=(10, 140), requests=0)
    b = Process([(5, False)], 10, start=160)
    c = Process([(7, False)] * 40, 10)
    Machine([a, b, c], GlobalLru(9, 3), Costs(time_slice=100, page_read=0, write_out=0)).run()
    assert (a.responses, b.responses) == ([(10, 110)], [(160, 220)])
    assert c.ended == 400 + 10 + 10


def test_a_process_is_batch_work_from_time_0_by_default():
    """One request of all references, without a pause: a touch of 10 and a zero fill of 0, then a hit."""
    process = Process([(1, False), (1, True)], 10)
    machine = Machine([process], GlobalLru(1, 1), Costs(time_slice=100, page_read=50, write_out=20))
    machine.run()
    assert (process.responses, process.ended, process.touches) == ([(0, 20)], 20, 2)
    assert (process.faults, process.zero_fills, process.write_outs) == (0, 1, 0)
    assert (machine.samples, machine.disk_busy, machine.disk_free) == ([], 0, 0)


@pytest.mark.parametrize(("module", "text", "mutated", "policy"), MUTANTS)
def test_a_mutant_of_the_golden_machine_is_found(monkeypatch, module, text, mutated, policy):
    _mutate(monkeypatch, module, text, mutated)
    assert _find_difference(policy, 5000)  # most are found in the first hundreds


@pytest.mark.parametrize("module", [MACHINE, FRAME_POLICIES, CURVE], ids=lambda module: module.__name__)
def test_a_copy_of_the_golden_machine_is_not(monkeypatch, module):
    _mutate(monkeypatch, module, '"""\n\nfrom', ' \n"""\n\nfrom')
    with pytest.raises(NoSuchExample):
        _find_difference("mrc", 50)


def _mutate(monkeypatch, module: ModuleType, text: str, mutated: str) -> None:
    """Puts classes and functions of a changed copy of a module in the place of its own."""
    source = mutated_source(Path(module.__file__), text, mutated)
    mutant = ModuleType(module.__name__)
    exec(compile(source, module.__file__, "exec"), mutant.__dict__)
    for where in (golden_runs, FRAME_POLICIES):
        for name in set(vars(where)) & set(vars(mutant)):
            if getattr(vars(mutant)[name], "__module__", "") == module.__name__:
                monkeypatch.setattr(where, name, vars(mutant)[name])


def _find_difference(policy: str, examples: int) -> Scenario:
    def differs(scenario: Scenario) -> bool:
        return native_outcome(scenario, policy) != golden_outcome(scenario, policy)

    first = settings(max_examples=examples, phases=[Phase.generate], derandomize=True, database=None)
    return find(scenarios(), differs, settings=first)
