# SPDX-License-Identifier: BSD-2-Clause
"""A record has the DRAM's commands of its epoch, of each bank, from behind all else in the window."""

from errno import EINVAL

import pytest

from tests.linux.driver.guest import FAKE, S

BANKS_MOST = 16
ACCESS_BYTES, REFRESH_CYCLES = 16, 39  # of the fake
FLAG_ROWS = 0x20  # LITEMRC_EPOCH_DRAM_ROWS
RANKS_MOST = 16
RANKS, GROUPS, TAIL_GROUPS = 4, 64, 128
ROW_BYTES = 44 + (GROUPS + 3) * 4
HEAD_BYTES, RANK_BYTES, BANK_BYTES = 88 + 3 * 8, 88, 32


def head_word(epoch, word):
    """Of the window in an epoch from 0 (fake_dram.c): cycles, their high part, refreshes, peak."""
    return epoch * 1009 + word * 17 + 1


def bank_word(epoch, bank, word):
    """The same of a bank: reads, writes, row hits, ACTIVATEs, row conflicts."""
    return epoch * 10007 + bank * 211 + 8 - word


def described(epoch, banks, rows=True):
    """The agent's lines of a record; without rows all but reads and writes is 0."""
    low, high, refreshes, peak = (head_word(epoch, word) * rows for word in range(4))
    words = [5 if rows else 2] * banks
    of_banks = [
        [bank_word(epoch, bank, word) * (word < known) for word in range(8)]
        for bank, known in enumerate(words)
    ]
    head = f"dram flags {FLAG_ROWS * rows} access_bytes {ACCESS_BYTES} cycles {low + (high << 32)} "
    head += f"refreshes {refreshes} refresh_cycles {REFRESH_CYCLES * rows} queue_peak {peak}"
    return [head] + [f"bank {bank} {' '.join(map(str, found))}" for bank, found in enumerate(of_banks)]


def insert(guest, parameters):
    guest.do("rmmod litemrc_fake")
    guest.do(f"insmod /litemrc_fake.ko {parameters}")


def end_epochs(guest, count):
    for _ in range(count):
        assert guest.write(S + "end_epoch", 1) == 0


def parameters(guest):
    return guest.values(S + "parameters")


def lines_of_banks(guest, epochs):
    lines = guest.do(f"read {parameters(guest)['record_bytes']} {epochs}")
    return [line for line in lines if line.startswith(("dram", "bank"))]


@pytest.mark.parametrize("before", ["", "page_bitmap=1", "hot_pages=16", "page_bitmap=1 hot_pages=64"])
def test_a_record_has_the_counts_of_its_epoch(monitor, before):
    """Behind the frames' bits and the hot pages, in the window of whatever gateware."""
    insert(monitor, f"banks=8 {before}")
    monitor.do("open /dev/litemrc0")
    end_epochs(monitor, 3)
    assert lines_of_banks(monitor, 3) == [line for epoch in range(3) for line in described(epoch, 8)]
    monitor.do("close")
    found = parameters(monitor)
    assert (found["banks"], found["access_bytes"]) == ("8", str(ACCESS_BYTES))


def test_where_rows_are_not_observed_only_reads_and_writes_are_known(monitor):
    insert(monitor, "banks=1 rows=0")
    monitor.do("open /dev/litemrc0")
    end_epochs(monitor, 2)
    assert lines_of_banks(monitor, 2) == [line for epoch in range(2) for line in described(epoch, 1, False)]
    monitor.do("close")


def test_the_banks_are_behind_rows_and_ranks_of_a_record_of_any_length(monitor):
    """A record is as long as its rows, ranks and banks, with and without a row."""
    insert(monitor, f"banks={BANKS_MOST} ranks={RANKS}")
    longest = HEAD_BYTES + 8 * (ROW_BYTES + TAIL_GROUPS * 4) + RANKS * RANK_BYTES + BANKS_MOST * BANK_BYTES
    unused = (RANKS_MOST - RANKS) * RANK_BYTES  # litemrc_ranks, which counts the ranks, comes later
    assert parameters(monitor)["record_bytes"] == str(longest + unused)
    monitor.do("open /dev/litemrc0")
    monitor.write(S + "enable", 1)
    for epoch, accesses in enumerate((0, 9)):
        monitor.do(f"w {FAKE}access {accesses}")
        end_epochs(monitor, 1)
        answer = monitor.ask(f"read {longest + unused}")
        rows = ROW_BYTES if accesses else 0
        assert answer.result == HEAD_BYTES + rows + RANKS * RANK_BYTES + BANKS_MOST * BANK_BYTES
        assert [line for line in answer.lines if line.startswith(("dram", "bank"))] == described(
            epoch, BANKS_MOST
        )
        assert len([line for line in answer.lines if line.startswith("rank")]) == RANKS
    monitor.do("close")


def test_a_place_of_the_ring_has_the_counts_of_its_last_epoch(monitor):
    insert(monitor, "banks=2")
    monitor.do("open /dev/litemrc0")
    for epoch in range(64 + 2):
        end_epochs(monitor, 1)
        assert lines_of_banks(monitor, 1) == described(epoch, 2)
    monitor.do("close")


def test_gateware_without_such_counts_has_no_banks(monitor):
    monitor.do("open /dev/litemrc0")
    end_epochs(monitor, 1)
    assert lines_of_banks(monitor, 1) == []
    monitor.do("close")
    found = parameters(monitor)
    assert (found["banks"], found["access_bytes"]) == ("0", "0")


def test_the_fake_refuses_more_banks_than_there_may_be(monitor):
    monitor.do("rmmod litemrc_fake")
    assert monitor.ask("insmod /litemrc_fake.ko banks=17").result == -EINVAL
    monitor.do("insmod /litemrc_fake.ko")
