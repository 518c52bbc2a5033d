# SPDX-License-Identifier: BSD-2-Clause
"""Programs started by a host: followed from their first instruction until their last epoch is sent."""

import errno
import os
import signal
import time
from pathlib import Path

import pytest
from litemrc.device.collecting.collector import Collector, Run
from litemrc.device.errors import RequestRefusedError
from litemrc.device.governed import end_lease, lease_cycles, take_lease

from tests.firmware.daemon.fake_driver import CLOCK_HZ, STATES, is_alive
from tests.firmware.daemon.serving import next_log
from tests.timeouts import Deadline, scaled_timeout, wait_until

QUICK, SLEEP, FAIL, TREE = range(4)
NO_BUDGET = 2**32 - 1
NAMES = {number: name for name, number in STATES.items()}
ROOT = [NO_BUDGET, NO_BUDGET]  # guarantee and limit of cgroups above, of which there is none


def messages_until_done(device):
    """Everything up to workload_done, itself included."""
    deadline, messages = Deadline(10), []
    while not deadline.passed:
        message = device.receive(0.1)
        if message:
            messages.append(message)
            if message.name == "event" and message.kind == "workload_done":
                return messages
    raise AssertionError(f"no program was done: {messages}")


def brief(message):
    if message.name == "event":
        return message.kind
    if message.name == "epoch":
        return ["epoch", *(f"{NAMES[row['state']]} {row['context']}" for row in followed(message))]
    return message.name


def followed(message):
    """The rows of a record whose contexts are not free."""
    return [row for row in message.record.rows if NAMES[row["state"]] != "free"]


def test_a_program_is_followed_before_it_runs_and_done_behind_its_last_epoch(daemon, driver):
    with daemon.host() as device:
        began = time.monotonic()
        device.request("run", workload=SLEEP, context=2, scale=1)
        messages = messages_until_done(device)
        longest = (time.monotonic() - began) * CLOCK_HZ
        hello = device.say_hello()

    # The record that ends with its process has accesses of the context (fake_driver.py).
    assert [brief(m) for m in messages if brief(m) != "workload_started"] == [
        ["epoch", "following 2"],
        ["epoch", "ended 2"],
        "workload_done",
    ]
    started, done = (m for m in messages if m.name == "event")
    assert messages.index(started) < 2
    assert (started.workload, started.context, started.cycles) == (SLEEP, 2, 0)
    assert (done.workload, done.context, done.epoch) == (SLEEP, 2, 2)
    assert CLOCK_HZ <= done.cycles < longest, "it slept for a second"
    assert hello.running == 0


def test_it_is_followed_as_itself_not_as_the_daemon(daemon, driver):
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=1, scale=100)
        pid = int(driver.read("contexts/1/pid"))
        wait_until(lambda: b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes())
        # Its loader opens libraries until it sleeps.
        wait_until(lambda: "State:\tS" in Path(f"/proc/{pid}/status").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        status = Path(f"/proc/{pid}/status").read_text()
        files = sorted(os.listdir(f"/proc/{pid}/fd"))
        assert device.say_hello().running == 1 << SLEEP

    assert command == [b"/bin/sleep", b"100", b""]
    assert pid != daemon.process.pid
    assert files == ["0", "1", "2"], "none of the daemon's files"
    if os.geteuid() == 0:
        assert "Uid:\t65533\t65533\t65533\t65533" in status
        assert "Gid:\t65533\t65533\t65533\t65533" in status
    assert "NoNewPrivs:\t1" in status
    assert "CapPrm:\t0000000000000000" in status
    orders = [path for path, _, text in driver.orders() if text == str(pid)]
    assert orders == ["cgroup/sleep/cgroup.procs", "sys/class/misc/litemrc0/contexts/1/pid"]


def test_several_run_at_once_each_once(daemon, driver):
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=1, scale=100)
        for busy in ({"workload": SLEEP, "context": 2}, {"workload": QUICK, "context": 1}):
            with pytest.raises(RequestRefusedError, match="busy"):
                device.request("run", scale=1, **busy)
        device.request("run", workload=TREE, context=2, scale=100)
        assert device.say_hello().running == 1 << SLEEP | 1 << TREE
        device.request("run", workload=QUICK, context=3, scale=1)
        messages_until_done(device)
        assert device.say_hello().running == 1 << SLEEP | 1 << TREE


def test_children_are_followed_in_a_cgroup_and_its_context_is_freed(daemon, driver):
    with daemon.host() as device:
        device.request("run", workload=TREE, context=3, scale=1)
        messages = messages_until_done(device)

    orders = [(path, text) for path, _, text in driver.orders() if "contexts/3" in path]
    assert orders == [
        # The stand-in moves no process, so the daemon does not find its cgroup: the path is the name.
        ("sys/class/misc/litemrc0/contexts/3/cgroup", "/tree"),
        ("sys/class/misc/litemrc0/contexts/3/pid", "0"),
    ]
    rows = [followed(m) for m in messages if m.name == "epoch"]
    assert [[(row["pid"], row["comm"]) for row in each] for each in rows] == [[(0, b"tree")], []]


