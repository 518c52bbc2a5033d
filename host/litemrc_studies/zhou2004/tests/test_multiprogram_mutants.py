"""The random scenarios distinguish the golden machine from machines with one fault."""

from pathlib import Path
from types import ModuleType

import litemrc_studies.zhou2004.golden.aged_curve
import litemrc_studies.zhou2004.golden.frame_policies
import litemrc_studies.zhou2004.golden.multiprogram
import pytest
from hypothesis import Phase, find, settings
from hypothesis.errors import NoSuchExample
from litemrc_studies.zhou2004.machine.scenario import Scenario
from litemrc_studies.zhou2004.tests import golden_runs
from litemrc_studies.zhou2004.tests.golden_runs import golden_outcome, native_outcome
from litemrc_studies.zhou2004.tests.random_scenarios import scenarios

from tests.mutation import mutated_source

MACHINE, POLICIES, CURVE = (
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
    (POLICIES, "(self.size(n) - self._minimums[n], -n)", "(self.size(n), -n)", "mrc"),
    (POLICIES, "if self.size(number) > self._minimums[number]]", "if self.size(number) > 0]", "mrc"),
    (
        POLICIES,
        "return -(-self.size(number) // self._group) * self._group",
        "return self.size(number)",
        "mrc",
    ),
    (POLICIES, "if idle else self.oldest(process)", "if False else self.oldest(process)", "mrc"),
    (POLICIES, "else self.oldest(givers[giver])", "else self.oldest(*givers)", "mrc"),
    (POLICIES, "return None if free else self.oldest(givers", "return self.oldest(givers", "mrc"),
    (POLICIES, "if free > self.reclaim_to or", "if free > self.reclaim_below or", "mrc"),
    (POLICIES, "spare = min(self._delta, self.size", "spare = min(1, self.size", "mrc"),
    (POLICIES, "if len(self._free) >= below:", "if len(self._free) > below:", "global-clock"),
    (
        POLICIES,
        "if self.free_frames() < self.reclaim_below:",
        "if self.free_frames() < self.reclaim_to:",
        "global-lru",
    ),
    (
        POLICIES,
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


@pytest.mark.parametrize(("module", "text", "mutated", "policy"), MUTANTS)
def test_a_mutant_of_the_golden_machine_is_found(monkeypatch, module, text, mutated, policy):
    _mutate(monkeypatch, module, text, mutated)
    assert _find_difference(policy, 5000)  # most are found in the first hundreds


@pytest.mark.parametrize("module", [MACHINE, POLICIES, CURVE], ids=lambda module: module.__name__)
def test_a_copy_of_the_golden_machine_is_not(monkeypatch, module):
    _mutate(monkeypatch, module, '"""\n\nfrom', ' \n"""\n\nfrom')
    with pytest.raises(NoSuchExample):
        _find_difference("mrc", 50)


def _mutate(monkeypatch, module: ModuleType, text: str, mutated: str) -> None:
    """Puts classes and functions of a changed copy of a module in the place of its own."""
    source = mutated_source(Path(module.__file__), text, mutated)
    mutant = ModuleType(module.__name__)
    exec(compile(source, module.__file__, "exec"), mutant.__dict__)
    for where in (golden_runs, POLICIES):
        for name in set(vars(where)) & set(vars(mutant)):
            if getattr(vars(mutant)[name], "__module__", "") == module.__name__:
                monkeypatch.setattr(where, name, vars(mutant)[name])


def _find_difference(policy: str, examples: int) -> Scenario:
    def differs(scenario: Scenario) -> bool:
        return native_outcome(scenario, policy) != golden_outcome(scenario, policy)

    first = settings(max_examples=examples, phases=[Phase.generate], derandomize=True, database=None)
    return find(scenarios(), differs, settings=first)
