# SPDX-License-Identifier: BSD-2-Clause
"""Decisions at the end of every epoch: memory budgets, and how much memory must stay awake.

This is Zhou et al. (ASPLOS 2004), sections 4 and 5, as a closed loop over hit counters. The caller reads the
counters and applies the decisions.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from litemrc.curves.hit_counters import HitCounters
from litemrc.policies.allocation.decision import Decision, GovernorParameters, Reason, limit_of
from litemrc.policies.allocation.demand import AgedCurve, Demand
from litemrc.policies.allocation.division import allocate

__all__ = ["Decision", "Governor", "GovernorParameters"]


class Governor:
    """Maintains the curve of every context and decides at the end of each epoch.

    Parameters
    ----------
    parameters
        of the decisions.
    budgets
        current pages of contexts; these are governed from the beginning.
    weights
        of the utilities of contexts; 1 for all others.
    maximums
        largest budgets of contexts in pages, above the minimum; without limit for all others.
    """

    def __init__(
        self,
        parameters: GovernorParameters,
        budgets: Mapping[int, int] | None = None,
        *,
        weights: Mapping[int, float] | None = None,
        maximums: Mapping[int, int] | None = None,
    ) -> None:
        self.parameters = parameters
        self.budgets = dict(budgets or {})
        self._weights, self._maximums = dict(weights or {}), dict(maximums or {})
        self._curves = {context: AgedCurve(parameters.half_life) for context in self.budgets}
        self._saved = 0.0  # weighted misses that targets would have saved since they became better

    def forget(self, context: int) -> None:
        """Forget a context whose process has ended; its memory is free."""
        self.budgets.pop(context, None)
        self._curves.pop(context, None)

    def decide(
        self, epoch: Mapping[int, HitCounters], cycles: float, held: Mapping[int, int] | None = None
    ) -> Decision:
        """Return the decision at the end of an epoch.

        Parameters
        ----------
        epoch
            counters of the governed contexts; a missing context had no access. A new context is
            governed from now on.
        cycles
            length of the epoch.
        held
            pages that contexts have at the end of the epoch; by default their budgets.

        Raises
        ------
        UserError
            the minimums of all contexts exceed the memory.
        ValueError
            negative `cycles`.
        """
        if cycles < 0:
            raise ValueError(f"an epoch cannot have {cycles} cycles")
        for context in epoch.keys() - self._curves.keys():
            self._curves[context] = AgedCurve(self.parameters.half_life)
        for context, curve in self._curves.items():
            curve.add(epoch.get(context), cycles)
        demands = [self._demand(context) for context in sorted(self._curves)]
        if not demands:
            return Decision({}, False, {}, 0.0, 1)
        p = self.parameters
        allocation = allocate(demands, p.memory_pages, delta_pages=p.delta_pages)
        target = {int(name): pages for name, pages in allocation.pages.items()}
        gain = self._gain(target, demands)
        before = dict(self.budgets)
        moved = self._pays(target, gain, demands, cycles, held or {}) or not self._may_stay(target)
        if moved:
            self._move(target, demands)
            self._saved = 0.0
        reasons = {
            int(demand.name): self._reason(demand, before, target, moved=moved, cycles=cycles)
            for demand in demands
        }
        changed = self.budgets != before
        return Decision(dict(self.budgets), changed, target, gain, self._n_mrc(demands), reasons)

    def curve_points(self, context: int) -> list[tuple[int, float]]:
        """Return the sizes in pages at which the aged miss ratio of a context falls, and the ratio there."""
        curve = self._curves[context]
        ratios = curve.miss_ratio
        falls = np.flatnonzero(np.diff(ratios, prepend=1.0) < 0)
        return [(int(curve.sizes_pages[i]), round(float(ratios[i]), 6)) for i in falls]

    def _demand(self, context: int) -> Demand:
        """Return a demand whose utility is end performance: hits per cycle."""
        curve = self._curves[context]
        allowed = self._maximums.get(context)
        within = np.searchsorted(curve.sizes_pages, allowed, "right") if allowed else curve.sizes_pages.size
        return Demand(
            str(context),
            curve.sizes_pages[:within] if within else np.ones(1, np.int64),
            curve.miss_ratio[:within] if within else np.ones(1),
            round(curve.accesses),
            weight=self._weights.get(context, 1.0),
            minimum_pages=self.parameters.minimum_pages,
            reference_rate=curve.reference_rate,
        )

    def _reason(
        self,
        demand: Demand,
        before: Mapping[int, int],
        target: Mapping[int, int],
        *,
        moved: bool,
        cycles: float,
    ) -> Reason:
        context = int(demand.name)
        had, has = before.get(context, 0), self.budgets.get(context, 0)
        accesses = (demand.reference_rate or 0.0) * cycles
        return Reason(
            had,
            has,
            target[context],
            accesses * demand.miss_ratio_at(had),
            accesses * demand.miss_ratio_at(has),
            limit_of(
                had,
                has,
                target[context],
                moved=moved,
                step=self.parameters.step_pages or self.parameters.memory_pages,
            ),
        )

    def _gain(self, target: Mapping[int, int], demands: Sequence[Demand]) -> float:
        """Return `Decision.gain`; 0 if no context gains.

        The gain is not a share of all misses, because a loop larger than memory would dominate them.
        """
        saved = missed = 0.0
        for demand in demands:
            now = demand.utility(self.budgets.get(int(demand.name), 0))
            more = demand.utility(target[int(demand.name)]) - now
            saved += more
            if more > 0:
                missed += demand.value - now
        return saved / missed if missed else 0.0

    def _pays(
        self,
        target: Mapping[int, int],
        gain: float,
        demands: Sequence[Demand],
        cycles: float,
        held: Mapping[int, int],
    ) -> bool:
        """Return whether the target gains enough, and has for so long that the move would have paid off.

        As in the ski-rental problem, who waits so long pays at most twice what one pays who knows the
        future. Without it budgets went back and forth, and each time pages were evicted.
        """
        if gain <= self.parameters.gain:
            self._saved = 0.0
            return False
        taken = 0
        for demand in demands:
            context = int(demand.name)
            had, aim = self.budgets.get(context, 0), target[context]
            self._saved += cycles * (demand.utility(aim) - demand.utility(had))
            taken += max(min(had, held.get(context, had)) - aim, 0)
        return self._saved >= self.parameters.move_misses * taken

    def _may_stay(self, target: Mapping[int, int]) -> bool:
        """Return whether every context has a budget, and all budgets are allowed."""
        minimum = self.parameters.minimum_pages
        return (
            self.budgets.keys() == target.keys()
            and min(self.budgets.values()) >= minimum
            and sum(self.budgets.values()) <= self.parameters.memory_pages
        )

    def _move(self, target: Mapping[int, int], demands: Sequence[Demand]) -> None:
        """Move budgets one step towards the target: first reductions, then increases by descending gain."""
        p = self.parameters
        step = p.step_pages or p.memory_pages
        minimum = -(-p.minimum_pages // p.delta_pages) * p.delta_pages
        gains = {}
        for demand in demands:
            context = int(demand.name)
            had = self.budgets.get(context, 0)
            gains[context] = demand.utility(target[context]) - demand.utility(had)
            self.budgets[context] = max(minimum, min(had, max(target[context], had - step)))
        over = sum(self.budgets.values()) - p.memory_pages
        for context in sorted(gains, key=gains.__getitem__):  # a step does not free enough
            given = max(min(over, self.budgets[context] - target[context]), 0)
            self.budgets[context] -= given
            over -= given
        free = p.memory_pages - sum(self.budgets.values())
        for context in sorted(gains, key=gains.__getitem__, reverse=True):
            wanted = min(target[context] - self.budgets[context], step, free)
            if wanted > 0:
                self.budgets[context] += wanted
                free -= wanted

    def _n_mrc(self, demands: Sequence[Demand]) -> int:
        """Return the smallest size that loses at most epsilon of all possible hits if every stack has it.

        Possible hits are those in memory: refaults keep no memory awake. All contexts have one size, because
        the hardware has one register. Contexts are weighted by their rates, so that a context that has slept
        long no longer keeps memory awake.
        """
        known = [
            (demand.reference_rate, demand.miss_ratio[: self._curves[int(demand.name)].memory_groups])
            for demand in demands
            if demand.reference_rate
        ]
        if not known:
            return 1
        longest = max(ratio.size for _, ratio in known)
        lost = np.zeros(longest)
        for rate, ratio in known:
            lost[: ratio.size] += rate * (ratio - ratio[-1])
        allowed = self.parameters.epsilon * sum(rate for rate, _ in known)
        return int(np.argmax(lost <= allowed)) + 1
