# SPDX-License-Identifier: BSD-2-Clause
"""The golden models of machines: columns that belong together have one length; curves and costs by hand."""

from collections.abc import Callable

import pytest
from litemrc.golden.allocation import Gains, steepest_gradient, total_gain
from litemrc.golden.ranks.working_pages import WorkingPages
from litemrc.policies.allocation.demand import Demand
from litemrc.policies.allocation.division import cheapest
from litemrc_studies.zhou2004.golden.aged_curve import AgedCurve
from litemrc_studies.zhou2004.golden.chip_energy import ChipPower, run_chips, run_oracle
from litemrc_studies.zhou2004.golden.chip_prediction import LONGEST_NS, IdleCosts, run_predictive

POWER = ChipPower(60_000_000, (0, 6_000_000, 60_000_000, 6_000_000_000), (3, 2, 1, 0), (0, 3, 3, 3))
PREDICTED = {"price_uw": 1, "tolerance_fs": 1, "hold_fs": 1}


@pytest.mark.parametrize(
    "call",
    [
        lambda: run_chips([0, 0], [1], [0], 1, POWER, [0, None, None, None]),
        lambda: run_oracle([0], [1, 1], [0], 1, POWER),
        lambda: run_predictive([0], [1, 1], [False], [0], 1, POWER, **PREDICTED),
        lambda: IdleCosts(ChipPower(1, (0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0)), 1),
        lambda: AgedCurve(2, 0.5).add([1.0, 1.0], 1),
        lambda: Gains.of_curve([1, 2], [1.0], delta_pages=1, minimum=0, free=9),
        lambda: Gains([1, 2], [1.0]).at(1),
        lambda: Gains([1], [1.0, 2.0]).points,
        lambda: total_gain([Gains([1], [1.0])], [1, 1]),
        lambda: WorkingPages(4, 4, 2, 1).end_epoch([[1]], [1, 1], 0),
        lambda: cheapest([Demand("a", [1], [0.5], 9)], [2, 2], 1),
    ],
)
def test_columns_of_different_lengths_are_refused(call: Callable) -> None:
    with pytest.raises(ValueError, match=r"zip\(\)"):
        call()


def test_counts_below_a_1024th_are_forgotten() -> None:
    curve = AgedCurve(1, 0.5)
    curve.add([1.0, 0.0], 1)
    for epoch in range(2, 12):
        curve.add([0.0, 0.0], epoch)
    assert curve.miss_ratios == [0.0], "2^-10 is left"
    curve.add([0.0, 0.0], 12)
    assert curve.miss_ratios == [1.0], "nothing is left"


def test_a_convex_curve_falls_in_equal_parts_to_the_end_of_a_step() -> None:
    step, convex = AgedCurve(3, 1.0), AgedCurve(3, 1.0)
    step.add([0.0, 0.0, 9.0, 1.0], 1)
    convex.add([4.0, 2.0, 1.0, 1.0], 1)
    assert step.miss_ratios == [1.0, 1.0, 0.1]
    assert step.convex_miss_ratios == pytest.approx([1 - 0.9 / 3, 1 - 2 * 0.9 / 3, 0.1])
    assert convex.convex_miss_ratios == convex.miss_ratios == [0.5, 0.25, 0.125]


def test_idle_times_are_counted_up_to_2_to_the_32_ns() -> None:
    """Longer ones cost as much as 2^32 ns, shorter ones less: powerdown saves 1 microwatt against nap."""
    costs = [IdleCosts(POWER, 1) for _ in range(3)]
    for each, idle_ns in zip(costs, (2**32, 2**33, 2**32 - 100), strict=True):
        each.learn(idle_ns * 10**6)
    assert LONGEST_NS == 2**32
    assert costs[0].deep == costs[1].deep != costs[2].deep


def test_gains_come_in_order_of_priority_and_end_where_nothing_is_gained() -> None:
    equal = [Gains([1], [1.0]), Gains([1, 2], [1.0, 2.0], priority=2.0), Gains([], [])]
    assert steepest_gradient(equal, 2) == [0, 2, 0]
    assert steepest_gradient(equal, 9) == [1, 2, 0]
    assert Gains([1], [1.0]) == Gains([1], [1.0], 1.0)
