# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc govern` and `rightsize` on Linux in qemu: real reclaim to zram and a real tail of refaults.

Workers of guest.c loop over pages in the cgroups /app and /batch, and order from the monitor in software the
hits and misses that gateware would count. Its administrator limited /app to 3,000 pages and protects 10.
"""

import json
import subprocess
import time

import pytest
from litemrc.device.contexts import follow, follow_cgroup, get_budget, set_budget
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.fault_cost import measure_fault_cost
from litemrc.device.governed import lease_cycles, take_lease

from tests.linux.daemon.conftest import LITEMRC, loop_over
from tests.timeouts import Deadline, scaled_timeout

GROUP_PAGES = 256  # 16,384 frames in 64 groups
BEFORE = (3000, 10)


def budget_of_app(device):
    context = follow_cgroup(device, "/app").context
    budget = get_budget(device, context)
    follow(device, context, 0)
    return budget


def test_another_cgroup_is_refused_and_the_lease_restores_what_was_before(device):
    with pytest.raises(RequestRefusedError, match="bad_argument: the cgroup is not listed"):
        follow_cgroup(device, "/other")
    context = follow_cgroup(device, "/app").context
    before = get_budget(device, context)
    assert (before.allowed, before.guaranteed) == BEFORE
    take_lease(device, lease_cycles(device, scaled_timeout(2)))
    during = set_budget(device, context, 512)
    assert (during.allowed, during.guaranteed) == (512, 512)
    deadline = Deadline(20)
    while (now := get_budget(device, context)).allowed == 512:
        assert not deadline.passed
        time.sleep(0.1)
    assert (now.allowed, now.guaranteed) == BEFORE
    follow(device, context, 0)


def test_the_cost_of_a_fault_is_measured_in_zram(device):
    cost = measure_fault_cost(device, scaled_timeout(60))
    assert cost.blocks >= 8 and cost.faults >= 32 * cost.blocks
    assert 1_000 < cost.low <= cost.median <= cost.high < 100_000_000, "a us to 100 ms"


def test_a_budget_shrinks_while_its_program_is_small_and_grows_with_it(port, tmp_path):
    """The worker loops over 200 pages beside one over 1,000, which needs four of the five groups.

    Once its budget is one group, they change places.
    """
    log = tmp_path / "log.jsonl"
    command = [*LITEMRC, "govern", "--port", port, "--timeout", "30", "--lease", "20", "--log", str(log)]
    command += ["--cgroup", "/app", "--cgroup", "/batch", "--memory", str(5 * GROUP_PAGES)]
    command += ["--minimum", str(GROUP_PAGES), "--step", str(2 * GROUP_PAGES), "--epoch-length", "2000"]
    with Device(port, timeout_s=scaled_timeout(30)) as device:
        loop_over(device, 1000)
        loop_over(device, 1)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        decided, deadline = [], Deadline(60)
        while not (decided and min(decided) == GROUP_PAGES and decided[-1] >= 4 * GROUP_PAGES):
            assert not deadline.passed and process.poll() is None, decided
            time.sleep(0.2)
            lines = log.read_text().splitlines() if log.exists() else []
            each = [each for line in lines for each in json.loads(line)["contexts"].values()]
            decided = [reason["after"] for reason in each if reason["cgroup"] == "/app"]
        process.send_signal(2)
        _, said = process.communicate(timeout=scaled_timeout(30))
    finally:
        process.kill()
    assert process.returncode == 130 and "the lease is ended" in said
    assert max(decided) <= 5 * GROUP_PAGES
    with Device(port, timeout_s=scaled_timeout(30)) as device:
        budget = budget_of_app(device)
    assert (budget.allowed, budget.guaranteed) == BEFORE


def test_rightsize_finds_the_memory_of_the_loop(port):
    """Any group less than the 1,000 pages of the loop makes it fault at each page."""
    with Device(port, timeout_s=scaled_timeout(30)) as device:
        device.request("set_epoch", unit="accesses", length=2000)
        loop_over(device, 1000)
    command = [*LITEMRC, "rightsize", "/app", "--port", port, "--timeout", "30", "--epoch-unit", "accesses"]
    done = subprocess.run(
        [*command, "--window", "3", "--warm-up", "1", "--json"],
        capture_output=True,
        text=True,
        timeout=scaled_timeout(90),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["budget_pages"] == 4 * GROUP_PAGES
    assert found["slowdown"] == found["refaults"] == 0
    assert found["measured"]["faults"] > 100
