# SPDX-License-Identifier: BSD-2-Clause
"""Budgets of cgroups that the administrator listed: guarantee and limit, leased, within the hierarchy."""

import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from litemrc.device.errors import RequestRefusedError
from litemrc.device.governed import end_lease, lease_cycles, take_lease

from tests.firmware.daemon.fake_driver import CONTEXTS
from tests.firmware.daemon.serving import CONFIG, Daemon, make_group, next_log
from tests.timeouts import scaled_timeout, wait_until

NO_BUDGET = 2**32 - 1
PAGE = 4096
AHEAD = 64  # pages that Linux charges before they are used: MEMCG_CHARGE_BATCH of its memcontrol.h
LISTED = "[govern] = /app/web\n[govern] = /app\n\t[govern]  =  /jobs \n"


@pytest.fixture
def groups(folder: Path) -> Path:
    """A tree of cgroups."""
    root = folder / "cgroups"
    for path in ("app", "app/web", "jobs", "other"):
        make_group(root / path, current=str(40 * PAGE))
    return root


@pytest.fixture
def governed(start_daemon: Callable[..., Daemon], groups: Path) -> Daemon:
    return start_daemon(f"--cgroups={groups}", config=CONFIG + LISTED)


def texts(group: Path) -> tuple[str, str]:
    return (group / "memory.high").read_text(), (group / "memory.low").read_text()


def bytes_of(pages: int) -> str:
    return f"{pages * PAGE}\n"


def budget(pages: int) -> tuple[str, str]:
    """memory.high and memory.low."""
    return bytes_of(pages + AHEAD), bytes_of(pages)


def test_a_listed_cgroup_is_followed_in_a_free_context_once(governed, driver):
    with governed.host() as device:
        answer = device.request("follow_cgroup", context=0, path="/app/web")
        assert (answer.values, driver.read("contexts/1/cgroup")) == ([2, 0, 1], "/app/web")
        wait_until(lambda: driver.read("contexts/1/comm") == "web")
        assert device.request("follow_cgroup", context=0, path="/app/web").values == [2, 0, 1]
        assert device.request("follow_cgroup", context=0, path="/jobs").values[2] == 2
        assert device.request("follow_cgroup", context=3, path="/app").values[2] == 3
        assert CONTEXTS == 4
        device.request("follow", context=2, pid=0)
        wait_until(lambda: driver.read("contexts/2/state") == "free")
        assert device.request("follow_cgroup", context=0, path="/jobs").values[2] == 2


@pytest.mark.parametrize(
    "path", ["/other", "/app/web/", "/app/web/below", "/app/../app/web", "app/web", "/app\0"]
)
def test_what_is_not_listed_is_refused(governed, driver, path):
    why = "would refuse .* path: a text" if "\0" in path else "bad_argument: the cgroup is not listed"
    with (
        governed.host() as device,
        pytest.raises(RequestRefusedError, match=why),
    ):
        device.request("follow_cgroup", context=1, path=path)
    assert not [order for order in driver.orders() if order[0].endswith("cgroup")]


def test_no_free_context_and_no_such_context_are_refused(governed, driver):
    with governed.host() as device:
        for context in (1, 2, 3):
            driver.follow(context, "following", 1, "init")
        with pytest.raises(RequestRefusedError, match="busy: no context is free"):
            device.request("follow_cgroup", context=0, path="/jobs")
        with pytest.raises(RequestRefusedError, match="bad_argument: there is no such context"):
            device.request("follow_cgroup", context=CONTEXTS, path="/jobs")
        driver.follow(2, "ended", 1, "init")
        assert device.request("follow_cgroup", context=0, path="/jobs").values[2] == 2
        driver.fail("contexts/2/cgroup", errno.ENOENT)
        with pytest.raises(RequestRefusedError, match="bad_argument: the cgroup is gone"):
            device.request("follow_cgroup", context=2, path="/app")


