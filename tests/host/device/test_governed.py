# SPDX-License-Identifier: BSD-2-Clause
"""A governed device is sent what changed, under a lease, and nothing in a dry run."""

import pytest
from litemrc.device.errors import RequestRefusedError
from litemrc.device.governed import GovernedDevice
from litemrc.device.rank_commands import power_state_number

from tests.host.scripted_device import ScriptedLink, ack, nak

LEASE = ("set_lease", {"cycles": 5000})
KEPT = {"static_state": "power_down", "threshold_self_refresh": 9}  # of the device's own policy


def budget(context, pages):
    return ("set_budget", {"context": context, "pages": pages})


@pytest.fixture
def link():
    """A device with ranks that reach self-refresh, and whose power-down threshold is 0 cycles."""
    states = sum(1 << power_state_number(name) for name in ("awake", "power_down", "self_refresh"))
    return ScriptedLink(
        set_budget=lambda context, pages: ack(pages, 0),
        get_dram=lambda: ack(2, 0, states, 1, 4, 0, payload=b"part"),
        get_rank_policy=lambda: ack(0, 2, 3, 1, 0, 9),
        set_rank_policy=lambda **_: ack(3, 2, 3, 2, 100, 9),
        set_working_set=lambda automatic, groups, epsilon: ack(automatic, groups, epsilon),
    )


@pytest.fixture
def governed(device):
    """governed(**options) -> GovernedDevice; memory only, unless it is told otherwise."""
    return lambda **options: GovernedDevice(device, 5000, **{"energy": False, "dry_run": False} | options)


def test_only_budgets_that_changed_are_sent(link, governed):
    there = governed()
    assert there.obey({1: 10, 2: 20}, 3)
    assert not there.obey({1: 10, 2: 20}, 4), "the working set is not governed"
    assert there.obey({2: 30, 1: 10}, 4)
    assert there.budgets == {1: 10, 2: 30} and there.groups == 4
    there.prolong()
    there.release()
    end = ("set_lease", {"cycles": 0})
    assert link.sent == [LEASE, budget(1, 10), budget(2, 20), budget(2, 30), LEASE, end]


def test_a_working_set_that_changed_is_sent(link, governed):
    there = governed(energy=True)
    del link.sent[:]
    assert there.obey({}, 3) and not there.obey({}, 3) and there.obey({}, 2)
    assert link.sent == [
        ("set_working_set", {"automatic": False, "groups": groups, "epsilon": 0}) for groups in (3, 2)
    ]
    assert there.obey({1: 5}, 2)


@pytest.mark.parametrize(
    ("deepest", "threshold", "state", "expected"),
    [("self_refresh", 0, "self_refresh", 100), ("power_down", 70, "power_down", 70)],
)
def test_ranks_without_working_set_sleep_in_the_deepest_state_that_keeps_data(
    link, governed, deepest, threshold, state, expected
):
    states = sum(1 << n for n in range(power_state_number(deepest) + 1)) | 1 << 4  # partial loses data
    link.answers["get_dram"] = lambda: ack(2, 0, states, 1, 4, 0)
    link.answers["get_rank_policy"] = lambda: ack(0, 2, 3, 1, threshold, 9)
    governed(energy=True)
    policy = {"policy": "mrc", "mrc_state": state, "mrc_base": "dynamic", "threshold_power_down": expected}
    assert [name for name, _ in link.sent] == ["get_dram", "set_lease", "get_rank_policy", "set_rank_policy"]
    assert link.sent[-1] == ("set_rank_policy", KEPT | policy)


def test_a_dry_run_sends_nothing(link, governed):
    there = governed(dry_run=True, energy=True)
    assert there.obey({1: 10}, 3) and there.obey({1: 10}, 4) and there.obey({1: 11}, 4)
    assert not there.obey({1: 11}, 4)
    there.prolong()
    there.release()
    assert link.sent == [("get_dram", {})], "whether it has ranks"


def test_the_budget_of_a_program_that_has_ended_is_forgotten(link, governed):
    there = governed()
    link.answers["set_budget"] = lambda context, pages: nak("busy") if context == 2 else ack(pages, 0)
    assert there.obey({1: 10, 2: 20}, 3)
    assert there.budgets == {1: 10}
    link.answers["set_budget"] = lambda context, pages: nak("bad_argument")
    with pytest.raises(RequestRefusedError, match="bad_argument"):
        there.obey({1: 11}, 3)


def test_a_program_that_begins_has_no_budget_and_neither_have_those_behind_it(link, governed):
    there = governed()
    there.obey({1: 10, 3: 30, 4: 40}, 3)
    there.forget_budget(3)
    assert there.budgets == {1: 10}


def test_memory_is_divided_where_a_context_has_a_budget(link, governed):
    there = governed()
    link.answers["get_budget"] = lambda context: ack(5, 1) if context == 1 else nak("busy")
    assert there.has_budget(1) and not there.has_budget(2)
