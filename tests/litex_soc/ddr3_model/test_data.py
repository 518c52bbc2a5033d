# SPDX-License-Identifier: BSD-2-Clause
"""The DDR3 model keeps data as long as the standard guarantees, and not longer."""

import pytest

from tests.litex_soc.ddr3_model.broken_streams import MODE_REGISTERS, TREFI
from tests.litex_soc.ddr3_model.streams import check

BANKS = range(8)
ROW_BYTES, BANK_BYTES = 2048, 2048 << 14


def lost_word(bank: int, row: int, column: int) -> int:
    """The value of a lost word: dead, and the low bits of the number of its 32-bit word."""
    return 0xDEAD0000 | (bank * BANK_BYTES + row * ROW_BYTES + column * 2) // 4 & 0xFFFF


def write_all_banks(row: int, byte: str = "5a") -> str:
    """Open a row of every bank, write column 8, close it."""
    return "".join(f"+30 ACT 0 {b} {row:x}\n+6 WR 0 {b} 8 {byte} 0\n+20 PRE 0 {b}\n" for b in BANKS)


def read_all_banks(row: int) -> str:
    return "".join(f"+30 ACT 0 {b} {row:x}\n+6 RD 0 {b} 8\n+20 PRE 0 {b}\n" for b in BANKS)


# MR2's A2:A0 and the banks that self-refresh keeps (JESD79-3F, MR2 definition).
PARTS = {0: BANKS, 1: (0, 1, 2, 3), 2: (0, 1), 3: (0,), 4: range(2, 8), 5: (4, 5, 6, 7), 6: (6, 7), 7: (7,)}


@pytest.mark.parametrize("part", PARTS)
def test_self_refresh_of_a_part_keeps_that_part_and_loses_the_rest(check_stream, part):
    stream = f"@100 MRS 0 2 {part:x}\n+20 END\n" + write_all_banks(5)
    stream += "+20 SRE 0\n+100000 SRX 0\n+68 REF 0\n+600 END\n" + read_all_banks(5)
    done = check(check_stream, stream)
    assert done.rules == []
    for read in done.reads:
        kept = read.bank in PARTS[part]
        assert (read.state, read.word) == (
            ("kept", 0x5A5A5A5A) if kept else ("lost", lost_word(read.bank, 5, 8))
        )
    assert done.counts["lost_reads"] == len(BANKS) - len(PARTS[part])


def test_a_whole_self_refresh_keeps_data_for_any_time(check_stream):
    stream = "@100 END\n" + write_all_banks(7) + "+20 SRE 0\n+4000000000 SRX 0\n+68 REF 0\n+600 END\n"
    done = check(check_stream, stream + read_all_banks(7))
    assert done.rules == [] and {read.state for read in done.reads} == {"kept"}


def test_power_down_without_refresh_loses_the_rank_and_no_other(check_stream):
    write = "@{t} ACT {rank} 0 5\n+6 WR {rank} 0 8 5a 0\n+20 PRE {rank} 0\n"
    stream = write.format(t=100, rank=0) + write.format(t=200, rank=1) + "+10 PDE 0\n"
    stream += "".join(f"@{300 + n * TREFI} REF 1\n" for n in range(1, 12))
    stream += "+100 PDX 0\n+10 ACT 0 0 5\n+6 RD 0 0 8\n+20 ACT 1 0 5\n+6 RD 1 0 8"
    done = check(check_stream, stream, "ranks=2")
    assert done.rules == ["REFRESH_DEBT", "tPD_MAX"]
    assert [(read.rank, read.state) for read in done.reads] == [(0, "lost"), (1, "kept")]


def test_a_refresh_each_interval_keeps_data(check_stream):
    stream = write_all_banks(3) + "".join(f"@{600 + n * TREFI} REF 0\n" for n in range(1, 100))
    done = check(check_stream, "@100 END\n" + stream + "+64 END\n" + read_all_banks(3))
    assert done.rules == [] and done.counts["lost_reads"] == 0


def test_a_refresh_a_thousandth_late_each_time_is_in_debt_in_the_end(check_stream):
    # 4 cycles of 3125 each time: the eighth interval is lost after 6250.
    late = TREFI + 4
    stream = "@100 REF 0\n" + "".join(f"@{100 + n * late} REF 0\n" for n in range(1, 8000))
    done = check(check_stream, stream)
    assert done.rules == ["REFRESH_DEBT"]
    assert check(check_stream, stream, f"tREFI_ps={late * 2500}").rules == []


def test_debts_are_kept_over_self_refresh_and_its_extra_refresh_pays_none(check_stream):
    # The account runs 8 intervals before and 1 after self-refresh, without a refresh but the extra one.
    stream = f"@100 REF 0\n+{8 * TREFI} SRE 0\n+{50 * TREFI} SRX 0\n+68 REF 0\n@{{last}} REF 0"
    last = 100 + 59 * TREFI
    assert check(check_stream, stream.format(last=last)).rules == []
    assert check(check_stream, stream.format(last=last + 1)).rules == ["REFRESH_DEBT"]


def test_a_byte_written_again_after_a_loss_is_no_longer_lost(check_stream):
    lose = "@100 MRS 0 2 3\n+20 ACT 0 1 5\n+6 WR 0 1 8 5a 0\n+20 PRE 0 1\n+10 SRE 0\n+10 SRX 0\n+68 REF 0\n"
    lose += "+600 ACT 0 1 5\n"
    part = check(check_stream, lose + "+6 WR 0 1 8 77 fffe\n+30 RD 0 1 8\n")
    assert [read.state for read in part.reads] == ["lost"]
    assert part.reads[0].word == lost_word(1, 5, 8) & ~0xFF | 0x77
    whole = check(check_stream, lose + "+6 WR 0 1 8 77 0\n+30 RD 0 1 8\n")
    assert [(read.state, read.word) for read in whole.reads] == [("kept", 0x77777777)]


