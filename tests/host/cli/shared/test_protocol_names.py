# SPDX-License-Identifier: BSD-2-Clause
"""The names that parsers know are those of the protocol's schema."""

from litemrc.cli.shared import arguments as names
from litemrc.device import rank_commands, ref_counters
from litemrc.device.link.protocol import host_requests


def test_the_units_of_an_epoch_are_those_of_the_protocol():
    (unit,) = (field for field in host_requests().types["set_epoch"].body if field.choices)
    assert tuple(name for name, _ in unit.choices) == names.EPOCH_UNITS


def test_rank_policies_and_power_states_are_those_of_the_protocol():
    assert tuple(rank_commands.rank_policies()) == names.RANK_POLICIES
    assert tuple(rank_commands.power_states()) == names.POWER_STATES


def test_counters_and_masters_are_those_of_the_protocol():
    assert ref_counters.page_counters() == names.PAGE_COUNTERS
    assert ref_counters.masters() == names.BUS_MASTERS
