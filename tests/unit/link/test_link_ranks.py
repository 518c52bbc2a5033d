"""Ranks of a device over the link: what is asked, said and refused; and `litemrc ranks` as a user meets it."""

import pytest
from litemrc.device import ranks
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.errors import UserError


@pytest.fixture
def device(start_peer):
    with Device.open(start_peer(ranks=1).url) as device:
        yield device


def test_the_dram_is_described(device):
    assert ranks.get_dram(device) == ranks.Dram(
        ranks=4,
        virtual=False,
        states=("awake", "power_down", "self_refresh", "self_refresh_partial"),
        part="MT41K64M16",
        chips=1,
        phases=4,
    )


def test_a_device_without_rank_power_says_so(start_peer):
    with Device.open(start_peer().url) as device, pytest.raises(UserError, match="no rank power"):
        ranks.get_dram(device)


def test_a_policy_comes_back_as_it_was_set(device):
    policy = ranks.RankPolicy("mrc", "power_down", "self_refresh", "dynamic", 100, 20000)
    assert ranks.set_policy(device, policy) == policy
    assert ranks.get_policy(device) == policy


def test_a_policy_that_contradicts_itself_is_refused_and_nothing_changes(device):
    before = ranks.get_policy(device)
    with pytest.raises(RequestRefusedError, match="mrc cannot be its own base"):
        ranks.set_policy(device, ranks.RankPolicy("mrc", "power_down", "self_refresh", "mrc", 1, 2))
    assert ranks.get_policy(device) == before


def test_a_working_set_size_comes_back_to_the_nearest_step_of_epsilon(device):
    set_to = ranks.set_working_set(device, ranks.WorkingSetSize(True, 64, 0.01))
    assert set_to == ranks.get_working_set(device)
    assert set_to.epsilon == round(0.01 * 2**16) / 2**16


@pytest.mark.parametrize(
    ("domain", "state", "why"),
    [
        (0, "power_down", "the firmware runs from this domain"),
        (4, "power_down", "there is no such domain"),
        (2, "self_refresh_partial", "data would be lost"),
    ],
)
def test_a_state_the_device_must_not_take_is_refused(device, domain, state, why):
    with pytest.raises(RequestRefusedError, match=why):
        ranks.set_state(device, domain, state)


def test_data_may_be_lost_only_where_it_was_allowed(device):
    ranks.set_loss(device, 2, allowed=True, part=1)
    ranks.set_state(device, 2, "self_refresh_partial")
    ranks.set_loss(device, 2, allowed=False)
    with pytest.raises(RequestRefusedError, match="data would be lost"):
        ranks.set_state(device, 2, "self_refresh_partial")


def test_a_snapshot_is_a_message_of_every_rank(device):
    first, second = (ranks.next_snapshot(device, 4) for _ in range(2))
    assert [message.domain for message in first] == [0, 1, 2, 3]
    assert {message.epoch for message in second} == {first[0].epoch + 1}
    # The clocks in the five states are those of the snapshot.
    assert all(sum(message.counters[4:9]) == message.clocks for message in first + second)
