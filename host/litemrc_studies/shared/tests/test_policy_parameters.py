# SPDX-License-Identifier: BSD-2-Clause
"""Parameters of the policies: what holds without them, their ranges, and the schemes by name."""

import math

import pytest
from litemrc.errors import UserError
from litemrc.policies.allocation.decision import GovernorParameters
from litemrc.policies.allocation.governor import Decision, Governor
from litemrc_studies.glass1997.policies import MOST, POLICIES, Seq, check_memory_size
from litemrc_studies.jantz2013.policies.placement import PlacementParameters
from litemrc_studies.reference_counters.policies import FixedCounters, SelfTuned
from litemrc_studies.zhou2004.policies import MOST_NS, SCHEMES, Oracle, Predictive, Thresholds


def test_seq_has_the_parameters_of_its_paper():
    """Glass and Cao 1997, section 4.1: L = 20, M = 20, N = 5, 200 sequences."""
    assert Seq() == Seq(length=20, distance=20, recent=5, limit=200)
    assert list(POLICIES) == ["lru", "clock", "opt", "seq", "seq-adaptive"]


@pytest.mark.parametrize("parameter", ["length", "distance", "recent", "limit"])
def test_seqs_parameters_are_1_to_2_to_the_20(parameter):
    assert MOST == 1 << 20
    for value in (1, MOST):
        assert getattr(Seq(**{parameter: value}), parameter) == value
    for value in (0, MOST + 1):
        with pytest.raises(UserError, match=f"SEQ's {parameter} cannot be {value}"):
            Seq(**{parameter: value})


def test_a_memory_has_a_page():
    check_memory_size(1)
    for pages in (0, -1):
        with pytest.raises(UserError, match=f"at least 1 page .got {pages}."):
            check_memory_size(pages)


def test_a_governor_moves_groups_of_16_pages_for_a_gain_of_1_percent():
    assert GovernorParameters(64) == GovernorParameters(
        64, delta_pages=16, minimum_pages=128, half_life=65_536, gain=0.01, step_pages=None, epsilon=0.01
    )
    GovernorParameters(1, delta_pages=1, minimum_pages=0, half_life=1, gain=0, step_pages=1, epsilon=0)


LEAST = {"memory_pages": 1, "delta_pages": 1, "half_life": 1, "step_pages": 1, "gain": 0, "epsilon": 0}


@pytest.mark.parametrize(("parameter", "least"), [*LEAST.items(), ("minimum_pages", 0)])
def test_a_governors_parameters_are_finite_and_not_too_small(parameter, least):
    for value in (least - 1, -math.inf, math.inf, math.nan):
        with pytest.raises(UserError, match=f"{parameter} of the governor cannot be {value}"):
            GovernorParameters(**{"memory_pages": 64, "delta_pages": 1, parameter: value})


def test_a_placement_moves_65536_pages_at_most_if_the_saving_pays_in_10_s():
    assert PlacementParameters() == PlacementParameters(
        epsilon=0.001, budget_pages=65_536, reserve_pages=0, page_nj=3000.0, saved_mw=250.0, horizon_s=10.0
    )
    PlacementParameters(epsilon=0, budget_pages=1, page_nj=0, saved_mw=0.1, horizon_s=0.1)


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [
        *(("epsilon", -0.1), ("budget_pages", 0), ("reserve_pages", -1)),
        *(("page_nj", -0.1), ("saved_mw", 0), ("horizon_s", 0)),
    ],
)
def test_a_placements_parameters_are_finite_and_not_too_small(parameter, wrong):
    for value in (wrong, -math.inf, math.inf, math.nan):
        with pytest.raises(UserError, match=f"{parameter} of the placement cannot be {value}"):
            PlacementParameters(**{parameter: value})


def test_sleep_schemes_are_those_of_section_5_and_ours():
    """Zhou et al. 2004: chips that descend are in standby at once and in nap after 100 ns or as tuned."""
    never, nap, dynamic, tuned = (None,) * 3, (None, 0, None), (0, 100, None), (0, 0, None)
    assert list(SCHEMES.values()) == [
        Thresholds("always-on", never, working_set=False, tuned=False, base="always-on"),
        Thresholds("static-nap", nap, base="always-on"),
        Thresholds("dynamic-nap", dynamic, base="static-nap"),
        Thresholds("dynamic-tuned", tuned, tuned=True, base="dynamic-nap"),
        Thresholds("mrc-static", nap, working_set=True, base="static-nap"),
        Thresholds("mrc-dynamic-nap", dynamic, working_set=True, base="dynamic-nap"),
        Thresholds("mrc-dynamic-tuned", tuned, working_set=True, tuned=True, base="dynamic-tuned"),
        Predictive(),
        Oracle(),
    ]
    assert [name for name, scheme in SCHEMES.items() if scheme.monitored] == [
        "mrc-static", "mrc-dynamic-nap", "mrc-dynamic-tuned", "mrc-predictive",
    ]  # fmt: skip


def test_the_predictive_scheme_is_that_of_the_documentation():
    """chip_energy.md: awake until 15 ns after the latest time; a delay costs 2/3 of all chips in nap."""
    assert Predictive() == Predictive(tolerance_ns=10, hold_ns=15, price=2 / 3)


def test_thresholds_rise_with_depth_and_end_at_1000_s():
    assert MOST_NS == 10**12
    assert Thresholds("a", (0, 0, MOST_NS)).after_ns == (0, 0, 10**12)
    for after, given in (((5, 4, None), "5, 4"), ((None, -1, None), "-1"), ((0, 1, MOST_NS + 1), "1001")):
        with pytest.raises(UserError, match=given.replace("1001", str(10**12 + 1))):
            Thresholds("a", after)
    tuned = SCHEMES["mrc-dynamic-tuned"].with_thresholds(7, 9)
    assert tuned == Thresholds("mrc-dynamic-tuned", (0, 7, 9), True, False, "dynamic-tuned")


def test_update_is_off_unless_it_is_given():
    assert FixedCounters(64) == FixedCounters(64, 0)


def test_self_tuned_values_fit_the_hardwares_12_bits():
    policy = SelfTuned(remote_read=2, local_access=1, update=1, page_fault=10**6, replication=10**6)
    assert (policy.least, policy.first_update) == (4095, 4095)
    assert policy.retry == 32 * (10**6 + 2) // 2
    poor = SelfTuned(remote_read=10, local_access=1, update=9, page_fault=1, replication=1)
    assert (poor.least, poor.first_update, poor.first_delay(0)) == (1, 1, 1)


def test_regret_is_counted_in_whole_cycles_as_in_the_core():
    """34 reads are 17 beyond `least`: half of 17 x 95 cycles is 807.5."""
    policy = SelfTuned(remote_read=100, local_access=5, update=10, page_fault=500, replication=1524)
    policy.first_delay(0)
    policy._nodes[0].delay = 2 * policy.least
    assert policy.on_delay((7, 0), 34, 0, None) == (True, policy.first_update, 1)
    assert policy._nodes[0].regret == -807


def test_without_contexts_a_governor_decides_nothing():
    assert Governor(GovernorParameters(64)).decide({}, 1000) == Decision({}, False, {}, 0.0, 1)
