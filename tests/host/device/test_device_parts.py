# SPDX-License-Identifier: BSD-2-Clause
"""The parts of a device as its answers describe them: power domains, reference counters, traffic."""

import pytest
from litemrc.device import rank_commands, ref_counters
from litemrc.device.errors import DeviceFaultError
from litemrc.device.ref_counters import CounterSetting, PageEvent, RefCounterUnit, TrafficState
from litemrc.traces.generators.traffic import Traffic

from tests.host.scripted_device import ack, told

STREAM = {"base": 3, "words_log2": 4, "random": True, "stride": 5, "writes": 6, "seed": 7}


@pytest.mark.parametrize(
    ("bits", "states"),
    [
        (0b11101, ("awake", "power_down", "self_refresh", "self_refresh_partial")),
        (0b00101, ("awake", "power_down")),
        (0b01000, ("self_refresh",)),
    ],
)
def test_the_dram_reaches_the_states_whose_bits_are_set(link, device, bits, states):
    link.answers["get_dram"] = lambda: ack(4, 1, bits, 2, 3, 5, payload=b"MT\x1b41")
    assert rank_commands.get_dram(device) == rank_commands.Dram(
        4, True, states, "MT?41", chips=2, phases=3, kept=5
    )


def test_states_have_the_names_of_the_schema():
    assert rank_commands.power_states() == ("awake", "power_down", "self_refresh", "self_refresh_partial")
    assert [rank_commands.power_state_number(name) for name in rank_commands.power_states()] == [0, 2, 3, 4]


def test_a_policy_is_sent_and_read_by_names(link, device):
    policy = rank_commands.RankPolicy("mrc", "power_down", "self_refresh", "static", 7, 8)
    link.answers["set_rank_policy"] = lambda **_: ack(3, 2, 3, 1, 7, 8)
    assert rank_commands.set_policy(device, policy) == policy
    assert link.sent == [("set_rank_policy", vars(policy))]
    link.answers["get_rank_policy"] = lambda: ack(2, 0, 4, 0, 1, 0)
    awake = rank_commands.RankPolicy("dynamic", "awake", "self_refresh_partial", "none", 1, 0)
    assert rank_commands.get_policy(device) == awake


def test_epsilon_is_sent_in_65536ths(link, device):
    link.answers["set_working_set"] = lambda automatic, groups, epsilon: ack(automatic, groups, epsilon)
    found = rank_commands.set_working_set(device, rank_commands.WorkingSetSize(True, 9, 0.01))
    assert link.sent == [("set_working_set", {"automatic": True, "groups": 9, "epsilon": 655})]
    assert found == rank_commands.WorkingSetSize(True, 9, 655 / 65536)
    link.answers["get_working_set"] = lambda: ack(0, 3, 32768)
    assert rank_commands.get_working_set(device) == rank_commands.WorkingSetSize(False, 3, 0.5)


def test_sleep_and_loss_are_requested_of_a_domain(link, device):
    rank_commands.set_state(device, 2, "power_down")
    rank_commands.set_loss(device, 1, allowed=True)
    rank_commands.set_loss(device, 1, allowed=False, part=3)
    assert link.sent == [
        ("set_rank_state", {"domain": 2, "state": "power_down"}),
        ("set_rank_loss", {"domain": 1, "allowed": True, "part": 0}),
        ("set_rank_loss", {"domain": 1, "allowed": False, "part": 3}),
    ]


def test_the_unit_of_reference_counters_is_described(link, device):
    link.answers["get_ref_counters"] = lambda: ack(1024, 10, 12, 3, 8, 5, 6)
    assert ref_counters.get_unit(device) == RefCounterUnit(1024, 10, 12, 3, 8, 5, 6)
    assert ref_counters.masters() == ("cpu", "remote", "traffic")


@pytest.mark.parametrize(
    ("accesses", "reads", "writes"), [(1, True, False), (2, False, True), (3, True, True)]
)
def test_reads_and_writes_that_count_are_a_bit_each(link, device, accesses, reads, writes):
    setting = CounterSetting(64, reads, writes, masters=5, contexts=6, lower=7, upper=8)
    link.answers["arm_counter"] = lambda **_: ack(64, accesses, 5, 6, 7, 8, 1)
    assert ref_counters.arm(device, "delay", setting) == setting
    values = {"initial": 64, "accesses": accesses, "masters": 5, "contexts": 6, "lower": 7, "upper": 8}
    assert link.sent == [("arm_counter", {"counter": "delay"} | values)]
    link.answers["get_counter"] = lambda counter: ack(64, accesses, 5, 6, 7, 8, 0)
    assert ref_counters.get_setting(device, "update") == (setting, False)


def test_counts_of_pages_are_set_read_and_stopped(link, device):
    link.answers["get_count"] = lambda counter, page: ack(11)
    assert ref_counters.get_count(device, "update", 4) == 11
    ref_counters.set_count(device, "delay", 4, 12)
    assert link.sent[1:] == [
        ("set_count", {"counter": "delay", "page": 4, "value": 12}),
    ]
    link.answers["get_count"] = lambda counter, page: ack()
    with pytest.raises(DeviceFaultError):
        ref_counters.get_count(device, "update", 4)


def test_traffic_is_reported_in_words(link, device):
    link.answers["get_traffic"] = lambda: ack(9, 3, 20)
    assert ref_counters.get_traffic(device) == TrafficState(9, word_bytes=8, words=1 << 20)
    link.answers["set_traffic"] = lambda **_: ack(50, 2, 10)
    assert ref_counters.start_traffic(device, Traffic(**STREAM), gap=1, count=50) == TrafficState(50, 4, 1024)
    assert link.sent[-1] == ("set_traffic", STREAM | {"gap": 1, "count": 50})


def test_the_event_of_a_page_is_that_of_its_message():
    message = told("count", counter="update", page=3, lost=1)
    assert PageEvent.of_message(message) == PageEvent("update", 3, 1)
