# SPDX-License-Identifier: BSD-2-Clause
"""Requests over a bridge, answered by registers as the firmware answers them."""

import struct
import time

import pytest
from litemrc.device import rank_commands
from litemrc.device.bridge.layout import layout
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device, EchoTest, system_text
from litemrc.device.errors import DeviceFaultError, RequestRefusedError
from litemrc.device.link.protocol import host_requests
from litemrc.device.link.schema import schema
from litemrc.device.rank_commands import RankPolicy, WorkingSetSize
from litemrc_gateware.ranks.registers import STATE_BITS, MeterWord
from litemrc_gateware.refs.registers import Counter

from tests.host.device.bridge.fake_soc import DOMAINS, RANKS_WINDOW, SCRATCH, FakeSoC, served
from tests.timeouts import scaled_timeout


@pytest.fixture
def ranked(tmp_path):
    """A SoC with rank power, and its device."""
    soc = FakeSoC(ranks=True)
    with served(soc, tmp_path) as url, Device(url, timeout_s=scaled_timeout(5)) as device:
        yield soc, device


def choices(name, field, codec=host_requests):
    return dict(codec().field(name, field).choices)


def test_link_and_gateware_number_alike():
    """Other numbers are compared where firmware/service/requests.c is compiled."""
    engines = choices("set_engine", "engine")
    del engines["os"]  # without gateware
    assert engines == layout().engines
    assert list(choices("get_counter", "counter")) == [counter.name.lower() for counter in Counter]
    assert list(choices("get_counter", "counter").values()) == [0, 1]
    assert schema().structs["rank"].dtype["counters"].shape == (len(MeterWord),)


def test_hello_has_the_parameters_of_the_registers(device):
    hello = device.hello
    assert (hello.frames, hello.pages, hello.groups, hello.contexts) == (64, 64, 4, 2)
    assert (hello.engine, hello.queue_depth, hello.recent_pages) == ("bucket_stack", 512, 1)
    assert (hello.clock_hz, hello.gateware) == (50_000_000, layout().versions["mrc"])
    assert system_text(hello.system, hello.driver, hello.abi) == "not visible: litex bridge"


def test_hello_has_a_bit_for_each_part_of_the_soc(device, ranked):
    assert (device.hello.rank_power, ranked[1].hello.rank_power) == (False, True)
    assert not device.hello.read_only and not device.hello.lease


def test_a_request_of_a_later_version_is_refused_behind_what_is_queued(soc, device):
    unknown = struct.pack("<II", 4711, 77)
    longer = host_requests().encode(host_requests().new("clear", sequence=78)) + b"\1"
    answers = []
    soc.end_epoch()
    device._link.poll()
    for payload in (unknown, longer, b"short"):
        device._link.take(payload)
    while (message := device.receive(0)) is not None:
        answers.append((message.name, *((message.request, message.error) if message.name == "nak" else ())))
    assert answers == [("epoch",), ("nak", 77, "unknown"), ("nak", 78, "bad_argument")]


def test_registers_that_cannot_be_true_are_not_believed(soc, tmp_path):
    soc.set("mrc_capabilities", groups_log2=9)  # the link has 256 groups at most
    with (
        served(soc, tmp_path) as url,
        pytest.raises(DeviceFaultError, match=r"must be 1 to 256 \(got 512\)"),
        Device(url),
    ):
        pass


def test_the_self_test_writes_the_scratch_register_and_restores_it(soc, device):
    written = []
    soc.on_write = lambda address, word: written.append((address, word))
    test = device.echo_test(4)
    assert (test.echoes, test.failed) == (4, 0) and test.round_trip_ms > 0
    assert {address for address, _ in written} == {SCRATCH} and len(written) > 32
    device.request("get_context")  # behind the last write, which nobody acknowledges
    assert soc.words[SCRATCH] == 0x12345678


def test_a_bit_that_sticks_fails_the_self_test(soc, device):
    def stick(address, word):
        soc.words[address] = word | 0x100

    soc.on_write = stick
    test = device.echo_test(3)
    assert EchoTest(3, 2, test.round_trip_ms) == test  # the first of the three is empty


