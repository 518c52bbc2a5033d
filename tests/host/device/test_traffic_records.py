# SPDX-License-Identifier: BSD-2-Clause
"""DRAM commands of records: what a device counts is known, what it does not observe is absent, not 0."""

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.traffic import traffic_of
from litemrc.device.errors import DeviceFaultError
from litemrc.device.link.schema import schema
from litemrc.epochs.traffic import BANK_COUNTS

from tests.host.scripted_device import ScriptedLink, counted, device_at, ended, hello
from tests.records import make_record

ROWS = schema().constants["epoch_dram_rows"]
BANKS = [
    {"reads": 600, "writes": 200, "row_hits": 700, "activates": 100, "row_conflicts": 60},
    {"reads": 100, "writes": 100, "row_hits": 40, "activates": 160, "row_conflicts": 150},
]
HEAD = {"access_bytes": 16, "cycles": 10_000, "refreshes": 12, "refresh_cycles": 20, "queue_peak": 8}


def record(banks=BANKS, **head):
    return make_record(groups=4, parts={"banks": banks}, **HEAD | {"flags": ROWS} | head)


def test_commands_of_each_bank_are_kept():
    traffic = traffic_of(record(), clock_hz=50_000_000)
    assert {name: getattr(traffic, name).tolist() for name in BANK_COUNTS} == {
        name: [bank[name] for bank in BANKS] for name in BANK_COUNTS
    }
    assert (traffic.cycles, traffic.refreshes, traffic.refresh_cycles) == (10_000, 12, 20)
    assert (traffic.queue_peak, traffic.access_bytes) == (8, 16)
    assert traffic.seconds == pytest.approx(10_000 / 50e6)
    assert traffic.read_bandwidth == pytest.approx(700 * 16 / 200e-6)
    assert traffic.write_bandwidth == pytest.approx(300 * 16 / 200e-6)
    assert (traffic.peak_share, traffic.row_hit_rate) == (1000 / 10_000, 740 / 1000)
    assert traffic.refresh_share == 12 * 20 / 10_000


def test_what_a_device_without_rows_does_not_count_is_absent():
    """Of its counts only reads and writes are known; the time is that of the operating system."""
    head = dict.fromkeys(("cycles", "refreshes", "refresh_cycles", "queue_peak"), 0)
    found = record([{"reads": 5, "writes": 3}], **head, flags=0, begin_ns=1_000, end_ns=3_000)
    traffic = traffic_of(found, clock_hz=50_000_000)
    assert (traffic.reads.tolist(), traffic.writes.tolist()) == ([5], [3])
    absent = ("row_hits", "activates", "row_conflicts", "cycles", "refreshes", "refresh_cycles", "queue_peak")
    assert [getattr(traffic, name) for name in absent] == [None] * 7
    assert (traffic.peak_share, traffic.row_hit_rate, traffic.refresh_share) == (None, None, None)
    assert traffic.seconds == 2e-6
    assert traffic.read_bandwidth == pytest.approx(5 * 16 / 2e-6)


@pytest.mark.parametrize("times", [(0, 0), (0, 9), (9, 9), (9, 8)])
def test_without_a_clock_there_are_bytes_and_no_bandwidth(times):
    traffic = traffic_of(record(cycles=0, begin_ns=times[0], end_ns=times[1]), clock_hz=1)
    assert (traffic.bytes_read, traffic.bytes_written) == (700 * 16, 300 * 16)
    assert (traffic.seconds, traffic.read_bandwidth, traffic.write_bandwidth) == (None, None, None)
    assert traffic.bandwidth_of(100) is None


def test_a_record_without_banks_has_no_traffic():
    assert traffic_of(make_record(groups=4), clock_hz=1) is None
    assert traffic_of(record(access_bytes=0), clock_hz=1) is None
    assert traffic_of(record([]), clock_hz=1) is None


def collector(monkeypatch, **options):
    link = ScriptedLink(hello=lambda: hello(clock_hz=1_000_000))
    return link, Collector(device_at(link, monkeypatch), **options)


def test_a_collection_keeps_traffic_where_it_is_asked_for(monkeypatch):
    """An epoch of which there is none leaves a gap."""
    epochs = [ended(0, banks=BANKS, **HEAD), ended(1), ended(2, counted(1, 2), banks=BANKS[:1], **HEAD)]
    link, kept = collector(monkeypatch, traffic=True)
    link.inbox.extend(epochs)
    list(kept.collect(3))
    assert [(number, traffic.reads.tolist()) for number, traffic in kept.traffic] == [
        (0, [600, 100]),
        (2, [600]),
    ]
    assert kept.traffic[0][1].seconds == 0.01, "10,000 cycles of 1 MHz"
    kept.forget()
    assert kept.traffic == []
    link, kept = collector(monkeypatch)
    link.inbox.extend(epochs)
    list(kept.collect(3))
    assert kept.traffic is None


@pytest.mark.parametrize(
    ("banks", "head", "why"),
    [
        (BANKS, {"access_bytes": 0}, "counts of banks whose accesses have 0 bytes"),
        ([BANKS[0], {"reads": 3, "writes": 4, "row_hits": 8}], {}, "bank 1: 8 row hits of 7 accesses"),
        ([{"activates": 3, "row_conflicts": 4}], {}, "bank 0: 4 row conflicts of 3 ACTIVATEs"),
    ],
)
def test_counts_that_contradict_each_other_are_named(monkeypatch, banks, head, why):
    link, kept = collector(monkeypatch, traffic=True)
    link.inbox.append(ended(0, banks=banks, **HEAD | head))
    with pytest.raises(DeviceFaultError, match=f"the device sent nonsense: epoch 0.*{why}"):
        list(kept.collect(1))


def test_saturated_counts_are_accepted(monkeypatch):
    """2^32 - 1 each: reads and writes have more than 32 bits together."""
    link, kept = collector(monkeypatch, traffic=True)
    link.inbox.append(ended(0, banks=[dict.fromkeys(BANK_COUNTS, 2**32 - 1)], **HEAD))
    list(kept.collect(1))
    assert kept.traffic[0][1].accesses == 2 * (2**32 - 1)
