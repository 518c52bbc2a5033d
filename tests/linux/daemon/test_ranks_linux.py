# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc ranks` on Linux in qemu, from the host to the driver; only the rank meter is software."""

import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from litemrc.device import rank_commands
from litemrc.device.collecting.record_rows import watch_ranks
from litemrc.device.device import Device
from litemrc.device.governed import take_lease
from litemrc.ranks.files import read_ranks

from tests.linux.daemon.conftest import LITEMRC, loop_over
from tests.timeouts import scaled_timeout, wait_until

RANKS = 4
EPOCHS = 3
CYCLES = 123456  # FAKE_RANK_CYCLES of the driver's test/litemrc_fake.h
AUTOMATIC = rank_commands.WorkingSetSize(automatic=True, groups=64, epsilon=0.0)
FRESH = rank_commands.RankPolicy("none", "power_down", "self_refresh", "none", 0, 0)
SET_BY_GOVERN = replace(FRESH, policy="mrc", mrc_base="dynamic", threshold_power_down=100)
SET = rank_commands.RankPolicy("mrc", "power_down", "self_refresh", "dynamic", 100, 20000)
LOOP = ("--epoch-length", 2000)
LOOP_PAGES = 500
LEASE_S = 15


def litemrc(*words):
    command = [*LITEMRC, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(120))


def test_the_command_sets_state_and_policy_of_the_driver(port):
    """By the files of sysfs: the daemon has no state of its own."""
    assert litemrc("ranks", "--port", port, "set", "--rank", 2, "--state", "self-refresh").returncode == 0
    policy = ("policy", "mrc", "--mrc-base", "dynamic", "--thresholds", "100:20000")
    assert litemrc("ranks", "--port", port, *policy).returncode == 0
    done = litemrc("ranks", "--port", port, "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert [rank["state"] for rank in shown["ranks"]] == ["awake", "awake", "self-refresh", "awake"]
    assert litemrc("ranks", "--port", port, "policy", "none").returncode == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--rank", 0, "--state", "self-refresh"), "the kernel runs from this domain"),
        (("--rank", RANKS, "--state", "self-refresh"), "rank"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_command(port, words, why):
    done = litemrc("ranks", "--port", port, "set", *words)
    assert done.returncode == 2 and why in done.stderr


def wake_ups(epoch, domain):
    """Word 12 of the meter's row, as the fake counts it (driver/test/fake_ranks.c)."""
    return epoch % 8 * 1000 + domain * 100 + 12


def test_each_epoch_has_its_ranks(device):
    rows = watch_ranks(device)
    parts = []
    for _ in range(EPOCHS):
        device.request("end_epoch")
        parts.append(next(rows))
    seen = np.concatenate(parts)
    assert seen["domain"].tolist() == list(range(RANKS)) * EPOCHS
    epochs = seen["epoch"][::RANKS].tolist()
    assert epochs == list(range(epochs[0], epochs[0] + EPOCHS))
    assert set(seen["clocks"].tolist()) == {CYCLES}
    assert seen["counters"][:, 12].tolist() == [wake_ups(*key) for key in seen[["epoch", "domain"]].tolist()]


def test_an_expired_lease_restores_the_policy(device):
    assert rank_commands.set_policy(device, FRESH) == FRESH
    take_lease(device, device.hello.clock_hz // 2)
    rank_commands.set_policy(device, SET)
    wait_until(lambda: rank_commands.get_policy(device) == FRESH)


@pytest.fixture
def looping(port):
    for pages in (LOOP_PAGES, 1):
        with Device(port, timeout_s=scaled_timeout(30)) as device:
            loop_over(device, pages)
        if pages > 1:
            yield


def test_collect_writes_the_ranks_of_its_epochs(port, looping, tmp_path):
    words = ("--port", port, "--epochs", EPOCHS, "--out", tmp_path / "curves.parquet")
    done = litemrc("collect", *words, "--ranks", tmp_path / "ranks.parquet", *LOOP)
    assert done.returncode == 0, done.stderr
    table = read_ranks(tmp_path / "ranks.parquet")
    assert (table.domains, len(table.epochs), set(table.clocks)) == (RANKS, EPOCHS, {CYCLES})
    rows = zip(table.epoch.tolist(), table.domain.tolist(), strict=True)
    assert table.wake_ups.tolist() == [wake_ups(*row) for row in rows]


def test_govern_energy_sets_policy_and_working_set_for_its_lease(port, looping, tmp_path):
    """Ranks outside the working set enter self-refresh at once; those in it, power-down after 100 cycles."""
    with Device(port, timeout_s=scaled_timeout(30)) as device:
        rank_commands.set_policy(device, FRESH)
        rank_commands.set_working_set(device, AUTOMATIC)
    log = tmp_path / "log.jsonl"
    command = [*LITEMRC, "govern", "--port", port, "--energy", "--lease", LEASE_S, "--log", log, *LOOP]
    governing = subprocess.Popen([*map(str, command)])
    try:
        wait_until(lambda: log.exists() and len(log.read_text().splitlines()) >= EPOCHS)
    finally:
        governing.kill()
        governing.wait()
    decided = [json.loads(line)["working_set_groups"] for line in log.read_text().splitlines()]
    with Device(port, timeout_s=scaled_timeout(30)) as device:
        size = rank_commands.get_working_set(device)
        assert rank_commands.get_policy(device) == SET_BY_GOVERN
        assert (size.automatic, size.groups) == (False, decided[-1])
        # It was renewed at most moments before the kill, so nearly all of it may be left.
        wait_until(lambda: rank_commands.get_policy(device) == FRESH, LEASE_S + 10, "the lease's end")
        assert rank_commands.get_working_set(device) == AUTOMATIC