def test_epoch_settings_are_written_and_read_back(soc, device):
    assert device.request("set_epoch", unit="cycles", length=12345).values == [2, 12345]
    assert (soc.get("mrc_epoch_length"), soc.get("mrc_control", "epoch_unit")) == (12345, 1)
    assert soc.get("mrc_control", "hold") == 1  # other fields are kept
    assert device.request("set_epoch", unit="accesses", length=7).values == [1, 7]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("set_epoch", {"unit": "cycles", "length": 0}),
        ("set_context", {"context": 2}),
        ("invalidate", {"frame": 64}),
        ("set_engine", {"engine": "group_stack"}),
        ("set_range", {"lower": 0, "upper": 64}),
        ("set_range", {"lower": 2, "upper": 1}),
        ("set_sampling", {"sampling": 7}),
    ],
)
def test_a_refused_request_changes_nothing(soc, device, name, values):
    before = dict(soc.words)
    with pytest.raises(RequestRefusedError) as refused:
        device.request(name, **values)
    assert refused.value.code == "bad_argument" and soc.words == before


def test_range_and_sampling_are_changed_while_the_monitor_is_off_and_cleared(soc, device):
    device.request("monitor", on=True)
    enabled = []
    soc.on_write = lambda address, word: enabled.append(
        (address, soc.get("mrc_control", "enable"), soc.get("mrc_command"))
    )
    assert device.request("set_range", lower=3, upper=9).values == [3, 9]
    device.request("set_sampling", sampling=2)
    clear = soc.word("mrc_command", clear=1)
    for register in ("range_lower", "range_upper", "sampling"):
        address = soc.places[f"mrc_{register}"][0]
        assert {on for place, on, _ in enabled if place == address} == {0}
    command = soc.places["mrc_command"][0]
    assert [word for place, _, word in enabled if place == command] == [clear, clear]
    assert soc.get("mrc_control", "enable") == 1


def test_a_sampling_rate_that_the_gateware_lacks_is_refused_and_undone(soc, device):
    def only_2_bits(address, word):
        if address == soc.places["mrc_sampling"][0]:
            soc.words[address] = word & 3

    soc.on_write = only_2_bits
    with pytest.raises(RequestRefusedError, match="does not support this sampling rate"):
        device.request("set_sampling", sampling=5)
    assert device.request("get_sampling").values == [0, 0]


def test_a_lost_command_is_refused_and_acknowledged(soc, device):
    def lose(address, word):
        if address == soc.places["mrc_invalidate"][0]:
            soc.set("mrc_status", command_lost=1)

    soc.on_write = lose
    with pytest.raises(RequestRefusedError, match="a command was lost"):
        device.request("invalidate", frame=3)
    assert soc.get("mrc_status", "command_lost") == 0


@pytest.mark.parametrize(
    ("name", "values"), [("set_range", {"lower": 3, "upper": 9}), ("set_sampling", {"sampling": 2})]
)
def test_settings_whose_clear_is_lost_are_undone_and_the_monitor_counts_on(soc, device, name, values):
    device.request("monitor", on=True)
    device.request("set_range", lower=1, upper=60)
    settings = ("range_lower", "range_upper", "sampling", "control")
    before = [soc.get(f"mrc_{register}") for register in settings]

    def lose(address, word):
        if address == soc.places["mrc_command"][0] and word == soc.word("mrc_command", clear=1):
            soc.set("mrc_status", command_lost=1)

    soc.on_write = lose
    with pytest.raises(RequestRefusedError, match="a command was lost"):
        device.request(name, **values)
    assert [soc.get(f"mrc_{register}") for register in settings] == before
    assert soc.get("mrc_control", "enable") == 1


def lossy(soc, register, losses):
    """Lose the first writes to a register, as Etherbone may; returns a list of those lost."""
    lost, write = [], soc.write

    def write_or_lose(address, data):
        if address == soc.places[register][0] and len(lost) < losses:
            lost.append(data)
        else:
            write(address, data)

    soc.write = write_or_lose
    return lost


def test_an_end_of_epoch_that_is_lost_on_its_way_is_ordered_again(soc, device):
    lost = lossy(soc, "mrc_command", 1)
    device.request("end_epoch")
    assert len(lost) == 1 and soc.get("mrc_epoch") == 1
    lossy(soc, "mrc_command", 99)
    with pytest.raises(RequestRefusedError, match="the epoch did not end"):
        device.request("end_epoch")
    assert soc.get("mrc_epoch") == 1


def test_a_command_that_is_never_taken_is_refused_after_the_timeout(soc, tmp_path):
    soc.set("mrc_status", command_pending=1)
    with (
        served(soc, tmp_path) as url,
        Device(url, timeout_s=0.4) as device,
        pytest.raises(RequestRefusedError, match="still waits for the queue"),
    ):
        device.request("clear")


