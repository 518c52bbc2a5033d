"""Budgets of a cgroup on Linux in qemu: its administrator limited /app to 3,000 pages and protects 10."""

import time

import pytest
from litemrc.device.contexts import follow, follow_cgroup, get_budget, set_budget
from litemrc.device.errors import RequestRefusedError
from litemrc.device.fault_cost import measure_fault_cost
from litemrc.device.lease import lease_cycles, take_lease
from patience import Deadline, patience

BEFORE = (3000, 10)


def test_another_cgroup_is_refused_and_the_lease_restores_what_was_before(device):
    with pytest.raises(RequestRefusedError, match="bad_argument: the cgroup is not listed"):
        follow_cgroup(device, "/other")
    context = follow_cgroup(device, "/app").context
    before = get_budget(device, context)
    assert (before.allowed, before.guaranteed) == BEFORE
    take_lease(device, lease_cycles(device, patience(2)))
    during = set_budget(device, context, 512)
    assert (during.allowed, during.guaranteed) == (512, 512)
    deadline = Deadline(20)
    while (now := get_budget(device, context)).allowed == 512:
        assert not deadline.passed
        time.sleep(0.1)
    assert (now.allowed, now.guaranteed) == BEFORE
    follow(device, context, 0)


def test_the_cost_of_a_fault_is_measured_in_zram(device):
    cost = measure_fault_cost(device, patience(60))
    assert cost.blocks >= 8 and cost.faults >= 32 * cost.blocks
    assert 1_000 < cost.low <= cost.median <= cost.high < 100_000_000, "a us to 100 ms"
