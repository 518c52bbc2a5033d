"""Faults seeded into copies of the units: a bench that does not find them is worth nothing."""

import shutil
from dataclasses import dataclass

from builder import TRUE_SOURCES, Sources
from mutation import mutated_source
from products import BUILD, REPO

GATEWARE = "litex-soc/litemrc_gateware"


@dataclass(frozen=True)
class Mutant:
    """One text in one source replaced by another; the text must stand there exactly once."""

    name: str
    source: str  # path in the repository
    old: str
    new: str

    def sources(self) -> Sources:
        """Copies of all sources under build/, with the fault in them.

        :raises ValueError: if the text to replace does not stand exactly once in the source.
        """
        folder = BUILD / "mutants" / self.name
        for path in [*TRUE_SOURCES.rtl_files(), *TRUE_SOURCES.hls_files()]:
            copy = folder / path.relative_to(REPO)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        (folder / self.source).write_text(mutated_source(REPO / self.source, self.old, self.new))
        return Sources(rtl=folder / "litex-soc", hls=folder / "hls", label=self.name)


# The random bench of the chain with arrays in parts must find it.
PARTS_MUTANT = Mutant(
    "least_recent_page_is_taken_before_it_is_read",
    f"{GATEWARE}/lru_links.py",
    "steps[-4:]",
    "steps[1:5]",
)

# Both the random and the exhaustive bench of the chain must find these.
STACK_MUTANTS = (
    Mutant(
        "full_group_opens_no_next",
        f"{GATEWARE}/group_stack.py",
        "NextValue(opens_group, (stack.size & (group_pages - 1)) == 0),",
        "NextValue(opens_group, 0),",
    ),
    Mutant(
        "header_of_invalidated_page_stays",
        f"{GATEWARE}/group_stack.py",
        "headers.write.we.eq(steps[-1] & (~own_group | was_first)),",
        "headers.write.we.eq(steps[-1] & ~own_group),",
    ),
    Mutant(
        "page_passed_up_keeps_its_group",
        f"{GATEWARE}/group_stack.py",
        "moved_page.group.eq(Mux(is_access, walked[-1], walked[-1] - 1)),",
        "moved_page.group.eq(walked[-1]),",
    ),
    Mutant(
        "fast_path_outlives_invalidation",
        f"{GATEWARE}/group_stack.py",
        "NextValue(last_valid, is_access),",
        "NextValue(last_valid, 1),",
    ),
    Mutant(
        "last_touch_owns_the_page",
        f"{GATEWARE}/group_stack.py",
        "Mux(stored_page.valid, stored_page.owner, op.context)",
        "op.context",
    ),
    Mutant(
        "least_recent_page_is_relinked",
        f"{GATEWARE}/group_stack.py",
        "links.start.eq(~on_top & ~at_tail),",
        "links.start.eq(~on_top),",
    ),
    Mutant(
        "only_page_is_not_its_own_neighbour",
        f"{GATEWARE}/lru_links.py",
        "Mux(self.top == self.frame, self.frame, self.prev)",
        "self.prev",
    ),
    Mutant(
        "cpp_shifts_one_group_less",
        "hls/group_stack/group_stack.cpp",
        "for (int g = int(deepest); g > 0; --g) {",
        "for (int g = int(deepest) - 1; g > 0; --g) {",
    ),
)

