# SPDX-License-Identifier: BSD-2-Clause
"""The command `litemrc govern`, on a device with two tasks whose faults fall with their frames."""

import json
import signal
import subprocess
import sys
import threading
import time

import pytest
from litemrc.device import rank_commands
from litemrc.device.device import Device

from tests.firmware.link.link_messages import counters_of
from tests.timeouts import Deadline, scaled_timeout

LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]
MEMORY, GROUP_PAGES, MINIMUM = 1024, 128, 128  # of the peer: 8,192 frames in 64 groups


def govern(url, *arguments):
    command = [*LITEMRC, "govern", "--port", url, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(60))


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def rows(path):
    """The task messages, each once, by context."""
    seen = {}
    for record in records(path):
        for task in record["tasks"]:
            seen[task["context"], task["epoch"]] = task
    return list(seen.values())


def wait_for_records(log, count):
    deadline = Deadline(30)
    while not (log.exists() and len(log.read_text().splitlines()) >= count):
        assert not deadline.passed
        time.sleep(0.05)


def test_budgets_are_decided_sent_and_kept(start_peer, tmp_path):
    log = tmp_path / "log.jsonl"
    peer = start_peer(tasks=1, period_ms=100)
    done = govern(peer.url, "--run", "zipf:3:4", "--lease", 20, "--log", log, "--json")
    assert done.returncode == 0, done.stderr
    decided = records(log)
    assert len(decided) >= 10, "12 epochs; what the first one's tasks are is known after it"
    for record in decided:
        budgets = record["budgets_pages"]
        assert set(budgets) == {"3", "4"}
        assert sum(budgets.values()) <= MEMORY
        assert all(pages >= MINIMUM and pages % GROUP_PAGES == 0 for pages in budgets.values())
    reported = decided[0]["budgets_pages"]
    assert {(task["context"], task["budget"]) for task in rows(log)} >= {
        (3, reported["3"]),
        (4, reported["4"]),
    }
    summary = json.loads(done.stdout)
    assert (summary["epochs"], summary["links_lost"]) == (12, 0)
    assert [task["references"] for task in summary["tasks"]] == [12 * 2000] * 2


def test_accesses_in_the_log_are_those_counted(start_peer, tmp_path):
    log = tmp_path / "log.jsonl"
    peer = start_peer(tasks=1, period_ms=100)
    assert govern(peer.url, "--run", "zipf:3:2", "--log", log).returncode == 0
    for record in records(log):
        expected = {str(c): counters_of(record["epoch"], c)["accesses"] for c in (3, 4)}
        assert record["accesses"] == expected


def test_a_dry_run_decides_and_sends_nothing(start_peer, tmp_path):
    log = tmp_path / "log.jsonl"
    peer = start_peer(tasks=1, period_ms=100)
    done = govern(peer.url, "--run", "zipf:3:3", "--dry-run", "--log", log)
    assert done.returncode == 0, done.stderr
    assert "budgets in pages 3:" in done.stdout
    assert {task["budget"] for task in rows(log)} == {None}


def test_the_device_is_given_back_at_the_end(start_peer, tmp_path):
    """Four of sixty epochs are governed; afterwards there is no budget."""
    log = tmp_path / "log.jsonl"
    peer = start_peer(tasks=1, period_ms=150, stays=True)
    done = govern(peer.url, "--run", "zipf:3:20", "--epochs", 4, "--lease", 100)
    assert done.returncode == 0, done.stderr
    after = govern(peer.url, "--dry-run", "--epochs", 4, "--log", log)
    assert after.returncode == 0, after.stderr
    assert {task["budget"] for task in rows(log)} == {None}


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_governor_gives_the_device_back(start_peer, tmp_path, stop):
    log, after_log = tmp_path / "log.jsonl", tmp_path / "after.jsonl"
    peer = start_peer(tasks=1, period_ms=150, stays=True)
    arguments = ("--run", "zipf:3:20", "--lease", "100", "--log", str(log))
    process = subprocess.Popen([*LITEMRC, "govern", "--port", peer.url, *arguments], stdout=subprocess.PIPE)
    wait_for_records(log, 3)
    process.send_signal(stop)
    said, _ = process.communicate(timeout=scaled_timeout(30))
    assert process.returncode == 130
    assert b"epochs, " in said
    after = govern(peer.url, "--dry-run", "--epochs", 4, "--log", after_log)
    assert after.returncode == 0, after.stderr
    assert {task["budget"] for task in rows(after_log)} == {None}


