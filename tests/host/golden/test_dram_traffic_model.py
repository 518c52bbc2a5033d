# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands of an epoch: row hits, row conflicts, the queue, and what all counts add up to."""

from hypothesis import given
from hypothesis import strategies as st
from litemrc.golden.monitor.dram_traffic import BankCounts, Commands, DRAMTraffic

BANKS = 4
banks = st.integers(0, BANKS - 1)
maybe_bank = st.none() | banks


@st.composite
def commands(draw) -> Commands:
    """Commands of a cycle; an ACTIVATE is of another bank than the rest."""
    access, precharge = draw(maybe_bank), draw(maybe_bank)
    everything = draw(st.sampled_from(("", "", "", "precharge_all", "refresh")))
    if everything:
        return Commands(**{everything: (0,)})
    activate = draw(maybe_bank.filter(lambda bank: bank is None or bank not in (access, precharge)))
    return Commands(access, draw(st.booleans()), draw(st.booleans()), activate, precharge)


def counts_of(traffic: DRAMTraffic, *cycles: Commands) -> BankCounts:
    """Return the counts of bank 1 in an epoch of these cycles."""
    for each in cycles:
        traffic.cycle(each)
    return traffic.end_epoch().banks[1]


def test_row_hits_are_the_accesses_after_the_first_one_since_an_activate() -> None:
    traffic = DRAMTraffic(BANKS)
    read, write, activate = Commands(access=1), Commands(access=1, write=True), Commands(activate=1)
    first = counts_of(traffic, activate, read, Commands(access=2), write, read)
    assert first == BankCounts(reads=2, writes=1, row_hits=2, activates=1)
    # The row stays open over the end of an epoch.
    second = counts_of(traffic, read, Commands(precharge=1), activate, write)
    assert second == BankCounts(reads=1, writes=1, row_hits=1, activates=1, row_conflicts=1)


def test_a_row_conflict_is_an_activate_after_a_precharge_of_the_bank_alone() -> None:
    traffic = DRAMTraffic(BANKS)
    activate = Commands(activate=1)
    closes = {
        Commands(precharge=1): 1,
        Commands(access=1, auto_precharge=True): 1,
        Commands(precharge=2): 0,  # of another bank
        Commands(precharge_all=(0,)): 0,
        Commands(refresh=(0,)): 0,
        Commands(): 0,
    }
    for close, conflicts in closes.items():
        assert counts_of(traffic, activate, close, activate).row_conflicts == conflicts, close
        traffic.cycle(Commands(refresh=(0,)))
    alone, all_banks = Commands(precharge=1), Commands(precharge_all=(0,))
    assert counts_of(traffic, alone, activate).row_conflicts == 0  # after reset, or a REFRESH
    assert counts_of(traffic, alone, all_banks, activate).row_conflicts == 0
    assert counts_of(traffic, all_banks, alone, activate).row_conflicts == 0  # it was closed


def test_rows_and_queue_are_followed_without_counting() -> None:
    traffic = DRAMTraffic(BANKS)
    activate, access = Commands(activate=1), Commands(access=1, accepted=3)
    for each in (activate, access, Commands(precharge=1, accepted=2, issued=1)):
        traffic.cycle(each, counts=False)
    traffic.cycle(Commands(access=1, issued=1))
    epoch = traffic.end_epoch()
    assert epoch.banks[1] == BankCounts(reads=1, row_hits=1)
    assert (epoch.cycles, epoch.queue_peak) == (1, 3)


def test_the_queue_of_an_epoch_begins_with_that_of_the_epoch_before() -> None:
    traffic = DRAMTraffic(BANKS)
    peaks = []
    # Waiting at the begin of each cycle: 0, 3, 3; 2, 2; 1, 5; 4.
    for cycles in ((3, 0, -1), (0, -1), (4, -1), (0,)):
        for change in cycles:
            traffic.cycle(Commands(accepted=max(change, 0), issued=int(change < 0)))
        peaks.append(traffic.end_epoch().queue_peak)
    assert peaks == [3, 3, 2, 5]  # the last of each belongs to the next epoch


def test_ranks_close_apart_and_refresh_together() -> None:
    traffic = DRAMTraffic(BANKS, ranks=2)

    def conflicts_after(*cycles: Commands) -> list[int]:
        for bank in range(BANKS):
            traffic.cycle(Commands(activate=bank))
            traffic.cycle(Commands(precharge=bank))
        traffic.end_epoch()
        for each in (*cycles, *(Commands(activate=bank) for bank in range(BANKS))):
            traffic.cycle(each)
        epoch = traffic.end_epoch()
        assert epoch.refreshes == sum(len(each.refresh) > 0 for each in cycles)
        return [bank.row_conflicts for bank in epoch.banks]

    assert conflicts_after() == [1, 1, 1, 1]
    assert conflicts_after(Commands(precharge_all=(1,))) == [1, 1, 0, 0]
    assert conflicts_after(Commands(refresh=(0,))) == [0, 0, 1, 1]
    assert conflicts_after(Commands(refresh=(0, 1))) == [0, 0, 0, 0]
    assert conflicts_after(Commands(refresh=(0,)), Commands(refresh=(0,))) == [0, 0, 1, 1]


def test_banks_that_are_equal_modulo_16_count_together() -> None:
    traffic = DRAMTraffic(32, ranks=2)
    for bank in (3, 19):
        traffic.cycle(Commands(activate=bank))
        traffic.cycle(Commands(access=bank))
    traffic.cycle(Commands(access=3, write=True))
    epoch = traffic.end_epoch()
    assert len(epoch.banks) == 16 and len(epoch.words()) == 8 + 16 * 8
    assert epoch.banks[3] == BankCounts(reads=2, writes=1, row_hits=1, activates=2)


def test_words_are_in_the_order_of_the_window_and_saturate() -> None:
    traffic = DRAMTraffic(2, cycle_bits=3)
    for _ in range(9):
        traffic.cycle(Commands(access=1, write=True, refresh=(0,)))
    epoch = traffic.end_epoch()
    assert epoch.overflow
    assert epoch.words(counter_bits=3) == [8, 0, 7, 0, 0, 0, 0, 0, *[0] * 8, 0, 7, 7, 0, 0, 0, 0, 0]
    assert DRAMTraffic(2).end_epoch().words() == [0] * 24
    long = DRAMTraffic(1)
    long._epoch.cycles = 5 << 32 | 6
    assert long.end_epoch().words()[:2] == [6, 5]


@given(st.lists(st.tuples(commands(), st.booleans(), st.booleans()), max_size=60))
def test_accesses_are_row_hits_and_first_accesses_of_their_rows(cycles) -> None:
    traffic, firsts = DRAMTraffic(BANKS), [0] * BANKS
    accessed: set[int] = set()
    for now, counts, ends in cycles:
        traffic.cycle(now, counts)
        if now.access is not None:
            firsts[now.access] += counts and now.access not in accessed
            accessed.add(now.access)
        accessed.discard(now.activate)
        if ends:
            epoch = traffic.end_epoch()
            assert [each.reads + each.writes - each.row_hits for each in epoch.banks] == firsts
            assert all(each.row_conflicts <= each.activates for each in epoch.banks)
            firsts = [0] * BANKS
