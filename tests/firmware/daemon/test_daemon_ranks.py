# SPDX-License-Identifier: BSD-2-Clause
"""Ranks over the daemon: the host package's own functions, and the ranks of each epoch's record."""

import errno

import pytest
from litemrc.device import rank_commands
from litemrc.device.errors import RequestRefusedError

from tests.firmware.daemon.fake_driver import GROUPS, POLICY, WORKING_SET, FakeDriver, Row
from tests.firmware.daemon.serving import next_log
from tests.timeouts import scaled_timeout, wait_until

RANKS = 4
MILLISECOND = 50_000  # cycles of the driver's clock
SET = rank_commands.RankPolicy("mrc", "power_down", "self_refresh", "dynamic", 100, 20000)
SET_TEXTS = POLICY | {
    "kind": "mrc",
    "mrc_base": "dynamic",
    "threshold_power_down": "100",
    "threshold_self_refresh": "20000",
}
WORKING_SET_BEFORE = {name: str(value) for name, value in WORKING_SET.items()}


@pytest.fixture(params=[False, True], ids=["this driver", "a later driver"])
def driver(request, folder):
    with FakeDriver(folder, ranks=RANKS, grown=request.param) as made:
        yield made


def orders(driver, name):
    """What was written to a file of the driver."""
    return [text for path, _, text in driver.orders() if path.endswith(f"/litemrc0/{name}")]


def test_the_dram_is_described(daemon):
    with daemon.host() as device:
        assert device.hello.ranks == RANKS
        states = ("awake", "power_down", "self_refresh", "self_refresh_partial")
        assert rank_commands.get_dram(device) == rank_commands.Dram(
            RANKS, False, states, "MT41K64M16", 1, 4, 0
        )


def test_policy_working_set_and_states_reach_the_driver(daemon, driver):
    with daemon.host() as device:
        assert rank_commands.get_policy(device) == rank_commands.RankPolicy(
            "none", "power_down", "self_refresh", "none", 0, 0
        )
        assert rank_commands.set_policy(device, SET) == SET == rank_commands.get_policy(device)
        size = rank_commands.WorkingSetSize(True, 5, 655 / 2**16)
        assert rank_commands.set_working_set(device, size) == size == rank_commands.get_working_set(device)
        rank_commands.set_state(device, 3, "self_refresh")
        rank_commands.set_state(device, 3, "awake")
    assert driver.values("rank_policy") == SET_TEXTS
    assert driver.values("working_set") == {"automatic": "1", "groups": "5", "epsilon": "655"}
    assert orders(driver, "ranks/3/state") == ["self_refresh", "active"]


def test_no_rank_of_linux_may_lose_data(daemon, driver):
    with daemon.host() as device:
        before = driver.orders()
        with pytest.raises(RequestRefusedError, match="Linux may use every page") as refused:
            rank_commands.set_loss(device, 1, allowed=True, part=1)
        with pytest.raises(RequestRefusedError, match="would be lost"):
            rank_commands.set_state(device, 1, "self_refresh_partial")
    assert refused.value.code == "busy"
    assert driver.orders() == before


def test_a_state_that_the_board_cannot_reach_is_refused(daemon_of_another_board):
    with daemon_of_another_board.host() as device:
        with pytest.raises(RequestRefusedError, match="cannot reach"):
            rank_commands.set_state(device, 1, "self_refresh")
        with pytest.raises(RequestRefusedError, match="cannot reach"):
            rank_commands.set_policy(device, SET)
    assert orders(daemon_of_another_board.driver, "ranks/1/state") == []


@pytest.fixture
def daemon_of_another_board(driver, start_daemon):
    """Its DRAM reaches power-down only."""
    (driver.monitor / "dram/states").write_text(f"{0b101}\n")
    return start_daemon()


def test_the_kernels_rank_stays_awake(daemon, driver):
    driver.fail("ranks/0/state", errno.EBUSY)
    with daemon.host() as device, pytest.raises(RequestRefusedError, match="the kernel runs") as refused:
        rank_commands.set_state(device, 0, "power_down")
    assert refused.value.code == "busy"


def counted(number):
    """What the meter counted at a rank."""
    state, working, flags = (3 if number == 2 else 0), number < 2, number == 1
    counters = [16 * number + word for word in range(16)]
    counters[5] += 1000 - sum(counters[4:9])  # cycles in all states are those of the epoch
    known = {"state": state, "working": working, "live_pages": 100 + number, "flags": flags, "cycles": 1000}
    return known | {"counters": counters}


def test_the_counters_of_the_ranks_are_in_the_record_of_the_epoch(daemon, driver):
    driver.ranks = [counted(number) for number in range(RANKS)]
    with daemon.host() as device:
        epochs = [driver.finish_epoch({1: Row(misses=3), 2: Row(misses=4)}), driver.finish_epoch()]
        messages = [device.receive(scaled_timeout(5)) for _ in epochs]
    assert [message.epoch for message in messages] == epochs
    for message in messages:
        for rank, number in zip(message.record.ranks, range(RANKS), strict=True):
            expected = counted(number)
            assert {name: rank[name].tolist() for name in expected} == expected


def test_a_record_without_its_ranks_ends_the_daemon(daemon, driver):
    driver.ranks = driver.ranks[1:]
    driver.finish_epoch()
    assert f"{RANKS} ranks" in daemon.ended()


def test_a_lease_covers_policy_and_working_set(daemon, driver):
    with daemon.host() as device:
        device.request("set_lease", cycles=10_000 * MILLISECOND)
        rank_commands.set_policy(device, SET)
        rank_commands.set_working_set(device, rank_commands.WorkingSetSize(True, 5, 0.0))
        device.request("set_lease", cycles=20_000 * MILLISECOND)  # renewed: the saved values stay
        device.request("set_lease", cycles=0)
        assert driver.values("rank_policy") == POLICY
        assert driver.values("working_set") == WORKING_SET_BEFORE
    assert orders(driver, "rank_policy/kind") == ["mrc", "none"]


def test_a_policy_of_which_a_part_is_refused_leaves_that_before(daemon, driver):
    driver.fail("rank_policy/mrc_base", errno.EINVAL)
    with daemon.host() as device, pytest.raises(RequestRefusedError):
        rank_commands.set_policy(device, SET)
    assert driver.values("rank_policy") | {"mrc_base": "none"} == POLICY
    assert orders(driver, "rank_policy/kind") == []


def test_a_lease_that_expires_restores_the_policy_and_says_so(daemon, driver):
    with daemon.host() as device:
        device.request("set_lease", cycles=50 * MILLISECOND)
        rank_commands.set_policy(device, SET)
        wait_until(lambda: driver.values("rank_policy") == POLICY)
        assert next_log(device).endswith("as before it, rank policy and working set, too")


def test_the_end_of_the_daemon_ends_the_lease(daemon, driver):
    with daemon.host() as device:
        device.request("set_lease", cycles=10_000 * MILLISECOND)
        rank_commands.set_policy(device, SET)
    daemon.end()
    assert driver.values("rank_policy") == POLICY


@pytest.mark.parametrize(
    ("name", "text"),
    [("kind", ""), ("kind", "none mrc\n"), ("mrc_state", "off\n"), ("threshold_power_down", "a\n")],
)
def test_a_malformed_policy_is_not_passed_on(daemon, driver, name, text):
    (driver.monitor / "rank_policy" / name).write_text(text)
    with daemon.host() as device:
        with pytest.raises(RequestRefusedError, match="unsupported"):
            rank_commands.get_policy(device)
        assert device.request("get_working_set").values == [0, GROUPS, 0], "the link still works"