def test_a_lost_link_is_reported_and_the_device_governed_again(start_peer, tmp_path):
    log = tmp_path / "log.jsonl"
    peer = start_peer(tasks=1, period_ms=150, stays=True)
    threading.Thread(target=lambda: (wait_for_records(log, 3), peer.cut())).start()
    done = govern(peer.url, "--run", "zipf:3:12", "--lease", 2, "--log", log, "--json")
    assert done.returncode == 0, done.stderr
    assert "warning: " in done.stderr and "trying to reconnect for 30 s" in done.stderr
    assert json.loads(done.stdout)["links_lost"] == 1
    epochs = [record["epoch"] for record in records(log)]
    assert max(epochs) >= 34, "36 epochs, the last of which is governed, too"


def test_a_device_that_does_not_come_back_is_an_error(start_peer, tmp_path):
    peer = start_peer(tasks=1, period_ms=100, fault="vanish")
    done = govern(peer.url, "--run", "zipf:3:12", "--reconnect", 1, "--timeout", 2)
    assert done.returncode == 2
    assert "trying to reconnect for 1 s" in done.stderr
    assert "epochs, " in done.stdout, "the result up to the interruption is printed"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--energy"], "no rank meter"),
        (["--run", "nothing"], "no program 'nothing'"),
        (["--lease", 0], "a lease of 0 s"),
        (["--run", "zipf:3:1", "--minimum", 600], "minimums need"),
    ],
)
def test_what_cannot_be_is_an_error(start_peer, arguments, what):
    done = govern(start_peer(tasks=1, period_ms=50).url, *arguments)
    assert done.returncode == 2
    assert what in done.stderr


def test_an_operating_system_needs_the_memory_as_an_option(start_peer):
    done = govern(start_peer(system=1).url)
    assert done.returncode == 2
    assert "give --memory" in done.stderr


def rank_settings(url):
    with Device(url) as device:
        return rank_commands.get_policy(device), rank_commands.get_working_set(device)


def test_ranks_are_governed_and_given_back(start_peer, tmp_path):
    """A killed governor leaves its budgets, as its lease is long; the next governor lifts them."""
    log = tmp_path / "log.jsonl"
    peer = start_peer(ranks=1, epochs=10_000, period_ms=100, stays=True)
    own = rank_settings(peer.url)
    arguments = ("--energy", "--lease", "1000", "--log", str(log))
    process = subprocess.Popen([*LITEMRC, "govern", "--port", peer.url, *arguments])
    wait_for_records(log, 3)
    process.kill()
    process.wait()

    policy, working_set = rank_settings(peer.url)
    assert (policy.policy, policy.mrc_state, policy.mrc_base) == ("mrc", "self_refresh", "dynamic")
    assert (working_set.automatic, working_set.groups) == (False, records(log)[-1]["working_set_groups"])
    done = govern(peer.url, "--energy", "--epochs", 1)
    assert done.returncode == 0, done.stderr
    assert rank_settings(peer.url) == own


def test_a_program_that_begins_gets_its_budgets_though_they_are_those_of_the_last(start_peer, tmp_path):
    """The peer's programs begin without a budget, like those of the pager."""
    log = tmp_path / "log.jsonl"
    peer = start_peer(tasks=1, period_ms=100)
    done = govern(peer.url, "--run", "zipf:3:4", "--run", "loop:3:4", "--lease", 20, "--log", log)
    assert done.returncode == 0, done.stderr
    reported = rows(log)
    half = [task["epoch"] for task in reported if task["budget"] is None and task["context"] == 3]
    assert max(half) >= 12, "the second program begins after 12 epochs of the first"
    assert reported[-1]["budget"] is not None


def test_behind_the_end_of_a_program_nothing_is_decided_about_it(start_peer, tmp_path):
    """Its three epochs, and in the next its last row is still known; in none of the twelve after that."""
    log = tmp_path / "log.jsonl"
    peer = start_peer(tasks=1, epochs=10_000, period_ms=150, stays=True)
    with Device(peer.url) as device:
        device.request("run", workload=0, context=3, scale=1)
    done = govern(peer.url, "--epochs", 12, "--log", log)
    assert done.returncode == 0, done.stderr
    assert len(records(log)) <= 4