# The random bench of the chain with bucket_stack must find these.
BUCKET_MUTANTS = (
    Mutant(
        "count_changed_two_before_is_missed",
        f"{GATEWARE}/bucket_tree.py",
        "two1.eq(change2 & (self.adr == adr2) & ~one_behind & ~self.load),",
        "two1.eq(0),",
    ),
    Mutant(
        "zeroed_nodes_keep_their_pages",
        f"{GATEWARE}/bucket_tree.py",
        "memory.load.eq(self.clear | self.zero),",
        "memory.load.eq(self.clear),",
    ),
    Mutant(
        "page_written_in_the_clock_of_its_read_is_missed",
        f"{GATEWARE}/bucket_pages.py",
        "(touch[n] & (bank[n] == bank[1])",
        "(touch[n] & (n <= WRITE) & (bank[n] == bank[1])",
    ),
    Mutant(
        "sweep_overwrites_page_in_flight",
        f"{GATEWARE}/bucket_sweep.py",
        "valid[2].eq(valid[1] & ~in_flight)",
        "valid[2].eq(valid[1])",
    ),
    Mutant(
        "sweep_writes_ids_of_the_last_generation",
        f"{GATEWARE}/bucket_ids.py",
        "sweep_entries.write.dat_w.eq(id_written),",
        "sweep_entries.write.dat_w.eq(Mux(self.map, self.map_word, self.given_word)),",
    ),
    Mutant(
        "full_bucket_takes_no_neighbour",
        f"{GATEWARE}/bucket_merging.py",
        "room.eq(youngest_pages + fewer),",
        "room.eq(youngest_pages + pages),",
    ),
    Mutant(
        "bucket_merged_in_the_clock_before_is_missed",
        f"{GATEWARE}/bucket_merging.py",
        "Mux(changes, youngest.write.dat_w, youngest.read.dat_r)",
        "youngest.read.dat_r",
    ),
    Mutant(
        "oldest_bucket_joins_one_of_before_the_renumbering",
        f"{GATEWARE}/bucket_merging.py",
        "Mux(self.busy, new_pages, group_pages)",
        "Mux(self.busy, new_pages, 0)",
    ),
    Mutant(
        "operations_pass_a_renumbering_that_is_due",
        f"{GATEWARE}/bucket_stack.py",
        "(~may_take & (ahead < renumbering.last))",
        "(~may_take & (renumbering.last != 0))",
    ),
    Mutant(
        "closing_bucket_does_not_hold_the_stage_before",
        f"{GATEWARE}/bucket_touch.py",
        "self.acts.eq(self.valid & self.go),",
        "self.acts.eq(self.valid),",
    ),
    Mutant(
        "front_outlives_a_renumbering",
        f"{GATEWARE}/bucket_stack.py",
        "answers.front.forget.eq(renumbering.done),",
        "answers.front.forget.eq(0),",
    ),
    Mutant(
        "page_keeps_its_stamp_of_before_the_operation_ahead",
        f"{GATEWARE}/bucket_touch.py",
        "self.page_id.eq(Mux(matches == 0,",
        "self.page_id.eq(Mux(matches[1:] == 0,",
    ),
    Mutant(
        "page_looked_up_while_its_bucket_closes_stays_in_the_open_one",
        f"{GATEWARE}/bucket_touch.py",
        ").Elif(\n            self.owner == self.given_owner,\n            self.is_open.eq(0),\n        )",
        ")",
    ),
    Mutant(
        "page_touched_before_its_bucket_closed_stays_in_the_open_one",
        f"{GATEWARE}/bucket_touch.py",
        "If(past.owner == self.given_owner, past.is_open.eq(0))",
        "If(0, past.is_open.eq(0))",
    ),
    Mutant(
        "cpp_merges_less_than_a_group",
        "hls/bucket_stack/bucket_stack.cpp",
        "merged_pages[owner] + pages <= GROUP_PAGES",
        "merged_pages[owner] + pages < GROUP_PAGES",
    ),
)

# The bench of the rate must find this one, with all accesses from one bank.
SWEEP_MUTANT = Mutant(
    "renumbering_does_not_wait_for_the_sweep",
    f"{GATEWARE}/bucket_stack.py",
    "drained & renumbering.waits & (renumbering.last == 0) & pages.swept,",
    "drained & renumbering.waits & (renumbering.last == 0),",
)

# The random bench of the counters must find these.
COUNTER_MUTANTS = (
    *(
        Mutant(
            f"count_{position + 1}_ahead_is_missed",
            f"{GATEWARE}/hit_counters.py",
            "chosen.eq(ahead & -ahead),",
            f"chosen.eq(ahead & -ahead & {0b1111 ^ 1 << position}),",
        )
        for position in range(4)
    ),
    Mutant(
        "total_one_ahead_is_missed",
        f"{GATEWARE}/counter_totals.py",
        "follows.eq(self.count & (context == self.context)),",
        "follows.eq(0),",
    ),
    Mutant(
        "totals_outlive_their_epoch",
        f"{GATEWARE}/counter_totals.py",
        "If(self.zero, *(flag.eq(0) for flag in known)),",
        "If(self.zero, known[0].eq(0)),",
    ),
    Mutant(
        "window_is_not_zeroed_for_its_next_turn",
        f"{GATEWARE}/hit_counters.py",
        "NextValue(zeroing, window),",
        "NextValue(zeroing, 0),",
    ),
    Mutant(
        "every_position_is_a_first_touch",
        f"{GATEWARE}/hit_counters.py",
        "totals.first.eq(fetched.first),",
        "totals.first.eq(fetched.valid),",
    ),
    Mutant(
        "totals_do_not_saturate",
        f"{GATEWARE}/counter_totals.py",
        "grows.eq(counts & ~was[-1])",
        "grows.eq(counts)",
    ),
)