def test_a_program_that_fails_is_reported(daemon, driver):
    with daemon.host() as device:
        device.request("run", workload=FAIL, context=1, scale=3)
        log = [m for m in messages_until_done(device) if m.name == "log"]

    assert [(m.level, m.line) for m in log] == [("warning", "fail ended with status 3")]


def test_a_daemon_whose_caller_ignores_sigchld_sees_programs_end(start_daemon):
    started = start_daemon(preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    with started.host() as device:
        device.request("run", workload=FAIL, context=1, scale=3)
        log = [m.line for m in messages_until_done(device) if m.name == "log"]

    assert log == ["fail ended with status 3"]


def test_its_cgroup_is_fresh_and_gone_afterwards(daemon, driver):
    with daemon.host() as device:
        for _ in range(3):
            device.request("run", workload=QUICK, context=1, scale=1)
            messages_until_done(device)
            assert not (driver.cgroup / "quick").exists()

    killed = [path for path, _, _ in driver.orders() if path == "cgroup/quick/cgroup.kill"]
    assert len(killed) == 3, "processes left behind are killed"


@pytest.mark.parametrize(
    ("error", "code"), [(errno.EBUSY, "busy"), (errno.EINVAL, "bad_argument"), (errno.ENODEV, "unsupported")]
)
def test_a_context_that_cannot_be_had_leaves_nothing_behind(daemon, driver, error, code):
    driver.fail("contexts/1/pid", error)
    with daemon.host() as device:
        with pytest.raises(RequestRefusedError) as refused:
            device.request("run", workload=SLEEP, context=1, scale=100)
        assert device.say_hello().running == 0
        driver.fail("contexts/1/pid", 0)
        assert not (driver.cgroup / "sleep").exists()
        (pid,) = {int(text) for path, _, text in driver.orders() if path.endswith("contexts/1/pid")}
        wait_until(lambda: not is_alive(pid))  # the helper that started it reaps it
        device.request("run", workload=QUICK, context=1, scale=1)
        messages_until_done(device)

    assert refused.value.code == code


def test_the_collector_runs_programs_one_after_the_other(daemon, driver):
    with daemon.host() as device:
        collector = Collector(device)
        for _ in collector.collect(runs=[Run("quick", 1), Run("fail", 2), Run("quick", 1)]):
            pass

    assert [(name, context) for name, context, _ in collector.cycles] == [
        ("quick", 1),
        ("fail", 2),
        ("quick", 1),
    ]
    table = collector.table()
    assert table.misses[table.context > 0].tolist() == [2, 3, 2], "context + 1: fake_driver.py"


def test_sigterm_ends_the_programs(daemon, driver):
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=1, scale=1000)
        device.request("run", workload=TREE, context=2, scale=1000)
        pid = int(driver.read("contexts/1/pid"))
        daemon.end()

    assert not is_alive(pid)
    assert not (driver.cgroup / "sleep").exists()
    assert not (driver.cgroup / "tree").exists()
    assert "ends: " in daemon.said()


def test_follow_and_free(daemon, driver):
    pid = os.getpid()
    with daemon.host() as device:
        answer = device.request("follow", context=2, pid=pid)
        assert answer.values == [2, pid]
        assert device.request("follow", context=2, pid=0).values == [1, 0]
        driver.fail("contexts/2/pid", errno.ESRCH)
        with pytest.raises(RequestRefusedError, match="bad_argument: there is no such process"):
            device.request("follow", context=2, pid=pid)

    assert driver.read("contexts/2/pid") == "0"


def test_the_context_of_a_program_of_ours_is_not_for_others(daemon):
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=1, scale=100)
        for pid in (0, os.getpid()):
            with pytest.raises(RequestRefusedError, match="busy"):
                device.request("follow", context=1, pid=pid)


