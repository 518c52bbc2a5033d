# SPDX-License-Identifier: BSD-2-Clause
"""Epochs over a bridge: each once, whole, in order, and the missed ones counted."""

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.errors import DeviceGoneError

from tests.host.device.bridge.fake_soc import ROW, WINDOW, counters_of
from tests.host.epoch_rows import each_row

HITS_OF_CONTEXT_1 = WINDOW + 4 * ROW


def collected(device, epochs):
    collector = Collector(device)
    messages = list(collector.collect(epochs))
    return collector, messages


def rows_of(collector):
    return each_row(collector.counts)


def check_rows(collector):
    for row in rows_of(collector):
        expected = counters_of(row.epoch, row.context)
        assert {name: getattr(row, name) for name in expected} == expected
        assert row.dropped == 40 + row.epoch


def during_reads_of(soc, address, do):
    """Call `do` before each read of an address; with the number of calls so far."""
    calls = []

    def before_read(place):
        if place == address:
            calls.append(place)
            do(len(calls))

    soc.before_read = before_read


def end_epochs_when_released(soc, used=(0, 1)):
    def before_read(address):
        if address == soc.places["mrc_status"][0] and not soc.get("mrc_status", "epoch_ready"):
            soc.end_epoch(used)

    soc.before_read = before_read


def test_each_epoch_is_collected_once_and_whole(soc, device):
    end_epochs_when_released(soc)
    collector, _ = collected(device, 3)
    assert [(row.epoch, row.context) for row in rows_of(collector)] == [
        (e, c) for e in range(3) for c in (0, 1)
    ]
    check_rows(collector)
    assert collector.link_statistics["epoch_messages_lost"] == 0


def test_contexts_without_accesses_have_no_row_but_an_epoch_without_any_has_one(soc, device):
    end_epochs_when_released(soc, used=(1,))
    assert [row.context for row in rows_of(collected(device, 1)[0])] == [1]
    end_epochs_when_released(soc, used=())
    (row,) = rows_of(collected(device, 1)[0])
    assert (row.context, row.accesses, row.misses) == (0, 0, 0)


def test_an_epoch_of_before_the_session_is_released_and_not_reported(soc, tmp_path):
    from litemrc.device.device import Device

    from tests.host.device.bridge.fake_soc import served

    soc.end_epoch()
    with served(soc, tmp_path) as url, Device(url) as device:
        assert soc.get("mrc_status", "epoch_ready") == 1  # a look at the device takes nothing away
        assert device.receive(0) is None
        assert soc.get("mrc_status", "epoch_ready") == 0


def test_an_epoch_overwritten_while_it_is_read_is_lost_and_the_next_one_whole(soc, device):
    soc.set("mrc_control", hold=0)
    soc.end_epoch()
    during_reads_of(soc, HITS_OF_CONTEXT_1, lambda call: soc.end_epoch() if call == 1 else None)
    collector, _ = collected(device, 1)
    assert {row.epoch for row in rows_of(collector)} == {1}
    check_rows(collector)
    assert collector.link_statistics["epoch_messages_lost"] == 1


def test_totals_that_are_copied_before_the_epoch_counts_are_not_taken(soc, device):
    """The monitor copies totals into the window, then counts the epoch: `epoch` alone does not show it."""
    soc.set("mrc_control", hold=0)
    soc.end_epoch()

    def copy_totals(call):
        if call == 1:
            soc.set("mrc_status", epoch_due=1)
            hits = [soc.words[WINDOW + 4 * (ROW + group)] for group in range(4)]
            soc.fill_window(1)
            for group, hit in enumerate(hits):
                soc.words[WINDOW + 4 * (ROW + group)] = hit
        else:
            soc.end_epoch() if call == 2 else None

    during_reads_of(soc, HITS_OF_CONTEXT_1, copy_totals)
    collector, _ = collected(device, 1)
    assert {row.epoch for row in rows_of(collector)} == {1}
    check_rows(collector)


def test_epochs_that_always_end_too_early_are_reported(soc, device):
    soc.set("mrc_control", hold=0)
    soc.end_epoch()
    during_reads_of(soc, HITS_OF_CONTEXT_1, lambda call: soc.end_epoch())
    message = device.receive(0)
    assert (message.name, message.level) == ("log", "warning")
    assert "overwritten while it was read" in message.line


def test_an_epoch_that_other_software_released_is_read_while_it_is_there(soc, device):
    soc.end_epoch()
    soc.set("mrc_status", epoch_ready=0)
    assert device.receive(0) is None  # it might be incomplete: the rank meter is later
    assert device.receive(0).name == "epoch"
    soc.end_epoch()
    soc.end_epoch()  # released twice by others: one is lost
    assert device.receive(0).epoch == 2


def test_two_ends_in_a_row_end_two_epochs(soc, device):
    device.request("end_epoch")
    device.request("end_epoch")
    messages = [device.receive(0) for _ in range(2)] + device.waiting()
    assert {message.epoch for message in messages if message} >= {1}
    assert soc.get("mrc_epoch") == 2


def test_a_monitor_that_was_reset_ends_the_collection(soc, device):
    soc.set("mrc_epoch", 5)
    soc.end_epoch()
    assert device.receive(0).epoch == 5
    soc.set("mrc_epoch", 0)
    soc.end_epoch()
    with pytest.raises(DeviceGoneError, match="reset"):
        while device.receive(0):
            pass