# The random bench of the working set must find these.
SET_MUTANTS = (
    *(
        Mutant(
            f"word_of_the_operation_{ahead}_ahead_is_missed",
            f"{GATEWARE}/working_set.py",
            "(op.valid & (stages[1].adr == op.adr) for op in ahead)",
            f"(op.valid & (stages[1].adr == op.adr) & (op is not ahead[{ahead - 1}]) for op in ahead)",
        )
        for ahead in (1, 2, 3)
    ),
    Mutant(
        "input_does_not_wait_for_the_sweep",
        f"{GATEWARE}/working_set.py",
        "self.ready.eq(~zeroing & (swept | ~half_ends)),",
        "self.ready.eq(~zeroing),",
    ),
    Mutant(
        "sweep_of_the_second_half_is_left_out",
        f"{GATEWARE}/working_set.py",
        "If(half_ends, swept.eq(0))",
        "If(half_ends & ~tag[-1], swept.eq(0))",
    ),
    Mutant(
        "tags_are_not_compared",
        f"{GATEWARE}/working_set.py",
        "stale.eq(last.zero | (word[PAGES_PER_WORD:] != last.tag)),",
        "stale.eq(last.zero),",
    ),
    Mutant(
        "page_that_left_stays_touched",
        f"{GATEWARE}/working_set.py",
        "choose.eq((stages[2].touch | stages[2].leave) << stages[2].bit),",
        "choose.eq(stages[2].touch << stages[2].bit),",
    ),
    Mutant(
        "words_keep_their_bits_over_a_reset",
        f"{GATEWARE}/working_set.py",
        "stages[0].zero.eq(zeroing),",
        "stages[0].zero.eq(0),",
    ),
    Mutant(
        "cpp_half_ends_without_the_rest_of_the_sweep",
        "hls/working_set/working_set.cpp",
        "            sweep();\n        }\n        swept_ = 0;",
        "        }\n        swept_ = 0;",
    ),
)

# The random bench of the whole chain must find these.
MONITOR_MUTANTS = (
    Mutant(
        "engine_is_not_asked_about_frozen_accesses",
        f"{GATEWARE}/page_filter.py",
        "If(touch | fill | ask, engine_ops.valid.eq(1)),",
        "If(touch | (fill & ~op.frozen) | ask, engine_ops.valid.eq(1)),",
    ),
    Mutant(
        "frozen_access_finds_no_owner",
        f"{GATEWARE}/answer_merge.py",
        "engine.valid & engine.ready & from_engine & learns,",
        "engine.valid & engine.ready & from_engine & learns & ~due.frozen,",
    ),
    Mutant(
        "end_of_epoch_keeps_the_working_set",
        f"{GATEWARE}/page_filter.py",
        "(op.epoch_end | (op.kind == OpKind.CLEAR))",
        "(op.kind == OpKind.CLEAR)",
    ),
)