def test_a_budget_is_guarantee_and_limit_and_the_lease_restores_both(governed, groups):
    """What was there before the lease is restored, not merely `max` and 0."""
    (groups / "jobs/memory.high").write_text(bytes_of(900))
    (groups / "jobs/memory.low").write_text(bytes_of(30))
    if os.geteuid() == 0:
        assert not (groups / "jobs/memory.high").stat().st_mode & stat.S_IWOTH, "opened as root"
    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/jobs")
        take_lease(device, lease_cycles(device, scaled_timeout(1)))
        assert device.request("get_budget", context=1).values == [900, 40, 30, NO_BUDGET, NO_BUDGET]
        assert device.request("set_budget", context=1, pages=300).values[:3] == [300, 40, 300]
        assert device.request("set_budget", context=1, pages=200).values[:3] == [200, 40, 200]
        assert texts(groups / "jobs") == budget(200)
        device.request("follow", context=1, pid=0)  # the lease knows the cgroup, not the context
        assert next_log(device) == "the lease ended: memory.high and memory.low are as before it"
    assert texts(groups / "jobs") == (bytes_of(900), bytes_of(30))


def test_the_end_of_the_daemon_ends_the_lease(governed, groups):
    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/jobs")
        take_lease(device, lease_cycles(device, 60))
        device.request("set_budget", context=1, pages=300)
        assert texts(groups / "jobs") == budget(300)
        governed.end()
    assert texts(groups / "jobs") == ("max\n", "0\n")


def test_without_a_lease_a_listed_cgroup_gets_no_budget(governed, groups):
    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/jobs")
        with pytest.raises(RequestRefusedError, match="busy: the budget of a listed cgroup needs a lease"):
            device.request("set_budget", context=1, pages=300)
        with pytest.raises(RequestRefusedError, match="busy: the context has neither a program"):
            device.request("set_budget", context=2, pages=300)
    assert texts(groups / "jobs") == ("max\n", "0\n")


def test_a_file_that_refuses_leaves_both_as_they_were(governed, groups):
    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/jobs")
        take_lease(device, lease_cycles(device, 60))
        device.request("set_budget", context=1, pages=300)
        (groups / "jobs/memory.low.error").write_text(str(errno.EINVAL))
        with pytest.raises(RequestRefusedError, match="bad_argument"):
            device.request("set_budget", context=1, pages=200)
        assert texts(groups / "jobs") == budget(300)
        (groups / "jobs/memory.low.error").write_text(str(errno.ENODEV))
        with pytest.raises(RequestRefusedError, match="busy: the cgroup is gone"):
            device.request("set_budget", context=1, pages=200)
        (groups / "jobs/memory.low.error").unlink()
        end_lease(device)


def test_a_budget_that_shrinks_delays_no_other(governed, groups, driver):
    """The kernel reclaims while memory.high is written: 300 pages, 32 at a time.

    From 400 pages in use to 100, and 64 ahead, it is written 8 times: 368, 336, ... 176, 164.
    """
    (groups / "jobs/memory.current").write_text(bytes_of(400))
    (groups / "jobs/memory.high.slow").write_text("50")
    limits = [400 - 32 * step for step in range(1, 8)] + [100 + AHEAD]

    def written(path: str) -> list[str]:
        return [text for name, _, text in driver.orders() if name.endswith(f"{path}/memory.high")]

    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/jobs")
        device.request("follow_cgroup", context=2, path="/app/web")
        take_lease(device, lease_cycles(device, 60))
        assert device.request("set_budget", context=1, pages=100).values[:3] == [100, 400, 100]
        assert device.request("set_budget", context=2, pages=500).values[0] == 500
        assert texts(groups / "app/web") == budget(500)
        assert len(written("jobs")) < len(limits)
        assert device.request("get_budget", context=1).values[:3] == [100, 400, 100]
        wait_until(lambda: texts(groups / "jobs") == budget(100))
        assert written("jobs") == [bytes_of(pages).strip() for pages in limits]
        end_lease(device)


@pytest.mark.parametrize("ends", ["set_budget", "end_lease"])
def test_a_budget_that_shrinks_stops_at_another_order(governed, groups, ends):
    (groups / "jobs/memory.current").write_text(bytes_of(400))
    (groups / "jobs/memory.high.slow").write_text("50")
    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/jobs")
        take_lease(device, lease_cycles(device, 60))
        device.request("set_budget", context=1, pages=100)
        if ends == "set_budget":
            device.request("set_budget", context=1, pages=390)
        else:
            end_lease(device)
        expected = budget(390) if ends == "set_budget" else ("max\n", "0\n")
        assert texts(groups / "jobs") == expected
        (groups / "jobs/memory.high.slow").write_text("0")
        for _ in range(10):  # each makes the daemon's loop go on
            assert device.request("get_budget", context=1).values[1] == 400
        assert texts(groups / "jobs") == expected


