# SPDX-License-Identifier: BSD-2-Clause
"""Collections from a peer: counters are received as sent, losses are counted, faults are survived."""

import litemrc
import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.record_rows import EpochLedger
from litemrc.device.device import Device
from litemrc.device.errors import DeviceFaultError, DeviceGoneError
from litemrc.device.running import Run

from tests.firmware.link.link_messages import counters_of
from tests.host.epoch_rows import each_row


def rows_of(collector):
    return each_row(collector.counts)


def check_counters(rows):
    for row in rows:
        expected = counters_of(row.epoch, row.context)
        assert {name: getattr(row, name) for name in expected} == expected


def test_programs_run_one_after_the_other_and_the_collection_ends_with_the_last(start_peer):
    with Device(start_peer(period_ms=2).url) as device:
        collector = Collector(device)
        for _ in collector.collect(runs=[Run("zipf"), Run("loop", context=5, scale=2)]):
            pass

    table = collector.table()
    assert table.context.tolist() == [1] * 3 + [5] * 6, "the peer makes 3 epochs times scale"
    assert dict(table.context_names) == {1: "zipf", 5: "loop"}
    assert collector.cycles == [("zipf", 1, 1000), ("loop", 5, 2000)]
    assert (table.page_bytes, table.frames, table.groups, table.engine) == (4096, 8192, 64, "group_stack")


def test_collected_curves_are_those_of_the_counters_sent(start_peer):
    curves = litemrc.collect(start_peer(period_ms=2).url, runs=["zipf", "loop:5:2"])

    assert list(curves) == ["zipf", "loop"]
    for name, context, epochs in (("zipf", 1, range(3)), ("loop", 5, range(3, 9))):
        sent = [counters_of(epoch, context) for epoch in epochs]
        accesses = sum(each["accesses"] for each in sent)
        hits = [sum(each["hits"][group] for each in sent) for group in range(64)]
        curve = curves[name]
        assert (curve.accesses, curve.misses) == (accesses, sum(each["misses"] for each in sent))
        assert curve.resolution_pages == 8192 // 64
        for groups in (1, 2, 64):
            ratio = (accesses - sum(hits[:groups])) / accesses
            assert curve.at(pages=128 * groups) == curve.at(bytes=128 * 4096 * groups) == ratio


def test_a_device_collects_more_than_once(start_peer):
    with litemrc.Device(start_peer(period_ms=2).url) as device:
        first, second = device.collect(runs=["zipf"]), device.collect(runs=["zipf"])
    assert list(first) == list(second) == ["zipf"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_a_noisy_link_received_and_lost_make_up_what_was_sent(start_peer, seed):
    """One byte in a thousand is damaged, so one frame of about 260 bytes in four."""
    peer = start_peer(noise=1000, seed=seed)
    with Device(peer.url, timeout_s=2) as device:
        before = device.hello.epoch
        collector = Collector(device)
        for _ in collector.collect(runs=[Run("zipf", scale=60), Run("loop", scale=60)]):
            pass
        statistics = collector.link_statistics
        after = device.say_hello().epoch

    check_counters(rows_of(collector))
    assert statistics["epoch_messages"] == len(collector.counts)
    assert statistics["epoch_messages"] + statistics["epoch_messages_lost"] == after - before == 360
    assert 20 < statistics["epoch_messages_lost"] < 150
    assert peer.messages_sent() == 360


@pytest.mark.parametrize(
    ("fault", "error", "why"),
    [
        ("vanish", DeviceGoneError, "connection was closed"),
        ("restart", DeviceGoneError, "restarted"),
        ("nonsense", DeviceFaultError, "epoch 5, context 1"),
    ],
)
def test_what_was_collected_before_a_fault_stays(start_peer, fault, error, why):
    """The peer fails after its epochs 0 to 4; the first may have been sent before the collection began."""
    with Device(start_peer(epochs=50, period_ms=20, fault=fault).url) as device:
        collector = Collector(device)
        with pytest.raises(error, match=why):
            for _ in collector.collect(epochs=40):
                pass

        epochs = sorted({row.epoch for row in rows_of(collector)})
        assert epochs in ([0, 1, 2, 3, 4], [1, 2, 3, 4])
        check_counters(rows_of(collector))
        assert collector.table(interrupted=True).interrupted


def test_hits_deeper_than_the_sampled_memory_are_nonsense(start_peer):
    """The peer has hits in all its groups, but half of the pages cannot fill more than half of the groups."""
    with Device(start_peer(period_ms=2).url) as device:
        device.request("set_sampling", sampling=1)
        collector = Collector(device)
        with pytest.raises(DeviceFaultError, match="epoch 0, context 1: hits deeper than the memory"):
            for _ in collector.collect(runs=[Run("zipf")]):
                pass


@pytest.mark.parametrize(
    ("first", "noted", "received", "lost"),
    [
        (0, [(0, True), (1, True)], 2, 0),
        (0, [(0, True), (3, True)], 2, 2),
        (0, [(0, True), (1, False)], 1, 0),  # an event: all epochs before 1 have come
        (0, [(0, True), (3, False)], 1, 2),
        (7, [(9, True), (12, False)], 1, 4),
        (2**32 - 1, [(2**32 - 1, True), (0, True), (1, False)], 2, 0),  # the number wraps
    ],
)
def test_the_ledger_balances(first, noted, received, lost):
    ledger = EpochLedger(first)
    for epoch, is_record in noted:
        ledger.note(epoch, received=is_record)

    assert (ledger.received, ledger.lost) == (received, lost)


def test_a_ledger_notices_that_the_device_counts_anew():
    ledger = EpochLedger(100)

    with pytest.raises(ValueError, match="epoch 0, and those before 100 had ended already"):
        ledger.note(0, received=False)
