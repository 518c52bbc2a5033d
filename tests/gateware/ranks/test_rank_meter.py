# SPDX-License-Identifier: BSD-2-Clause
"""Sizes and rounds of the rank meter; its counts are compared with the C++ in tests/cosim."""

from itertools import pairwise

import pytest
from litemrc_gateware.counters.working_pages import WorkingPages
from litemrc_gateware.ranks.counters import TAPS, RankCounters, next_state, shift_bits
from litemrc_gateware.ranks.meter import RankMeter
from litemrc_gateware.stacks.bucket.bucket_stack import BucketStack
from litemrc_gateware.stacks.group.group_stack import GroupStack
from migen import run_simulation

SIZES = {"pages": 256, "groups": 16, "contexts": 2}


def test_an_engine_that_reports_no_moves_is_refused():
    for engine in (BucketStack(256, 16, 2), GroupStack(256, 16, 2)):
        with pytest.raises(ValueError, match=f"{type(engine).__name__} does not report the moves"):
            RankMeter(engine, **SIZES, domains=4)


@pytest.mark.parametrize("domains", [0, 3, 32])
def test_domains_that_are_no_power_of_two_up_to_16_are_refused(domains):
    with pytest.raises(ValueError, match=rf"domains must be a power of two.*\(got {domains}\)"):
        WorkingPages(**SIZES, domains=domains)


def test_counters_shorter_than_a_round_are_refused():
    with pytest.raises(ValueError, match="counters of at least 8 bits"):
        RankCounters(16, counter_bits=7)


@pytest.mark.parametrize("domains", [1, 2, 16])
def test_a_round_has_15_clocks_a_domain(domains):
    counters, boundaries = RankCounters(domains), []

    def run():
        for clock in range(50 * domains):
            if (yield counters.boundary):
                boundaries.append(clock)
            yield

    run_simulation(counters, run())
    assert boundaries[0] == 15 * domains - 1
    assert {later - first for first, later in pairwise(boundaries)} == {15 * domains}


@pytest.mark.parametrize("bits", TAPS)
def test_each_number_of_events_has_a_state_of_its_own(bits):
    states = [0]
    while len(states) < 2**bits - 1:
        states.append(next_state(states[-1], bits))
    assert states[1] == 1
    assert len(set(states)) == len(states) and max(states) < 2**bits


@pytest.mark.parametrize(("most", "bits"), [(15, 5), (30, 5), (60, 6), (120, 7), (240, 8)])
def test_a_round_fits_its_registers(most, bits):
    assert shift_bits(most) == bits  # 2^bits - 1 states, and 0 to `most` events
