# SPDX-License-Identifier: BSD-2-Clause
"""Faults in the units around the engine that benches must find."""

from tests.cosim.mutants import GATEWARE, Mutant

# The random bench of the counters must find these.
COUNTER_MUTANTS = (
    *(
        Mutant(
            f"count_{position + 1}_ahead_is_missed",
            f"{GATEWARE}/counters/hit_counters.py",
            "chosen.eq(ahead & -ahead),",
            f"chosen.eq(ahead & -ahead & {0b1111 ^ 1 << position}),",
        )
        for position in range(4)
    ),
    Mutant(
        "total_one_ahead_is_missed",
        f"{GATEWARE}/counters/totals.py",
        "follows.eq(self.count & (context == self.context)),",
        "follows.eq(0),",
    ),
    Mutant(
        "totals_outlive_their_epoch",
        f"{GATEWARE}/counters/totals.py",
        "If(self.zero, *(flag.eq(0) for flag in known)),",
        "If(self.zero, known[0].eq(0)),",
    ),
    Mutant(
        "window_is_not_zeroed_for_its_next_turn",
        f"{GATEWARE}/counters/hit_counters.py",
        "NextValue(zeroing, window),",
        "NextValue(zeroing, 0),",
    ),
    Mutant(
        "every_position_is_a_first_touch",
        f"{GATEWARE}/counters/hit_counters.py",
        "totals.first.eq(fetched.first),",
        "totals.first.eq(fetched.valid),",
    ),
    Mutant(
        "totals_do_not_saturate",
        f"{GATEWARE}/counters/totals.py",
        "highs.write.we.eq(self.count & carries & ~high[-1]),",
        "highs.write.we.eq(self.count & carries),",
    ),
    Mutant(
        "carry_that_waits_is_lost",
        f"{GATEWARE}/counters/totals.py",
        "now.carry.eq(wraps | (was.carry & ~serves)),",
        "now.carry.eq(wraps),",
    ),
    Mutant(
        "carry_that_waits_is_not_copied",
        f"{GATEWARE}/counters/totals.py",
        "Cat(reduce(or_, (lane.low for lane in lanes)), grown)",
        "Cat(reduce(or_, (lane.low for lane in lanes)), high)",
    ),
    Mutant(
        "high_parts_outlive_their_epoch",
        f"{GATEWARE}/counters/totals.py",
        "If(written, high.eq(highs.read.dat_r)),",
        "high.eq(highs.read.dat_r),",
    ),
    Mutant(
        "overflow_found_by_the_copy_is_not_reported",
        f"{GATEWARE}/counters/totals.py",
        "(self.count | copying) & (number",
        "self.count & (number",
    ),
)

# The random bench of the working set must find these.
SET_MUTANTS = (
    *(
        Mutant(
            f"word_of_the_operation_{ahead}_ahead_is_missed",
            f"{GATEWARE}/counters/tagged_words.py",
            "(op.valid & (stages[1].adr == op.adr) for op in ahead)",
            f"(op.valid & (stages[1].adr == op.adr) & (op is not ahead[{ahead - 1}]) for op in ahead)",
        )
        for ahead in (1, 2, 3)
    ),
    Mutant(
        "input_does_not_wait_for_the_sweep",
        f"{GATEWARE}/counters/working_set.py",
        "self.ready.eq(~zeroing & (swept | ~half_ends)),",
        "self.ready.eq(~zeroing),",
    ),
    Mutant(
        "sweep_of_the_second_half_is_left_out",
        f"{GATEWARE}/counters/working_set.py",
        "If(half_ends, swept.eq(0))",
        "If(half_ends & ~tag[-1], swept.eq(0))",
    ),
    Mutant(
        "tags_are_not_compared",
        f"{GATEWARE}/counters/tagged_words.py",
        "stale.eq(last.zero | (word[pages_per_word:] != last.tag)),",
        "stale.eq(last.zero),",
    ),
    Mutant(
        "page_that_left_stays_touched",
        f"{GATEWARE}/counters/tagged_words.py",
        "choose.eq((stages[2].touch | stages[2].leave) << stages[2].bit),",
        "choose.eq(stages[2].touch << stages[2].bit),",
    ),
    Mutant(
        "words_keep_their_bits_over_a_reset",
        f"{GATEWARE}/counters/working_set.py",
        "tagged.op.zero.eq(zeroing),",
        "tagged.op.zero.eq(0),",
    ),
    Mutant(
        "cpp_half_ends_without_the_rest_of_the_sweep",
        "hls/working_set/working_set.hpp",
        "(zeroes_ || half_ends())",
        "zeroes_",
    ),
)