def test_what_was_never_written_is_zero_and_cannot_be_lost(check_stream):
    stream = "@100 MRS 0 2 3\n+20 SRE 0\n+10 SRX 0\n+68 REF 0\n+600 ACT 0 4 5\n+6 RD 0 4 8"
    done = check(check_stream, stream)
    assert [(read.state, read.word) for read in done.reads] == [("kept", 0)]


def test_writes_to_masked_bytes_change_nothing(check_stream):
    stream = "@100 ACT 0 0 5\n+6 WR 0 0 8 11 0\n+4 WR 0 0 8 22 fffd\n+30 RD 0 0 8"
    assert check(check_stream, stream).reads[0].word == 0x11112211


@pytest.mark.parametrize(
    ("how", "rules"), [("CUT 0", []), ("RESET 0\n+1000 RESET 1", [])], ids=["power cut", "reset"]
)
def test_a_rank_without_power_or_in_reset_forgets_and_wants_initialisation(check_stream, how, rules):
    init = "+100 CKE 0 0\n+10 CKE 0 1\n+68 MRS 0 2 0\n+4 MRS 0 3 0\n+4 MRS 0 1 0\n+4 MRS 0 0 1520\n"
    init += "+12 ZQCL 0\n+600 END\n"
    stream = f"@100 ACT 0 0 5\n+6 WR 0 0 8 5a 0\n+20 PRE 0 0\n+10 {how}\n"
    after = "+30 ACT 0 0 5\n+6 RD 0 0 8"
    done = check(check_stream, stream + init + after)
    assert done.rules == rules and [read.state for read in done.reads] == ["lost"]
    assert check(check_stream, stream + after).rules == ["INIT", "INIT"]


def test_reads_of_a_sleeping_rank_and_of_a_closed_bank_return_garbage(check_stream):
    done = check(check_stream, "@100 ACT 0 0 5\n+6 RD 0 1 8\n")
    assert [(read.state, read.word) for read in done.reads] == [("undriven", 0xBDBDBDBD)]


@pytest.mark.parametrize(("address_map", "row"), [("row_bank_column", 16), ("bank_row_column", 1 << 14)])
def test_contents_at_the_start_lie_where_the_address_map_says(check_stream, address_map, row):
    # Rank 1's bank 0, row 0: after the 8 banks of rank 0's row 0, or after all of rank 0's rows.
    address = (8 if address_map == "row_bank_column" else 8 << 14) * ROW_BYTES + 16
    stream = f"@100 FILL {address:x} c3\n+0 ACT 1 0 0\n+6 RD 1 0 8\n"
    done = check(check_stream, stream, "ranks=2", f"map={address_map}")
    assert [(read.state, read.word) for read in done.reads] == [("kept", 0xC3C3C3C3)]


def test_memory_costs_nothing_until_it_is_written(check_stream):
    stream = "@100 ACT 0 0 5\n+6 RD 0 0 8\n"  # 4 ranks of 512 MB
    settings = ("ranks=4", "row_bits=15", "data_bytes=8")
    assert check(check_stream, stream, *settings).counts["host_bytes"] == 0
    written = check(check_stream, stream + "+20 WR 0 0 8 11 0", *settings)
    assert written.counts["host_bytes"] == 2 * 8192  # a row of 8 KB, and 8 KB of flags for bytes written
    assert written.counts["reads"] == written.counts["writes"] == 1


def test_auto_precharge_closes_a_row_when_reads_and_writes_allow(check_stream):
    # RDA: the row closes tRTP = 4 later, not before tRAS = 15; then tRP = 6.
    early = "@100 ACT 0 0 5\n+6 RDA 0 0 8\n@{t} ACT 0 0 6"
    assert check(check_stream, early.format(t=100 + 15 + 6)).rules == []
    assert check(check_stream, early.format(t=100 + 15 + 5)).rules == ["tRP"]
    assert check(check_stream, early.format(t=100 + 14)).rules == ["ACT_OPEN_BANK"]
    late = "@100 ACT 0 0 5\n+26 RDA 0 0 8\n+{gap} ACT 0 0 6"
    assert check(check_stream, late.format(gap=4 + 6)).rules == []
    assert check(check_stream, late.format(gap=4 + 5)).rules == ["tRP"]
    # WRA: WL + 4 + WR = 15 later.
    write = "@100 ACT 0 0 5\n+6 WRA 0 0 8 11 0\n+{gap} ACT 0 0 6"
    assert check(check_stream, write.format(gap=15 + 6)).rules == []
    assert check(check_stream, write.format(gap=15 + 5)).rules == ["tRP"]
    assert check(check_stream, write.format(gap=14)).rules == ["ACT_OPEN_BANK"]
    closed = "@100 ACT 0 0 5\n+6 RDA 0 0 8\n+{gap} REF 0"
    assert check(check_stream, closed.format(gap=14)).rules == ["tRP"]
    assert check(check_stream, closed.format(gap=8)).rules == ["REF_OPEN_ROWS"]


def test_initialisation_in_the_order_of_the_standard_is_accepted(check_stream):
    stream = "@0 RESET 0\n+80000 RESET 1\n" + MODE_REGISTERS.replace("@100", "+200000").format(txpr=68)
    stream += "+12 ZQCL 0\n+512 REF 0\n+64 ACT 0 0 5\n+6 WR 0 0 8 5a 0\n+30 RD 0 0 8"
    done = check(check_stream, stream, "cl=0")
    assert done.rules == [] and [read.word for read in done.reads] == [0x5A5A5A5A]
