# SPDX-License-Identifier: BSD-2-Clause
"""Faults in DRAMTraffic, its tallies and its C++ that the bench must find."""

from tests.cosim.mutants import GATEWARE, Mutant

_UNIT, _TALLY = f"{GATEWARE}/counters/dram_traffic.py", f"{GATEWARE}/counters/tally.py"
TRAFFIC_MUTANTS = (
    Mutant("first_access_is_a_row_hit", _UNIT, "hit.eq(Array(accessed)[now.access_bank]),", "hit.eq(1),"),
    Mutant("activate_does_not_begin_a_row", _UNIT, "accessed[bank].eq(0), opened", "opened"),
    Mutant("first_activate_opens_no_row", _UNIT, ", opened[bank].eq(1)),", "),"),
    Mutant(
        "refresh_closes_for_a_row",
        _UNIT,
        "now.precharge_all[rank] | now.refresh[rank]",
        "now.precharge_all[rank]",
    ),
    Mutant(
        "precharge_all_closes_for_a_row",
        _UNIT,
        "now.precharge_all[rank] | now.refresh[rank]",
        "now.refresh[rank]",
    ),
    Mutant("all_ranks_are_closed_as_rank_0_is", _UNIT, "rank = bank * ranks // banks", "rank = 0"),
    Mutant("banks_are_decoded_by_their_lower_bits", _UNIT, "high.eq(1 << above)", "high.eq(-1)"),
    Mutant("accesses_count_while_paused", _UNIT, "now.access & now.count", "now.access"),
    Mutant(
        "refreshes_count_for_bank_0",
        _UNIT,
        "Cat(conflict, now.activate_bank[:counted_bits]), 2 * counted",
        "Cat(conflict, now.activate_bank[:counted_bits]), 0",
    ),
    Mutant(
        "queue_is_followed_only_while_counting",
        _UNIT,
        "level.eq(level + self.accepted - self.issued),",
        "If(self.count, level.eq(level + self.accepted - self.issued)),",
    ),
    Mutant(
        "queue_peak_outlives_its_epoch",
        _UNIT,
        "If(self.epoch_end | self.clear | (level > peak)",
        "If((level > peak)",
    ),
    Mutant("queue_peak_begins_with_0", _UNIT, "peak.eq(level)),", "peak.eq(Mux(self.epoch_end, 0, level))),"),
    Mutant("cycles_go_on_at_their_limit", _UNIT, "(self.count & ~cycles[-1])", "self.count"),
    Mutant("counts_above_the_limit_wrap", _UNIT, ">> counter_bits != 0,", ">> counter_bits < 0,"),
    Mutant("word_is_shown_before_its_last_copy", _UNIT, "LATENCY = 3", "LATENCY = 2"),
    Mutant("hits_are_those_of_reads", _UNIT, "Cat(1, second)", "Cat(1, 0)"),
    Mutant(
        "strobe_ends_the_epoch_before_its_commands",
        _UNIT,
        "If(now.epoch_end, area.eq(~area)),",
        "If(self.epoch_end, area.eq(~area)),",
    ),
    Mutant("ready_does_not_know_of_a_strobe", _UNIT, "activates.ready & ~begins", "activates.ready"),
    Mutant("a_third_clear_is_permitted", _UNIT, "~(again | begins)", "~begins"),
    Mutant(
        "second_clear_is_not_noted",
        _UNIT,
        "again.eq(now.clear & ~(accesses.ready & activates.ready))",
        "again.eq(0)",
    ),
    Mutant("clear_keeps_the_counts_of_banks", _UNIT, " | (now.clear & (area == number)), each", ", each"),
    Mutant("all_events_go_to_one_copy", _TALLY, "copy.eq(copy + 1),", ""),
    Mutant("sweep_is_of_another_copy", _TALLY, "sweeping & (swept[:copy_bits] == copy)", "sweeping"),
    Mutant(
        "words_are_read_while_they_are_swept",
        _TALLY,
        "~(first.event | sweeping | second",
        "~(first.event | second",
    ),
    Mutant("words_keep_their_counts_over_a_reset", _TALLY, " | third.empty)", ")"),
    Mutant("tags_are_not_compared", _TALLY, "(word[count_bits:] != third.tag) | third.empty", "third.empty"),
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
        "clear_does_not_begin_the_sweep_again",
        _TALLY,
        "If(self.begin, swept.eq(0), sweeping.eq(1)),",
        "If(self.begin, sweeping.eq(1)),",
    ),
    Mutant("events_add_the_sum_of_a_read", _TALLY, "If(~third.read, summand.eq(0)),", ""),
    Mutant(
        "cpp_activate_opens_no_row",
        "hls/dram_traffic/dram_traffic.cpp",
        "row_opened_[int(now.activate_bank)] = 1;",
        "",
    ),
)