# The random bench of the whole chain must find these.
MONITOR_MUTANTS = (
    Mutant(
        "engine_is_not_asked_about_frozen_accesses",
        f"{GATEWARE}/filter/page_filter.py",
        "If(touch | fill | ask, engine_ops.valid.eq(1)),",
        "If(touch | (fill & ~op.frozen) | ask, engine_ops.valid.eq(1)),",
    ),
    Mutant(
        "frozen_access_finds_no_owner",
        f"{GATEWARE}/filter/answer_merge.py",
        "engine.valid & engine.ready & from_engine & learns,",
        "engine.valid & engine.ready & from_engine & learns & ~due.frozen,",
    ),
    Mutant(
        "end_of_epoch_keeps_the_working_set",
        f"{GATEWARE}/filter/page_filter.py",
        "(op.epoch_end | (op.kind == OpKind.CLEAR))",
        "(op.kind == OpKind.CLEAR)",
    ),
)

# The random bench of the filter must find these.
FILTER_MUTANTS = (
    Mutant(
        "first_touch_is_that_of_the_operation_before",
        f"{GATEWARE}/filter/page_filter.py",
        "working_set.page.eq(op.frame),",
        "working_set.page.eq(at_hand.sink.frame),",
    ),
    Mutant(
        "invalidated_page_stays_in_the_working_set",
        f"{GATEWARE}/filter/page_filter.py",
        "working_set.leave.eq(recent.invalidate),",
        "working_set.leave.eq(0),",
    ),
    Mutant(
        "recent_pages_do_not_forget_a_claimed_page",
        f"{GATEWARE}/filter/page_filter.py",
        "ask & (op.kind == OpKind.INVALIDATE)",
        "ask & (op.kind == OpKind.INVALIDATE) & ~op.write",
    ),
    Mutant(
        "frozen_access_is_counted_as_outside",
        f"{GATEWARE}/filter/page_filter.py",
        "counts.eq(skip & (op.kind == OpKind.ACCESS) & ~op.frozen & reason),",
        "counts.eq(skip & (op.kind == OpKind.ACCESS) & reason),",
    ),
    Mutant(
        "frozen_hit_is_answered",
        f"{GATEWARE}/filter/answer_merge.py",
        "absorbed & ~due.frozen,",
        "absorbed,",
    ),
    Mutant(
        "more_answers_are_due_than_find_room",
        f"{GATEWARE}/filter/page_filter.py",
        "answers_depth - latency - 1",
        "answers_depth + latency",
    ),
    Mutant(
        "order_of_recent_pages_is_not_restored",
        f"{GATEWARE}/filter/page_filter.py",
        "fill.eq((may_ask & op.moves & ~recent.misplaced) & ~found),",
        "fill.eq((may_ask & op.moves) & ~found),",
    ),
    Mutant(
        "most_recent_page_is_touched_first",
        f"{GATEWARE}/filter/recent_pages.py",
        "self.touch[slot].eq(misplaced[slot] & ~any_of(misplaced[o] & newer(slot, o) for o in others)),",
        "self.touch[slot].eq(misplaced[slot] & ~any_of(misplaced[o] & ~newer(slot, o) for o in others)),",
    ),
    Mutant(
        "invalidated_page_stays_recent",
        f"{GATEWARE}/filter/recent_pages.py",
        "(Replicate(self.invalidate, slots) & self.match)",
        "(Replicate(self.invalidate, slots) & 0)",
    ),
    Mutant(
        "order_outlives_invalidation",
        f"{GATEWARE}/filter/recent_pages.py",
        "If(fills[i] | fills[j] | leaves[i] | leaves[j], wrong.eq(0))",
        "If(fills[i] | fills[j], wrong.eq(0))",
    ),
    Mutant(
        "page_filled_in_the_clock_before_is_missed",
        f"{GATEWARE}/filter/recent_pages.py",
        "Mux(filled, same_again, pages[slot] == self.next_page)",
        "pages[slot] == self.next_page",
    ),
    Mutant(
        "epoch_end_of_an_absorbed_access_is_lost",
        f"{GATEWARE}/filter/page_filter.py",
        "answer.epoch_end.eq(op.epoch_end),",
        "answer.epoch_end.eq(op.epoch_end & ~absorb),",
    ),
    Mutant(
        "absorbed_access_counts_for_another_owner",
        f"{GATEWARE}/filter/answer_merge.py",
        "owners[due.slot].eq(engine.context),",
        "owners[0].eq(engine.context),",
    ),
    Mutant(
        "invalidation_names_an_owner",
        f"{GATEWARE}/filter/answer_merge.py",
        "learns = (engine.kind == PositionKind.HIT) | (engine.kind == PositionKind.MISS)",
        "learns = 1",
    ),
    Mutant(
        "write_counts_with_the_reads",
        f"{GATEWARE}/filter/answer_merge.py",
        "due.apart & (merged.sink.kind[1] == 0),  # a hit or a miss",
        "due.apart & absorbed & (merged.sink.kind[1] == 0),",
    ),
    Mutant(
        "context_of_writes_owns_a_page",
        f"{GATEWARE}/filter/page_filter.py",
        "If(split, engine_ops.context[-1].eq(0)),",
        "",
    ),
    Mutant(
        "upper_frame_is_out_of_range",
        f"{GATEWARE}/filter/page_numbers.py",
        "(sink.frame > self.upper)",
        "(sink.frame >= self.upper)",
    ),
    Mutant(
        "clear_keeps_the_counts",
        f"{GATEWARE}/filter/page_filter.py",
        "clears | ended,",
        "ended,",
    ),
    Mutant(
        "access_left_out_behind_an_end_is_not_counted",
        f"{GATEWARE}/filter/page_filter.py",
        "running.eq(counts),",
        "running.eq(0),",
    ),
    Mutant(
        "accesses_left_out_start_again_at_the_limit",
        f"{GATEWARE}/filter/page_filter.py",
        "counts & ~more[-1],",
        "counts,",
    ),
    Mutant(
        "cpp_hash_folds_once",
        "hls/page_filter/page_filter.cpp",
        " ^ (frame >> at_least_1(MEMORY_FRAME_BITS / 4))",
        "",
    ),
)

