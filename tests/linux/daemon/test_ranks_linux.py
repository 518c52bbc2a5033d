"""`litemrc ranks` on Linux in qemu, from the host to the driver; only the rank meter is software."""

import json
import subprocess
import sys

import pytest
from litemrc.device import ranks
from litemrc.device.collecting.rank_rows import watch_ranks
from litemrc.device.lease import take_lease
from patience import patience, wait_until

RANKS = 4
EPOCHS = 3
CYCLES = 123456  # FAKE_RANK_CYCLES of the driver's test/litemrc_fake.h
FRESH = ranks.RankPolicy("none", "power_down", "self_refresh", "none", 0, 0)
SET = ranks.RankPolicy("mrc", "power_down", "self_refresh", "dynamic", 100, 20000)


def litemrc(*words):
    command = [sys.executable, "-m", "litemrc.cli.main", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=patience(120))


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


def test_each_epoch_has_its_ranks(device):
    dram = ranks.get_dram(device)
    rows = watch_ranks(device, dram)
    seen = []
    for _ in range(EPOCHS):
        device.request("end_epoch")
        seen += next(rows)
    assert [row.domain for row in seen] == list(range(RANKS)) * EPOCHS
    epochs = [row.epoch for row in seen[::RANKS]]
    assert epochs == list(range(epochs[0], epochs[0] + EPOCHS))
    assert {row.clocks for row in seen} == {CYCLES}
    # Word 12 of the meter's row, as the fake counts it (driver/test/fake_ranks.c).
    wake_ups = [row.counters[12] for row in seen]
    assert wake_ups == [row.epoch % 8 * 1000 + row.domain * 100 + 12 for row in seen]


def test_an_expired_lease_restores_the_policy(device):
    assert ranks.set_policy(device, FRESH) == FRESH
    take_lease(device, device.hello.clock_hz // 2)
    ranks.set_policy(device, SET)
    wait_until(lambda: ranks.get_policy(device) == FRESH)
