# SPDX-License-Identifier: BSD-2-Clause
"""ranks/N/ with a rank power unit: states, policy, residencies and wake-ups; and their part of a record."""

from errno import EBUSY, EINVAL, ENODEV

import pytest

from tests.linux.driver.guest import FAKE, S

RANKS = 4
FRAMES = 1 << 14  # of the fake: 64 MB from 0x80000000; the kernel is in the first 16
WORDS = 16
CYCLES = 123456  # FAKE_RANK_CYCLES
KERNELS = 0  # the rank with the kernel's image
RESIDENCIES = ("active_standby", "precharge_standby", "power_down", "self_refresh", "self_refresh_partial")
RANK = {"state": "600", "wakeups": "400"} | {f"{name}_us": "400" for name in RESIDENCIES}
POLICY = S + "rank_policy/"
FRESH_POLICY = {
    "kind": "none",
    "static_state": "power_down",
    "mrc_state": "self_refresh",
    "mrc_base": "none",
    "threshold_power_down": "0",
    "threshold_self_refresh": "0",
}


@pytest.fixture
def with_ranks(monitor):
    """The guest with a fake that has a rank power unit."""
    monitor.do("rmmod litemrc_fake")
    monitor.do(f"insmod /litemrc_fake.ko ranks={RANKS}")
    return monitor


def rank(number, name):
    return f"{S}ranks/{number}/{name}"


def counter(epoch, number, word):
    """What the fake's meter counts in an epoch, from 0 (fake_ranks.c); word 5 is the rest of all cycles."""
    if word == 5:
        return CYCLES - sum(counter(epoch, number, other) for other in (4, 6, 7, 8))
    return epoch % 8 * 1000 + number * 100 + word


def snapshot(guest):
    folders = [guest.values(S + name) for name in ("dram", "working_set", "rank_policy")]
    return folders, [guest.read(rank(number, "state")) for number in range(RANKS)]


def end_epochs(guest, count):
    for _ in range(count):
        assert guest.write(S + "end_epoch", 1) == 0


def test_every_rank_has_its_files(with_ranks):
    assert len(with_ranks.do(f"ls {S}ranks")) == RANKS
    for number in range(RANKS):
        lines = (line.split() for line in with_ranks.do(f"ls {S}ranks/{number}"))
        assert {name: mode[-3:] for name, mode in lines if mode.startswith("100")} == RANK
    described = {"ranks": str(RANKS), "virtual": "0", "states": "31", "chips": "1", "phases": "4"}
    assert with_ranks.values(S + "dram") == described | {"part": "MT41K64M16"}
    assert with_ranks.values(S + "working_set") == {"automatic": "0", "groups": "64", "epsilon": "0"}
    assert with_ranks.values(POLICY) == FRESH_POLICY
    assert with_ranks.read(S + "parameters/ranks") == str(RANKS)


def test_without_a_rank_power_unit_there_are_no_files_of_it(monitor):
    names = {line.split()[0] for line in monitor.do(f"ls {S}")}
    assert not {"dram", "working_set", "rank_policy"} & names


@pytest.mark.parametrize("state", ["power_down", "self_refresh"])
def test_a_rank_is_put_into_a_state_and_awake_again(with_ranks, state):
    assert with_ranks.write(rank(2, "state"), state) == 0
    assert [with_ranks.read(rank(n, "state")) for n in range(RANKS)] == ["active", "active", state, "active"]
    assert with_ranks.write(rank(2, "state"), "active") == 0
    assert with_ranks.read(rank(2, "state")) == "active"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kind", "static"),
        ("kind", "dynamic"),
        ("kind", "mrc"),
        ("static_state", "self_refresh"),
        ("mrc_state", "self_refresh_partial"),
        ("mrc_state", "active"),
        ("mrc_base", "static"),
        ("threshold_power_down", "100"),
        ("threshold_self_refresh", "4294967295"),
    ],
)
def test_the_policy_of_all_ranks_is_set(with_ranks, name, text):
    assert with_ranks.write(POLICY + name, text) == 0
    assert with_ranks.values(POLICY) == FRESH_POLICY | {name: text}