_WINDOW, _LIST = f"{GATEWARE}/counters/hot_table.py", f"{GATEWARE}/counters/hot_list.py"
HOT_MUTANTS = (
    Mutant(
        "accesses_in_flight_are_not_added",
        _WINDOW,
        "self.adds.eq(1 + sum(same))",
        "self.adds.eq(1)",
    ),
    Mutant(
        "accesses_written_before_are_added_again",
        _WINDOW,
        "in_set & equal & in_flight",
        "in_set & equal",
    ),
    Mutant(
        "page_admitted_in_flight_is_unknown",
        _WINDOW,
        "(same != 0) | (self.matched & ~replaced)",
        "(self.matched & ~replaced)",
    ),
    Mutant(
        "replaced_page_is_counted",
        _WINDOW,
        "(self.matched & ~replaced)",
        "self.matched",
    ),
    Mutant(
        "neighbours_of_the_last_epoch_count",
        _WINDOW,
        "If(self.forget, *(each.valid.eq(0) for each in before)),",
        "",
    ),
    Mutant(
        "page_lost_from_a_full_list_is_written",
        _LIST,
        "we.eq(~loses)",
        "we.eq(1)",
    ),
    Mutant(
        "equal_counts_change_places",
        _LIST,
        "(value[frame_bits:] < guaranteed)",
        "(value[frame_bits:] <= guaranteed)",
    ),
)

# The random bench of the page bitmap must find these.
BITMAP_MUTANTS = (
    Mutant(
        "sweep_leaves_out_the_bank_of_the_epoch_that_ended",
        f"{GATEWARE}/counters/page_bitmap.py",
        "If(sweep_adr == self.words - 1, swept.eq(1))",
        "If(sweep_adr == bank_words - 1, swept.eq(1), sweep_adr.eq(0))",
    ),
    Mutant(
        "input_waits_an_epoch_too_late",
        f"{GATEWARE}/counters/page_bitmap.py",
        "half_ends.eq(epoch[1:TAG_BITS] == 2 ** (TAG_BITS - 1) - 1),",
        "half_ends.eq(epoch[:TAG_BITS] == 2**TAG_BITS - 1),",
    ),
    Mutant(
        "words_are_swept_with_the_tag_of_the_running_epoch",
        f"{GATEWARE}/counters/page_bitmap.py",
        "accessed.op.tag.eq(Mux(adr[-1] == epoch[0], epoch[1:], ended[1:])),",
        "accessed.op.tag.eq(epoch[1:]),",
    ),
    Mutant(
        "clear_zeroes_the_epoch_that_ended",
        f"{GATEWARE}/counters/page_bitmap.py",
        "If(self.clear, zeroing.eq(1), zero_bank.eq(epoch[0])),",
        "If(self.clear, zeroing.eq(1), zero_bank.eq(ended[0])),",
    ),
    Mutant(
        "reset_zeroes_one_bank",
        f"{GATEWARE}/counters/page_bitmap.py",
        "zeroing.eq(zero_both)),",
        "zeroing.eq(0)),",
    ),
    Mutant(
        "reads_count_as_writes",
        f"{GATEWARE}/counters/page_bitmap.py",
        "written.op.touch.eq(accessed.op.touch & to_write),",
        "written.op.touch.eq(accessed.op.touch),",
    ),
    Mutant(
        "running_epoch_is_shown",
        f"{GATEWARE}/counters/page_bitmap.py",
        "adr.eq(Cat(self.adr[:word_bits], ended[0]))",
        "adr.eq(Cat(self.adr[:word_bits], epoch[0]))",
    ),
    Mutant(
        "answer_comes_a_cycle_early",
        f"{GATEWARE}/counters/page_bitmap.py",
        "self.answers.eq(shown[2]),",
        "self.answers.eq(shown[1]),",
    ),
    Mutant(
        "cpp_half_ends_without_the_rest_of_the_sweep",
        "hls/page_bitmap/page_bitmap.hpp",
        "(swept_ != 2 * BANK_WORDS && half_ends())",
        "false",
    ),
)
