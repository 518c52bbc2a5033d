# SPDX-License-Identifier: BSD-2-Clause
"""Faults in DRAMTraffic, its tallies and its C++ that the bench must find."""

from tests.cosim.mutants import GATEWARE, Mutant

_UNIT, _TALLY = f"{GATEWARE}/counters/dram_traffic.py", f"{GATEWARE}/counters/tally.py"
TRAFFIC_MUTANTS = (
    Mutant("first_access_is_a_row_hit", _UNIT, "hit.eq(Array(accessed)[self.access_bank]),", "hit.eq(1),"),
    Mutant("activate_does_not_begin_a_row", _UNIT, "If(of_activate[bank], accessed[bank].eq(0)),", ""),
    Mutant(
        "auto_precharge_is_no_close",
        _UNIT,
        "(of_access[bank] & self.auto_precharge) | of_precharge[bank]",
        "of_precharge[bank]",
    ),
    Mutant("refresh_closes_for_a_row", _UNIT, " | self.refresh[rank], closed", ", closed"),
    Mutant("all_ranks_are_closed_as_rank_0_is", _UNIT, "rank = bank * ranks // banks", "rank = 0"),
    Mutant("accesses_count_while_paused", _UNIT, "self.access & self.count", "self.access"),
    Mutant(
        "refreshes_count_for_bank_0",
        _UNIT,
        "Cat(conflict, self.activate_bank[:counted_bits]), 2 * counted",
        "Cat(conflict, self.activate_bank[:counted_bits]), 0",
    ),
    Mutant(
        "queue_is_followed_only_while_counting",
        _UNIT,
        "level.eq(level + self.accepted - self.issued),",
        "If(self.count, level.eq(level + self.accepted - self.issued)),",
    ),
    Mutant("queue_peak_outlives_its_epoch", _UNIT, "If(begins | (level > peak)", "If((level > peak)"),
    Mutant("queue_peak_begins_with_0", _UNIT, "peak.eq(level)),", "peak.eq(Mux(begins, 0, level))),"),
    Mutant("cycles_go_on_at_their_limit", _UNIT, "(self.count & ~cycles[-1])", "self.count"),
    Mutant("counts_above_the_limit_wrap", _UNIT, "sum_[counter_bits:] != 0", "0"),
    Mutant("word_is_shown_before_its_last_copy", _UNIT, "LATENCY = 4", "LATENCY = 3"),
    Mutant("hits_are_those_of_reads", _UNIT, "Cat(1, second)", "Cat(1, 0)"),
    Mutant(
        "clear_keeps_the_counts_of_banks",
        _UNIT,
        "*(each.restart.eq(self.clear) for each in tallies),",
        "",
    ),
    Mutant("all_events_go_to_one_copy", _TALLY, "copy.eq(copy + 1),", ""),
    Mutant(
        "sweep_leaves_out_copies",
        _TALLY,
        "first.sweep,\n                done.eq(with_this)",
        "first.sweep,\n                done.eq(15)",
    ),
    Mutant(
        "words_are_read_while_they_are_swept",
        _TALLY,
        "~first.event & ~sweeping & self.read",
        "~first.event & self.read",
    ),
    Mutant("words_keep_their_counts_over_a_reset", _TALLY, " | third.empty)", ")"),
    Mutant("tags_are_not_compared", _TALLY, "(word[-1] ^ third.tag) | third.empty", "third.empty"),
    Mutant(
        "sweep_does_not_renew_words",
        _TALLY,
        "memory.write.we.eq(last.event | last.sweep)",
        "memory.write.we.eq(last.event)",
    ),
    Mutant(
        "reset_empties_one_area",
        _TALLY,
        "more_swept[-1] | (~emptying & more_swept[-2])",
        "more_swept[-1] | more_swept[-2]",
    ),
    Mutant(
        "clear_begins_in_the_other_tag",
        _TALLY,
        "If((self.turn & ~area) | (self.restart & area), tags[1].eq(~tags[1])),",
        "If(self.turn & ~area, tags[1].eq(~tags[1])),",
    ),
    Mutant(
        "cpp_activate_does_not_end_a_close",
        "hls/dram_traffic/dram_traffic.cpp",
        "closed_for_row_[int(now.activate_bank)] = 0;",
        "",
    ),
)