def test_the_working_set_is_set(with_ranks):
    for name, text in (("automatic", "1"), ("groups", "17"), ("epsilon", "65535"), ("groups", "0")):
        assert with_ranks.write(f"{S}working_set/{name}", text) == 0
        assert with_ranks.read(f"{S}working_set/{name}") == text
    assert with_ranks.values(S + "working_set") == {"automatic": "1", "groups": "0", "epsilon": "65535"}


@pytest.mark.parametrize(
    ("name", "texts", "error"),
    [
        ("ranks/1/state", ["", "off", "self", "self_refresh_", "0", "active 1"], EINVAL),
        (f"ranks/{KERNELS}/state", ["power_down", "self_refresh"], EBUSY),
        ("ranks/1/state", ["self_refresh_partial"], EBUSY),
        ("rank_policy/kind", ["", "off", "static power_down", "1"], EINVAL),
        ("rank_policy/mrc_base", ["mrc", "none a"], EINVAL),
        ("rank_policy/static_state", ["off", "", "0"], EINVAL),
        ("rank_policy/threshold_power_down", ["", "4294967296", "0 0", "-1"], EINVAL),
        ("working_set/automatic", ["", "2", "1 1"], EINVAL),
        ("working_set/groups", ["65", "a"], EINVAL),
        ("working_set/epsilon", ["65536", "-1"], EINVAL),
    ],
)
def test_refused_values_change_nothing_of_the_ranks(with_ranks, name, texts, error):
    before = snapshot(with_ranks)
    assert [with_ranks.write(S + name, text) for text in texts] == [error] * len(texts)
    assert snapshot(with_ranks) == before


def test_a_state_that_the_board_cannot_reach_is_refused(monitor):
    monitor.do("rmmod litemrc_fake")
    monitor.do(f"insmod /litemrc_fake.ko ranks={RANKS} partial=0")
    assert monitor.write(rank(1, "state"), "self_refresh_partial") == ENODEV
    assert monitor.write(POLICY + "static_state", "self_refresh_partial") == ENODEV
    assert monitor.values(POLICY) == FRESH_POLICY


def test_a_record_has_the_meters_counters_of_its_epoch(with_ranks):
    with_ranks.do("open /dev/litemrc0")
    with_ranks.write(rank(3, "state"), "self_refresh")
    end_epochs(with_ranks, 2)
    size = with_ranks.read(S + "parameters/record_bytes")
    lines = with_ranks.do(f"read {size} 2")
    with_ranks.do("close")
    found = [line.split() for line in lines if line.startswith("rank ")]
    assert len(found) == 2 * RANKS
    for line, (epoch, number) in zip(found, [(e, n) for e in range(2) for n in range(RANKS)], strict=True):
        state, working = (3 if number == 3 else 0), int(number == 0)
        head = f"rank {number} state {state} working {working} live {FRAMES // RANKS} flags 0 cycles {CYCLES}"
        assert line == head.split() + [str(counter(epoch, number, word)) for word in range(WORDS)]


def test_residencies_and_wake_ups_are_sums_over_the_epochs(with_ranks):
    """Words 4 to 8 of the meter are residencies in cycles, 12 the wake-ups; 50 cycles are a microsecond."""
    epochs = 3
    end_epochs(with_ranks, epochs)
    for number in range(RANKS):
        total = [sum(counter(epoch, number, word) for epoch in range(epochs)) for word in range(WORDS)]
        for i, name in enumerate(RESIDENCIES):
            assert with_ranks.read(rank(number, f"{name}_us")) == str(total[4 + i] // 50)
        assert with_ranks.read(rank(number, "wakeups")) == str(total[12])


def test_an_unbound_driver_leaves_the_ranks_awake_and_without_a_policy(with_ranks):
    with_ranks.write(POLICY + "kind", "static")
    with_ranks.write(rank(1, "state"), "self_refresh")
    driver = "/sys/bus/platform/drivers/litemrc/"
    with_ranks.do(f"w {driver}unbind litemrc.0")
    with_ranks.do(f"w {driver}bind litemrc.0")
    assert with_ranks.read(rank(1, "state")) == "active"
    assert with_ranks.read(POLICY + "kind") == "none"
    assert with_ranks.read(FAKE + "violations").split()[0] == "0"