# The random bench of the filter must find these.
FILTER_MUTANTS = (
    Mutant(
        "first_touch_is_that_of_the_operation_before",
        f"{GATEWARE}/page_filter.py",
        "working_set.page.eq(op.frame),",
        "working_set.page.eq(at_hand.sink.frame),",
    ),
    Mutant(
        "invalidated_page_stays_in_the_working_set",
        f"{GATEWARE}/page_filter.py",
        "working_set.leave.eq(recent.invalidate),",
        "working_set.leave.eq(0),",
    ),
    Mutant(
        "frozen_access_is_counted_as_outside",
        f"{GATEWARE}/page_filter.py",
        "counts.eq(skip & (op.kind == OpKind.ACCESS) & ~op.frozen & reason),",
        "counts.eq(skip & (op.kind == OpKind.ACCESS) & reason),",
    ),
    Mutant(
        "frozen_hit_is_answered",
        f"{GATEWARE}/answer_merge.py",
        "absorbed & ~due.frozen,",
        "absorbed,",
    ),
    Mutant(
        "more_answers_are_due_than_find_room",
        f"{GATEWARE}/page_filter.py",
        "answers_depth - WorkingSet.latency - 1",
        "answers_depth + WorkingSet.latency",
    ),
    Mutant(
        "order_of_recent_pages_is_not_restored",
        f"{GATEWARE}/page_filter.py",
        "fill.eq((may_ask & op.moves & ~recent.misplaced) & ~found),",
        "fill.eq((may_ask & op.moves) & ~found),",
    ),
    Mutant(
        "most_recent_page_is_touched_first",
        f"{GATEWARE}/recent_pages.py",
        "self.touch[slot].eq(misplaced[slot] & ~any_of(misplaced[o] & newer(slot, o) for o in others)),",
        "self.touch[slot].eq(misplaced[slot] & ~any_of(misplaced[o] & ~newer(slot, o) for o in others)),",
    ),
    Mutant(
        "invalidated_page_stays_recent",
        f"{GATEWARE}/recent_pages.py",
        "(Replicate(self.invalidate, slots) & self.match)",
        "(Replicate(self.invalidate, slots) & 0)",
    ),
    Mutant(
        "order_outlives_invalidation",
        f"{GATEWARE}/recent_pages.py",
        "If(fills[i] | fills[j] | leaves[i] | leaves[j], wrong.eq(0))",
        "If(fills[i] | fills[j], wrong.eq(0))",
    ),
    Mutant(
        "page_filled_in_the_clock_before_is_missed",
        f"{GATEWARE}/recent_pages.py",
        "Mux(filled, same_again, pages[slot] == self.next_page)",
        "pages[slot] == self.next_page",
    ),
    Mutant(
        "epoch_end_of_an_absorbed_access_is_lost",
        f"{GATEWARE}/page_filter.py",
        "answer.epoch_end.eq(op.epoch_end),",
        "answer.epoch_end.eq(op.epoch_end & ~absorb),",
    ),
    Mutant(
        "absorbed_access_counts_for_another_owner",
        f"{GATEWARE}/answer_merge.py",
        "owners[due.slot].eq(engine.context),",
        "owners[0].eq(engine.context),",
    ),
    Mutant(
        "invalidation_names_an_owner",
        f"{GATEWARE}/answer_merge.py",
        "learns = (engine.kind == PositionKind.HIT) | (engine.kind == PositionKind.MISS)",
        "learns = 1",
    ),
    Mutant(
        "upper_frame_is_out_of_range",
        f"{GATEWARE}/page_numbers.py",
        "(sink.frame > self.upper)",
        "(sink.frame >= self.upper)",
    ),
    Mutant(
        "clear_keeps_the_counts",
        f"{GATEWARE}/page_filter.py",
        "clears | ended,",
        "ended,",
    ),
    Mutant(
        "access_left_out_behind_an_end_is_not_counted",
        f"{GATEWARE}/page_filter.py",
        "running.eq(counts),",
        "running.eq(0),",
    ),
    Mutant(
        "accesses_left_out_start_again_at_the_limit",
        f"{GATEWARE}/page_filter.py",
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

# The bench of the chain with the moves must find these.
MOVE_MUTANTS = (
    Mutant(
        "hit_in_group_0_moves",
        f"{GATEWARE}/group_moves.py",
        "Mux(is_access, ~stored.valid | (stored.group != 0), stored.valid)",
        "Mux(is_access, 1, stored.valid)",
    ),
    Mutant(
        "invalidation_passes_pages_down",
        f"{GATEWARE}/group_moves.py",
        "move.to_group.eq(Mux(is_access, group, group - 1)),",
        "move.to_group.eq(group),",
    ),
    Mutant(
        "held_before_the_last_move_is_shown",
        f"{GATEWARE}/group_moves.py",
        'self.held.eq(fsm.ongoing("IDLE") & ~passes & ~move.valid),',
        'self.held.eq(fsm.ongoing("IDLE")),',
    ),
    Mutant(
        "operation_begins_while_held",
        f"{GATEWARE}/group_stack.py",
        "may_take = may_respond & ~self.moves.hold",
        "may_take = may_respond",
    ),
    Mutant(
        "cpp_tells_no_page_that_is_invalidated",
        "hls/group_stack/group_stack.cpp",
        "    moves.write(Move{frame, page.owner, 1, page.group, 0, 0});\n",
        "",
    ),
)

# The bench of the rank meter must find these.
METER_MUTANTS = (
    Mutant(
        "count_changed_just_before_is_missed",
        f"{GATEWARE}/page_counts.py",
        "If(change2 & (adr2 == adr1), count.eq(changed)),",
        "",
    ),
    Mutant(
        "second_change_in_one_bank_is_lost",
        f"{GATEWARE}/working_pages.py",
        "bank.change.eq(from_here | to_here | put_off[parity]),",
        "bank.change.eq(from_here | to_here),",
    ),
    Mutant(
        "page_in_the_last_group_below_n_mrc_is_left_out",
        f"{GATEWARE}/working_pages.py",
        "was_in.eq(comes & (move.from_group < self.n_mrc)),",
        "was_in.eq(comes & (move.from_group + 1 < self.n_mrc)),",
    ),
    Mutant(
        "walk_down_takes_the_group_above",
        f"{GATEWARE}/working_pages.py",
        "group.eq(Mux(joins, size, size - 1))",
        "group.eq(size)",
    ),
    Mutant(
        "n_mrc_changes_while_pages_move",
        f"{GATEWARE}/working_pages.py",
        "If(self.held & empty & ~zeroing, NextState",
        "If(~zeroing, NextState",
    ),
    Mutant(
        "clear_leaves_domains_working",
        f"{GATEWARE}/working_pages.py",
        "self.working[domain].eq(0),",
        "self.working[domain].eq(self.working[domain]),",
    ),
    Mutant(
        "epsilon_is_rounded_up",
        f"{GATEWARE}/n_mrc.py",
        "If(with_counter > allowed,",
        "If(with_counter > allowed + 1,",
    ),
    Mutant(
        "context_without_accesses_gets_a_size",
        f"{GATEWARE}/n_mrc.py",
        'If(counter == 0, *next_context("ASK")).Else(NextState("SUM"))',
        'NextState("SUM")',
    ),
    Mutant(
        "bus_is_answered_for_the_search",
        f"{GATEWARE}/n_mrc.py",
        "asked.eq(asks & ~self.bus_reads),",
        "asked.eq(asks),",
    ),
    Mutant(
        "clock_of_the_boundary_is_lost",
        f"{GATEWARE}/rank_counters.py",
        "If(self.boundary, count.eq(event), caught_count.eq(count)),",
        "If(self.boundary, count.eq(0), caught_count.eq(count)),",
    ),
    Mutant(
        "idle_ends_with_the_snapshot",
        f"{GATEWARE}/rank_counters.py",
        "Mux(stages[4].sums & (stages[4].word != MeterWord.IDLE), 0, count)",
        "Mux(stages[4].sums, 0, count)",
    ),
    Mutant(
        "access_in_the_round_before_is_forgotten",
        f"{GATEWARE}/rank_counters.py",
        "If(accessed, idle.eq(0), idle_anew.eq(1))",
        "If(accessed, idle.eq(0), idle_anew.eq(~self.boundary))",
    ),
    Mutant(
        "entry_from_another_low_state_is_none",
        f"{GATEWARE}/rank_counters.py",
        "(state == number) & (last_state != number)",
        "(state == number) & (last_state < PowerState.POWER_DOWN)",
    ),
    Mutant(
        "window_is_shown_while_written",
        f"{GATEWARE}/rank_meter.py",
        "window.write.adr.eq(Cat(sum_adr, ~half)),",
        "window.write.adr.eq(Cat(sum_adr, half)),",
    ),
    Mutant(
        "pages_move_before_the_snapshot_ends",
        f"{GATEWARE}/rank_meter.py",
        "            working.freeze.eq(1),\n            counters.last.eq(1),",
        "            counters.last.eq(1),",
    ),
    Mutant(
        "cpp_counts_the_last_group_twice",
        "hls/rank_meter/rank_meter.cpp",
        "for (int group = GROUPS - 1; group > 0; --group) {",
        "for (int group = GROUPS - 1; group >= 0; --group) {",
    ),
)