@pytest.mark.parametrize(
    ("where", "file"), [("app/web", "memory.max"), ("app", "memory.max"), ("app", "memory.high")]
)
def test_a_budget_above_what_the_hierarchy_allows_is_refused(governed, groups, where, file):
    (groups / where / file).write_text(bytes_of(500))
    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/app/web")
        take_lease(device, lease_cycles(device, 60))
        assert device.request("get_budget", context=1).values[4] == 500
        device.request("set_budget", context=1, pages=500)
        with pytest.raises(
            RequestRefusedError, match=r"bad_argument: above memory\.max, or memory\.high of a"
        ):
            device.request("set_budget", context=1, pages=501)
        assert texts(groups / "app/web") == budget(500)
        end_lease(device)


def test_the_guarantee_above_is_reported(governed, groups):
    """The kernel protects a cgroup no more than those above it: here not at all, then up to 100 pages."""
    with governed.host() as device:
        device.request("follow_cgroup", context=1, path="/app/web")
        assert device.request("get_budget", context=1).values == [NO_BUDGET, 40, 0, 0, NO_BUDGET]
        (groups / "app/memory.low").write_text(bytes_of(100))
        assert device.request("get_budget", context=1).values[3] == 100


@pytest.mark.parametrize(("first", "second"), [("/app", "/app/web"), ("/app/web", "/app")])
def test_of_two_cgroups_one_in_the_other_one_has_a_budget(governed, groups, first, second):
    with governed.host() as device:
        for context, path in enumerate((first, second), 1):
            device.request("follow_cgroup", context=context, path=path)
        take_lease(device, lease_cycles(device, 60))
        device.request("set_budget", context=1, pages=300)
        with pytest.raises(RequestRefusedError, match="busy: a cgroup above or below it has a budget"):
            device.request("set_budget", context=2, pages=200)
        end_lease(device)
        take_lease(device, lease_cycles(device, 60))
        device.request("set_budget", context=2, pages=200)
        end_lease(device)
    assert texts(groups / "app") == texts(groups / "app/web") == ("max\n", "0\n")


def test_the_cost_of_a_fault_needs_a_kernel_that_evicts(daemon, driver):
    """The stand-in's cgroup limits nothing, so the child sees no fault; its cgroup is gone afterwards."""
    with daemon.host() as device:
        with pytest.raises(RequestRefusedError, match="bad_argument: nothing was measured"):
            device.request("get_fault_cost")
        device.request("measure_fault_cost")
        refused = set()

        def ended() -> bool:
            with pytest.raises(RequestRefusedError) as error:
                device.request("get_fault_cost")
            refused.add(error.value.code)
            return error.value.code == "unsupported"

        wait_until(ended)
        assert refused <= {"busy", "unsupported"}
        assert not (driver.cgroup / ".cost").exists()
    orders = [(path, text) for path, _, text in driver.orders() if "/.cost/" in path]
    assert orders[0] == ("cgroup/.cost/memory.high", str(256 * os.sysconf("SC_PAGESIZE")))
    assert orders[1][0] == "cgroup/.cost/cgroup.procs" and orders[1][1] != str(daemon.process.pid)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("[govern] = /nowhere", "no cgroup .*/nowhere: No such file"),
        ("[govern] = jobs", "begins with /"),
        ("[govern] = /", "not the root itself"),
        ("[govern] = /jobs/", "empty, . or .."),
        ("[govern] = /app/../jobs", "empty, . or .."),
        ("[govern] /jobs", "no = after"),
        (f"[govern] = /{'x' * 120}", "longer than 120"),
        ("[govern] = /my jobs", "without blanks"),
        ("[govern] = /jobs\n[govern] = /jobs", ":2: a line above lists this cgroup"),
        ("\n".join(f"[govern] = /a{i}" for i in range(17)), ":17: there are more than 16 cgroups"),
    ],
)
def test_a_wrong_line_ends_the_start(refused, groups: Path, line, what):
    said = refused("--tty=/dev/ptmx", f"--cgroups={groups}", config=f"{line}\n")
    assert re.search(what, said), said
    assert len(said.splitlines()) == 2, "what is wrong, and what to do"


def test_a_cgroup_without_the_memory_controller_ends_the_start(refused, groups):
    (groups / "jobs/memory.high").unlink()
    said = refused("--tty=/dev/ptmx", f"--cgroups={groups}", config="[govern] = /jobs\n")
    assert "[govern] /jobs: no memory controller" in said