def test_freeze_and_single_shot_are_fields_of_control(soc, device):
    assert device.request("freeze", on=True).values == [1, 0, 0]
    soc.set("mrc_status", frozen=1)
    assert device.request("single_shot", on=True).values == [1, 1, 1]
    assert device.request("freeze", on=False).values == [0, 1, 1]


def test_rank_messages_follow_the_epoch_they_belong_to(ranked):
    soc, device = ranked
    for word in range(16 * DOMAINS):
        soc.words[RANKS_WINDOW + 4 * word] = 0
    standby = MeterWord.PRECHARGE_STANDBY
    for domain in range(DOMAINS):
        soc.words[RANKS_WINDOW + 4 * (16 * domain + standby)] = 900
    soc.set("ranks_snapshot_clocks", 900)
    soc.set("ranks_working", 0b10)
    upper, _ = soc.places["ranks_state"]
    soc.words[upper + 4] = 3 << STATE_BITS  # domain 1: self-refresh; the lower word is the second
    dram = rank_commands.get_dram(device)
    assert (dram.ranks, dram.virtual, dram.part, dram.phases) == (2, False, "mt41k64m16", 4)
    collector = Collector(device, dram)
    soc.end_epoch()
    for _ in collector.collect(1):
        pass
    (rows,) = collector.ranks
    assert rows[["epoch", "domain", "clocks", "working"]].tolist() == [
        (0, 0, 900, False),
        (0, 1, 900, True),
    ]
    assert rows["state"].tolist() == [0, 3]
    assert rows["live_pages"].tolist() == [32, 32]  # it is not known which pages somebody needs: all


def test_rank_policy_and_working_set_are_fields_of_registers(ranked):
    soc, device = ranked
    policy = RankPolicy("mrc", "power_down", "self_refresh", "dynamic", 100, 20_000)
    assert rank_commands.set_policy(device, policy) == policy
    assert {name: soc.get("ranks_policy", name) for name in layout().fields["ranks"]["policy"]} == {
        "kind": 3,
        "static_state": 2,
        "mrc_state": 3,
        "mrc_base": 2,
    }
    assert soc.get("ranks_threshold_self_refresh") == 20_000
    size = WorkingSetSize(automatic=True, groups=3, epsilon=0.25)
    assert rank_commands.set_working_set(device, size) == size
    rank_commands.set_state(device, 1, "power_down")
    assert (soc.get("ranks_command", "domain"), soc.get("ranks_command", "state")) == (1, 2)


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("set_rank_state", {"domain": 2, "state": "awake"}, "no such domain"),
        ("set_rank_state", {"domain": 0, "state": "self_refresh_partial"}, "cannot reach that state"),
        ("set_rank_loss", {"domain": 0, "allowed": True, "part": 1}, "cannot reach self_refresh_partial"),
        ("set_working_set", {"automatic": False, "groups": 5, "epsilon": 0}, "fewer groups"),
    ],
)
def test_what_ranks_cannot_do_is_refused(ranked, name, values, sentence):
    _, device = ranked
    with pytest.raises(RequestRefusedError, match=sentence):
        device.request(name, **values)


def test_no_domain_may_lose_data_as_all_pages_count_as_live(tmp_path):
    soc = FakeSoC(ranks=True)
    soc.set("ranks_capabilities", states=0b11111)
    with served(soc, tmp_path) as url, Device(url, timeout_s=scaled_timeout(5)) as device:
        with pytest.raises(RequestRefusedError, match="data may be needed") as refused:
            device.request("set_rank_loss", domain=0, allowed=True, part=1)
        assert refused.value.code == "busy" and soc.get("ranks_partial_allowed") == 0
        device.request("set_rank_loss", domain=0, allowed=False, part=1)
        assert soc.get("ranks_partial") == 1


def test_a_request_that_takes_longer_than_the_device_waits_is_performed_once(soc, tmp_path):
    """`Device` repeats a request after a quarter of the timeout."""
    given = []
    with served(soc, tmp_path) as url, Device(url, timeout_s=2) as device:

        def take_long(address, word):
            if address == soc.places["mrc_command"][0]:
                given.append(word)
                time.sleep(0.8)

        soc.on_write = take_long
        assert device.request("clear").values == []
    assert len(given) == 1
