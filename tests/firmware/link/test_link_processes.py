# SPDX-License-Identifier: BSD-2-Clause
"""Processes and budgets over the link, by library and commands; the peer has an operating system."""

import json

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.contexts import follow, get_budget, get_followed, reclaim, set_budget
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.epochs.files import read_epochs
from litemrc.epochs.processes import Process

from tests.host.in_process import litemrc


@pytest.fixture
def linux(start_peer):
    """URL of a peer with an operating system."""
    return start_peer(system=1, period_ms=2).url


def collected(device, runs, **how):
    collector = Collector(device)
    for _ in collector.collect(runs=runs, **how):
        pass
    return collector.table()


def test_programs_started_together_run_side_by_side_until_the_last_has_ended(linux):
    """A run of the peer has 3 epochs times scale, in each of which the kernel counts, too.

    Each start ends the running epoch: in the first only the kernel counted, in the second zipf alone.
    """
    with Device(linux) as device:
        table = collected(device, [Run("zipf", scale=20), Run("loop", 5, 10)], together=True)

    assert table.context_names[0] == "kernel"
    by_context = {context: table.epoch[table.context == context].tolist() for context in (0, 1, 5)}
    first, last = by_context[0][0], by_context[0][-1]
    assert [len(epochs) for epochs in by_context.values()] == [last - first + 1, 61, 30]
    assert set(by_context[5]) < set(by_context[1]), "side by side"
    assert table.processes == (
        Process(1, 100, "zipf", first + 1, last, last),
        Process(5, 101, "loop", by_context[5][0], last, by_context[5][-1]),  # what it left would be its own
    )
    assert [table.name_of(owner) for owner in table.owners_with_data] == [
        "kernel", "zipf (pid 100)", "loop (pid 101)",
    ]  # fmt: skip


def test_one_program_after_the_other_in_one_context_are_two_processes(linux):
    """The epoch that a start ends is still that of the process before, which has ended."""
    with Device(linux) as device:
        table = collected(device, [Run("zipf", context=3), Run("loop", context=3), Run("zipf", context=3)])

    first = int(table.epoch[0])
    assert table.processes == (
        Process(3, 100, "zipf", first + 1, first + 4, first + 3),
        Process(3, 101, "loop", first + 5, first + 8, first + 7),
        Process(3, 102, "zipf", first + 9, first + 11, first + 11),
    )


def test_a_collection_finds_the_processes_already_followed(linux):
    with Device(linux) as device:
        follow(device, 2, 41)
        follow(device, 4, 42)
        follow(device, 4, 0)
        table = collected(device, [Run("zipf")])

    assert [(p.context, p.label) for p in table.processes] == [(2, "sh (pid 41)"), (1, "zipf (pid 100)")]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_a_noisy_link_no_epoch_goes_to_a_process_of_another_context(start_peer, seed):
    """A lost message leaves later epochs without a name or with the previous one, never with another."""
    with Device(start_peer(system=1, noise=1000, seed=seed).url, timeout_s=2) as device:
        runs = [Run("zipf", 1, 30), Run("loop", 2, 30)]
        table = collected(device, runs, together=True)

    assert {(p.context, p.pid) for p in table.processes} <= {(1, 100), (2, 101)}
    assert table.link_statistics["epoch_messages_lost"] > 0, "no noise, no test"


def test_collect_together_saves_what_curve_then_shows(linux, tmp_path):
    out = tmp_path / "curves.parquet"
    done = litemrc(
        *("collect", "--port", linux, "--epochs", 100, "--out", out),
        *("--run", "zipf:2", "--run", "loop:1", "--together"),
    )
    assert done.returncode == 0, done.stderr
    assert read_epochs(out).system == "Linux 6.1.0"

    shown = litemrc("curve", out)
    assert shown.returncode == 0, shown.stderr
    for name in ("0 kernel", "1 loop (pid 101)", "2 zipf (pid 100)"):
        assert name in shown.stdout


def test_what_follow_and_budgets_set_is_what_they_return(linux):
    with Device(linux) as device:
        assert follow(device, 2, 41) == get_followed(device, 2)
        assert (get_followed(device, 2).state, get_followed(device, 2).comm) == ("following", "sh")
        assert get_budget(device, 2) is None, "not started by the device"
        device.request("run", workload=0, context=1, scale=1000)
        assert (get_budget(device, 1).allowed, get_budget(device, 1).used) == (None, 300)
        assert set_budget(device, 1, 200).allowed == 200
        assert reclaim(device, 1, 120).used == 180
        assert set_budget(device, 1, None).allowed is None


def test_process_shows_and_sets_the_contexts(linux):
    shown = json.loads(litemrc("process", "--port", linux, "--json").stdout)
    assert [each["state"] for each in shown["contexts"]] == ["kernel"] + ["free"] * 7


def test_process_follows_frees_and_prints(start_peer):
    url = start_peer(system=1).url
    done = litemrc("process", "--port", url, "--follow", "41:3", "--follow", "42")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["1", "following", "42", "gzip"] in lines, "the first free context"
    assert ["3", "following", "41", "sh"] in lines
    assert ["2", "free"] in lines


@pytest.mark.parametrize(
    ("arguments", "what", "remedy"),
    [
        (["--follow", "77"], "there is no such process", "name a process that runs"),
        (["--follow", "41:0"], "bad_argument", "a context from 1 on"),
        (["--follow", "41:1", "--follow", "42:1"], "busy", "free the context first"),
        (["--budget", "1=100"], "busy", "programs that the device started"),
        (["--reclaim", "1=100"], "busy", "programs that the device started"),
        (["--free", "300"], "there is no such context", "name a process that runs"),
    ],
)
def test_process_refuses_what_cannot_be_and_says_what_to_do(linux, arguments, what, remedy):
    done = litemrc("process", "--port", linux, *arguments)
    assert done.returncode == 2
    assert what in done.stderr and remedy in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--follow", "sh"], ["--follow", "0"], ["--follow", "41:"], ["--free", "-1"], ["--free", "x"],
        ["--budget", "1"], ["--budget", "1=0"], ["--budget", "=none"], ["--budget", "1=nonex"],
        ["--reclaim", "1=none"],
    ],
)  # fmt: skip
def test_process_refuses_what_is_not_written_right(arguments):
    done = litemrc("process", "--port", "loop://", *arguments)
    assert done.returncode == 2
    assert "  remedy: litemrc process --help" in done.stderr and "Traceback" not in done.stderr


def test_processes_of_bare_metal_are_an_error_with_a_remedy(start_peer):
    done = litemrc("process", "--port", start_peer().url)
    assert done.returncode == 2
    assert "no operating system" in done.stderr and "remedy" in done.stderr


def test_device_shows_the_operating_system_driver_and_abi(linux, start_peer):
    assert "Linux 6.1.0, driver 0.1, ABI 1" in litemrc("device", "--port", linux).stdout
    assert "none: bare metal" in litemrc("device", "--port", start_peer().url).stdout