def test_budgets_are_the_cgroups(daemon, driver):
    group = driver.cgroup / "sleep"
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=1, scale=100)
        assert device.request("get_budget", context=1).values == [NO_BUDGET, 10, 0, *ROOT]  # 40960 bytes
        assert device.request("set_budget", context=1, pages=300).values == [300, 10, 300, *ROOT]
        assert (group / "memory.high").read_text() == f"{(300 + 64) * 4096}\n", "Linux charges 64 pages ahead"
        assert (group / "memory.low").read_text() == f"{300 * 4096}\n"
        assert (driver.cgroup / "memory.low").read_text() == f"{300 * 4096}\n", "protected from above, too"
        assert device.request("reclaim", context=1, pages=8192).values == [300, 10, 300, *ROOT]
        assert (group / "memory.reclaim").read_text() == f"{8192 * 4096}\n"
        assert device.request("set_budget", context=1, pages=NO_BUDGET).values == [NO_BUDGET, 10, 0, *ROOT]
        (group / "memory.reclaim.error").write_text(str(errno.EAGAIN))
        values = device.request("reclaim", context=1, pages=1).values
        assert values == [NO_BUDGET, 10, 0, *ROOT], "fewer were reclaimed"
        (group / "memory.reclaim.error").unlink()


def test_a_budget_holds_as_long_as_the_lease(daemon, driver):
    high, low = (driver.cgroup / "sleep" / name for name in ("memory.high", "memory.low"))
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=1, scale=100)
        take_lease(device, lease_cycles(device, scaled_timeout(0.3)))
        device.request("set_budget", context=1, pages=300)
        assert high.read_text() == f"{(300 + 64) * 4096}\n"
        assert next_log(device) == "the lease ended: memory.high and memory.low are as before it"
        assert (high.read_text(), low.read_text()) == ("max\n", "0\n")
        device.request("set_budget", context=1, pages=300)  # without a lease it stays
        take_lease(device, lease_cycles(device, 60))
        device.request("set_budget", context=1, pages=400)
        device.request("set_budget", context=1, pages=500)
        end_lease(device)
        assert (high.read_text(), low.read_text()) == (f"{364 * 4096}\n", f"{300 * 4096}\n")


def test_without_a_memory_controller_budgets_are_unsupported(daemon, driver):
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=1, scale=100)
        (driver.cgroup / "sleep/memory.high").unlink()
        with pytest.raises(RequestRefusedError, match="unsupported: the kernel has no memory controller"):
            device.request("get_budget", context=1)


def test_without_cgroups_programs_run_and_budgets_are_unsupported(start_daemon, driver):
    with start_daemon("--cgroup=none", config="sleep = /bin/sleep {scale}").host() as device:
        device.request("run", workload=0, context=1, scale=100)
        with pytest.raises(RequestRefusedError, match="unsupported"):
            device.request("get_budget", context=1)


def starter_of(daemon):
    """Return the pid of the daemon's helper, its only child before a program runs."""
    return int(Path(f"/proc/{daemon}/task/{daemon}/children").read_text())


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to begin with")
def test_a_program_can_neither_signal_the_daemon_nor_lift_its_budget(start_daemon, driver, folder):
    """The list names a script, because the pids are known only after the start."""
    script, out = folder / "attack", folder / "out"
    script.touch()
    out.touch()
    out.chmod(0o666)
    daemon = start_daemon(config=f"attack = /bin/sh {script}\n")
    targets = [daemon.process.pid, starter_of(daemon.process.pid)]
    high = driver.cgroup / "attack" / "memory.high"
    lines = [f"kill -9 {pid} && echo killed {pid} >>{out}" for pid in targets]
    lines += [f"cat /proc/{pid}/environ && echo read {pid} >>{out}" for pid in targets]
    # The stand-in's files are for everybody; the kernel's belong to the daemon's user: tests/linux/daemon.
    lines += [f"mkdir {high.parent}/mine && echo made >>{out}", f"echo done >>{out}"]
    script.write_text("\n".join(lines) + "\n")
    with daemon.host() as device:
        device.request("run", workload=0, context=1, scale=1)
        messages_until_done(device)
        assert out.read_text() == "done\n"
        device.request("run", workload=0, context=1, scale=1)
        messages_until_done(device)
    assert out.read_text() == "done\n" * 2


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to begin with")
def test_the_process_that_starts_programs_is_not_root_and_keeps_no_file(daemon):
    process = Path(f"/proc/{starter_of(daemon.process.pid)}")
    wait_until(lambda: "NoNewPrivs:\t1" in (process / "status").read_text())  # its last step
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    files = [str(file.readlink()) for file in (process / "fd").iterdir()]

    assert status["Uid"].split() == ["65534", "65533", "65534", "65533"]
    assert status["Gid"].split() == ["65534", "65533", "65534", "65533"]
    assert status["Groups"].strip() == ""
    assert {status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"].strip() == "1"
    assert os.getpriority(os.PRIO_PROCESS, int(process.name)) == 0
    assert len([file for file in files if file.startswith("socket:")]) == 1
    assert not [file for file in files if "litemrc0" in file or "pts" in file or "cgroup" in file]


def test_the_process_that_starts_programs_ends_with_the_daemon(daemon):
    helper = starter_of(daemon.process.pid)
    assert is_alive(helper)
    daemon.end()
    wait_until(lambda: not is_alive(helper))
