"""What to do at the end of every epoch: budgets of memory, and how much of it must stay awake.

Zhou et al. (ASPLOS 2004), sections 4 and 5, as a loop: hit counters in, decisions out. It decides; who reads
counters and sets budgets is another's business.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from litemrc.curves.curve import Curve
from litemrc.policies.allocation.aged_curve import AgedCurve
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import allocate
from litemrc.policies.allocation.governor_parameters import GovernorParameters

__all__ = ["Decision", "Governor", "GovernorParameters"]


@dataclass(frozen=True)
class Decision:
    """What to set for the next epoch.

    Attributes:
        budgets: pages of each context governed; in sum at most the memory.
        moved: whether a budget is another than before.
        target: the best division by the curves; budgets are on their way to it, or it is not worth it.
        gain: misses that the target saves, as a share of what those have now who get more by it.
        n_mrc: page groups at the top of each context's stack that must stay awake; at least 1.
    """

    budgets: dict[int, int]
    moved: bool
    target: dict[int, int]
    gain: float
    n_mrc: int


class Governor:
    """Keeps a curve of every context and decides at the end of each epoch.

    Parameters:
        parameters: how.
        budgets: pages that contexts have now; these are governed from the beginning.
    """

    def __init__(self, parameters: GovernorParameters, budgets: Mapping[int, int] | None = None) -> None:
        self.parameters = parameters
        self.budgets = dict(budgets or {})
        self._curves = {context: AgedCurve(parameters.half_life) for context in self.budgets}

    def forget(self, context: int) -> None:
        """The context's process has ended: its memory is free, its curve is nobody's."""
        self.budgets.pop(context, None)
        self._curves.pop(context, None)

    def decide(self, epoch: Mapping[int, Curve], clocks: float) -> Decision:
        """An epoch of so many clocks has ended.

        Parameters:
            epoch: counters of the contexts to govern; those left out had no access. A new one is governed
                from now on.

        Raises:
            UserError: the minimums of so many contexts do not fit into the memory.
            ValueError: clocks below 0.
        """
        if clocks < 0:
            raise ValueError(f"an epoch cannot have {clocks} clocks")
        for context in epoch.keys() - self._curves.keys():
            self._curves[context] = AgedCurve(self.parameters.half_life)
        for context, curve in self._curves.items():
            curve.add(epoch.get(context), clocks)
        demands = [self._demand(context) for context in sorted(self._curves)]
        if not demands:
            return Decision({}, False, {}, 0.0, 1)
        p = self.parameters
        allocation = allocate(demands, p.memory_pages, delta_pages=p.delta_pages)
        target = {int(name): pages for name, pages in allocation.pages.items()}
        gain = self._gain(target, demands)
        before = dict(self.budgets)
        if gain > p.gain or not self._may_stay(target):
            self._move(target, demands)
        return Decision(dict(self.budgets), self.budgets != before, target, gain, self._n_mrc(demands))

    def _demand(self, context: int) -> Demand:
        """End performance: hits a clock."""
        curve = self._curves[context]
        known = curve.sizes_pages.size > 0
        return Demand(
            str(context),
            curve.sizes_pages if known else np.ones(1, np.int64),
            curve.miss_ratio if known else np.ones(1),
            round(curve.accesses),
            minimum_pages=self.parameters.minimum_pages,
            reference_rate=curve.reference_rate,
        )

    def _gain(self, target: Mapping[int, int], demands: Sequence[Demand]) -> float:
        """`Decision.gain`; 0 if nobody gets more by it.

        A share of all misses would not do: a loop larger than memory has so many that nothing counts beside.
        """
        saved = missed = 0.0
        for demand in demands:
            now = demand.utility(self.budgets.get(int(demand.name), 0))
            more = demand.utility(target[int(demand.name)]) - now
            saved += more
            if more > 0:
                missed += demand.value - now
        return saved / missed if missed else 0.0

    def _may_stay(self, target: Mapping[int, int]) -> bool:
        """Whether everybody has a budget, and none but what is allowed."""
        minimum = self.parameters.minimum_pages
        return (
            self.budgets.keys() == target.keys()
            and min(self.budgets.values()) >= minimum
            and sum(self.budgets.values()) <= self.parameters.memory_pages
        )

    def _move(self, target: Mapping[int, int], demands: Sequence[Demand]) -> None:
        """A step towards the target; first who gives, then who gets, the largest gain first."""
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
        for context in sorted(gains, key=gains.__getitem__):  # a step is not enough for what must go
            if over <= 0:
                break
            given = min(over, max(self.budgets[context] - target[context], 0))
            self.budgets[context] -= given
            over -= given
        free = p.memory_pages - sum(self.budgets.values())
        for context in sorted(gains, key=gains.__getitem__, reverse=True):
            wanted = min(target[context] - self.budgets[context], step, free)
            if wanted > 0:
                self.budgets[context] += wanted
                free -= wanted

    def _n_mrc(self, demands: Sequence[Demand]) -> int:
        """The smallest size for every stack that loses at most epsilon of all hits there could be.

        One size for all contexts, as the hardware has one register. Contexts count by their rates, so that
        one that has long slept no longer keeps memory awake.
        """
        known = [demand for demand in demands if demand.reference_rate]
        if not known:
            return 1
        longest = max(demand.miss_ratio.size for demand in known)
        lost = np.zeros(longest)
        for demand in known:
            ratio = demand.miss_ratio
            lost[: ratio.size] += demand.reference_rate * (ratio - ratio[-1])
        allowed = self.parameters.epsilon * sum(demand.reference_rate for demand in known)
        return int(np.argmax(lost <= allowed)) + 1
