# SPDX-License-Identifier: BSD-2-Clause
"""The daemon on Linux with the driver, in qemu, from the host's end of the serial port.

The monitor is emulated (firmware/linux/driver/test): it counts the accesses that a program orders, in the
present context of the processor. The tests check when processes are followed, from driver to host.
"""

import time

import pytest
from litemrc.device.errors import RequestRefusedError
from litemrc.device.link.schema import schema

from tests.timeouts import Deadline

ACCESS, FAMILY, MEMORY, EXIT, CLIENTS, IDLE, ATTACK, PAGES = range(8)  # litemrcd.conf
NO_BUDGET = 2**32 - 1


def until_done(device, workload):
    """All messages up to that program's workload_done."""
    messages, deadline = [], Deadline(20)
    while not deadline.passed:
        if message := device.receive(0.5):
            messages.append(message)
            if message.name == "event" and (message.kind, message.workload) == ("workload_done", workload):
                return messages
    raise AssertionError(messages)


def accesses(messages):
    """By context, of all epochs."""
    sums = {}
    for message in messages:
        rows = message.record.rows[["context", "accesses"]].tolist() if message.name == "epoch" else []
        for context, count in rows:
            if count:
                sums[context] = sums.get(context, 0) + count
    return sums


def processes(messages, context):
    """The states of a context, without repetitions."""
    names = {number: name for name, number in schema().enums["context_state"].items()}
    found = []
    for message in messages:
        if message.name == "epoch":
            rows = message.record.rows
            of_context = rows[rows["context"] == context][["state", "comm"]].tolist()
            state, comm = of_context[0] if of_context else (1, b"")
            if (names[state], comm.decode()) not in found[-1:]:
                found.append((names[state], comm.decode()))
    return found[1:] if found[:1] == [("free", "")] else found


def test_hello_reports_kernel_driver_and_abi(device):
    assert device.hello.system.startswith("Linux 6.")
    assert device.hello.abi == schema().constants["abi_version"]
    assert device.hello.identifier == "riscv-virtio,qemu"  # of QEMU's device tree
    assert device.hello.contexts == 8
    assert device.hello.workloads == [
        "access",
        "family",
        "memory",
        "exit",
        "clients",
        "idle",
        "attack",
        "pages",
    ]
    assert device.echo_test(32).failed == 0


def test_settings_reach_the_driver(device):
    assert device.request("set_epoch", unit="accesses", length=5000).values == [1, 5000]
    assert device.request("get_epoch").values == [1, 5000]
    last = device.hello.frames - 1
    assert device.request("set_range", lower=5, upper=last).values == [5, last]
    assert device.request("set_range", lower=0, upper=last).values == [0, last]
    assert device.request("freeze", on=True).values == [1, 0, 1]
    assert device.request("freeze", on=False).values == [0, 0, 0]
    for name in ("clear", "end_epoch", "arm"):
        device.request(name)
    with pytest.raises(RequestRefusedError, match="bad_argument: shorter than the monitor's window"):
        device.request("set_epoch", unit="accesses", length=1)
    for refused in ({"lower": 0, "upper": last + 1}, {"lower": 2, "upper": 1}):
        with pytest.raises(RequestRefusedError, match="bad_argument"):
            device.request("set_range", **refused)


def test_a_programs_accesses_are_counted_in_its_context_alone(device):
    device.request("set_epoch", unit="accesses", length=1000)
    device.request("run", workload=ACCESS, context=3, scale=2500)
    messages = until_done(device, ACCESS)

    assert accesses(messages) == {3: 2500}
    assert processes(messages, 3) == [("following", "guest"), ("ended", "guest")]
    # The event is last.
    assert messages[-1].epoch == device.say_hello().epoch


def test_children_are_followed_with_their_cgroup(device):
    device.request("run", workload=FAMILY, context=2, scale=77)
    messages = until_done(device, FAMILY)

    assert accesses(messages) == {2: 77}
    assert processes(messages, 2) == [("following", "family"), ("free", "")]


def test_a_program_that_fails_is_reported(device):
    device.request("run", workload=EXIT, context=1, scale=9)
    log = [m.line for m in until_done(device, EXIT) if m.name == "log"]

    assert log == ["exit ended with status 9"]


def test_a_program_reaches_neither_its_budget_nor_the_daemon(device):
    """See attack() of guest.c: its status is the sum of what succeeded."""
    device.request("run", workload=ATTACK, context=1, scale=1)
    log = [m.line for m in until_done(device, ATTACK) if m.name == "log"]

    assert log == []


def test_budgets_push_pages_out_and_let_them_back(device):
    """16 x 256 KiB are 1,024 pages, and swap is there."""
    device.request("run", workload=MEMORY, context=4, scale=16)
    assert settled(device, 4, lambda used: used >= 1024)
    assert device.request("set_budget", context=4, pages=300).values[0] == 300
    assert settled(device, 4, lambda used: used <= 320)
    assert device.request("set_budget", context=4, pages=NO_BUDGET).values[0] == NO_BUDGET
    assert settled(device, 4, lambda used: used >= 1024)
    with pytest.raises(RequestRefusedError, match="busy"):
        device.request("set_budget", context=5, pages=300)
    with pytest.raises(RequestRefusedError, match="busy"):
        device.request("run", workload=MEMORY, context=5, scale=1)


def test_what_is_reclaimed_stays_away_if_nobody_wants_it(device):
    """512 of 1,024 pages are requested; Linux 6.1 reclaims more, but less than half as many more."""
    device.request("run", workload=IDLE, context=7, scale=16)
    assert settled(device, 7, lambda used: used >= 1024)
    before = device.request("get_budget", context=7).values[1]
    budget, used = device.request("reclaim", context=7, pages=512).values[:2]

    assert budget == NO_BUDGET
    assert before - 512 - 256 < used <= before - 512
    assert device.request("get_budget", context=7).values[1] <= before - 512


def settled(device, context, true):
    deadline = Deadline(20)
    while not deadline.passed:
        if true(device.request("get_budget", context=context).values[1]):
            return True
        time.sleep(0.1)
    return False


def test_clients_are_followed_and_leave_their_context_free(device):
    """See run_clients() of guest.c: 321 accesses in context 3, a status of 7, and 1000 + that status."""
    device.request("run", workload=CLIENTS, context=6, scale=1)
    messages, deadline = until_done(device, CLIENTS), Deadline(10)
    while accesses(messages).get(3, 0) < 321 + 1007 and not deadline.passed:
        messages += [message] if (message := device.receive(0.5)) else []
    device.request("end_epoch")
    time.sleep(0.5)

    assert accesses(messages) == {3: 321 + 1007}
    assert device.request("get_process", context=3).values == [1, 0]


def test_anybody_can_be_followed_once(device):
    assert device.request("follow", context=5, pid=1).values == [2, 1]
    answer = device.request("get_process", context=5)
    assert (answer.values, answer.payload) == ([2, 1], b"init")
    with pytest.raises(RequestRefusedError, match="busy"):
        device.request("follow", context=6, pid=1)
    with pytest.raises(RequestRefusedError, match="bad_argument: there is no such process"):
        device.request("follow", context=6, pid=4000)
    assert device.request("follow", context=5, pid=0).values == [1, 0]
