# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters over the link: armed, read and watched, by the device layer and the command line."""

import json

import pytest
from litemrc.device import ref_counters
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_epochs import cost_per_access
from litemrc.device.device import Device
from litemrc.device.ref_counters import CounterSetting
from litemrc.device.running import Run
from litemrc.errors import UserError
from litemrc.traces.generators.traffic import Traffic

from tests.firmware.link.link_messages import pages_of
from tests.host.in_process import litemrc

OF_TRAFFIC = 1 << ref_counters.masters().index("traffic")
CONTEXT = 3


@pytest.fixture
def device(start_peer):
    with Device(start_peer(refs=1, period_ms=50).url) as device:
        yield device


def setting(**values):
    return CounterSetting(
        **{
            "initial": 3,
            "reads": True,
            "writes": False,
            "masters": OF_TRAFFIC,
            "contexts": 0xFF,
            "lower": 0,
            "upper": 1023,
        }
        | values
    )


def traffic(first_page, pages_log2, **values):
    """Pages of 1 KB, words of 8 bytes: 2^7 words each."""
    settings = {"random": False, "stride": 1, "writes": 0, "seed": 1}
    return Traffic(base=first_page << 7, words_log2=pages_log2 + 7, **settings | values)


def test_a_device_without_counters_is_distinguished(start_peer):
    with Device(start_peer().url) as device, pytest.raises(UserError, match="no reference counters"):
        ref_counters.get_unit(device)


def test_a_setting_comes_back_as_it_was_given(device):
    given = setting(initial=4095, writes=True, masters=5, contexts=0x81, lower=4, upper=9)
    assert ref_counters.arm(device, "update", given) == given
    assert ref_counters.get_setting(device, "update") == (given, True)
    device.request("count_requests", on=False)
    assert ref_counters.get_setting(device, "update") == (given, False)


def test_every_page_reports_once_and_again_when_it_is_armed_again(device):
    """4 pages x 5 accesses each, counters from 3."""
    ref_counters.arm(device, "delay", setting())
    ref_counters.start_traffic(device, traffic(8, 2), gap=0, count=20)
    assert [ref_counters.get_count(device, "delay", page) for page in (7, 8, 11)] == [3, 0, 0]
    ref_counters.set_count(device, "delay", 9, 5)
    ref_counters.start_traffic(device, traffic(8, 2), gap=0, count=20)
    events = [each for each in device.waiting() if each.name == "count"]
    assert [event.page for event in events] == [8, 9, 10, 11, 9]
    assert {event.counter for event in events} == {"delay"}


def test_a_collection_has_a_row_of_each_epoch(device):
    collector = Collector(device)
    for _ in collector.collect(None, [Run("zipf", CONTEXT)]):
        pass
    rows = collector.pages
    assert [row["epoch"] for row in rows] == [0, 1, 2]
    for row in rows:
        expected = pages_of(row["epoch"])
        assert {name: row[name] for name in expected} == expected
    assert cost_per_access(rows[0]) == 7000 / 200


def refcounters(peer, *arguments):
    return litemrc("refcounters", "--port", peer.url, *arguments)


def test_the_command_line_shows_what_counts(start_peer):
    done = refcounters(start_peer(refs=1), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["pages"], answer["counting"], answer["counters"]["delay"]["initial"]) == (1024, False, 0)
    done = refcounters(start_peer(refs=1))
    assert "1,024 pages of 1 KiB, 2 counters of 12 bits each" in done.stdout
    assert "delay: off" in done.stdout


def test_the_command_line_arms(start_peer):
    arguments = ("arm", "delay", "--initial", "64", "--reads", "--masters", "remote,2", "--pages", "0:15")
    done = refcounters(start_peer(refs=1), *arguments)
    assert done.stdout == "delay: from 64, reads of remote, traffic, all contexts, pages 0 to 15\n"
    answer = json.loads(refcounters(start_peer(refs=1), *arguments, "--json").stdout)
    assert (answer["masters"], answer["reads"], answer["writes"], answer["upper"]) == (6, True, False, 15)


def test_the_command_line_sets_reads_and_sends_traffic(start_peer):
    done = refcounters(start_peer(refs=1), "set", "update", "--page", "5", "--value", "9", "--json")
    assert json.loads(done.stdout) == {"page": 5, "update": 9}
    done = refcounters(start_peer(refs=1), "read", "4:5", "--json")
    assert json.loads(done.stdout)["pages"] == [{"page": page, "delay": 0, "update": 0} for page in (4, 5)]
    done = refcounters(start_peer(refs=1), "traffic", "--pages", "0:3", "--count", "8")
    assert done.stdout == "8 accesses to pages 0 to 3\n"


def test_the_command_line_watches_a_program(start_peer):
    """The second of two epochs cost 5000 cycles for 200 accesses."""
    done = refcounters(start_peer(refs=1, period_ms=50), "watch", "--run", "zipf", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["recent_cost_per_access"] for row in rows] == [35.0, 25.0, 25.0]
    done = refcounters(start_peer(refs=1, period_ms=50), "watch", "--run", "zipf")
    assert done.stdout.splitlines()[1].endswith("25.0 cycles per access")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("traffic", "--pages", "0:2", "--count", "8"), "3 pages"),
        (("read", "5:2"), "must be a page or a range"),
        (("arm", "delay", "--initial", "5000"), "the device refused arm_counter"),
    ],
)
def test_bad_input_is_reported(start_peer, arguments, said):
    done = refcounters(start_peer(refs=1), *arguments)
    assert done.returncode == 2
    assert said in done.stderr
