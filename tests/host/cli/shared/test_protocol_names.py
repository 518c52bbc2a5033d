# SPDX-License-Identifier: BSD-2-Clause
"""The names that parsers know are those of the protocol's schema."""

from litemrc.cli.shared import arguments as names
from litemrc.device import rank_commands, ref_counters
from litemrc.device.link.protocol import host_requests


def test_the_units_of_an_epoch_are_those_of_the_protocol():
    assert tuple(host_requests().field("set_epoch", "unit").choices) == names.EPOCH_UNITS


def test_rank_policies_and_power_states_are_those_of_the_protocol():
    assert tuple(host_requests().field("set_rank_policy", "policy").choices) == names.RANK_POLICIES
    assert tuple(rank_commands.power_states()) == names.POWER_STATES


def test_counters_and_masters_are_those_of_the_protocol():
    assert tuple(host_requests().field("set_count", "counter").choices) == names.PAGE_COUNTERS
    assert ref_counters.masters() == names.BUS_MASTERS
