# SPDX-License-Identifier: BSD-2-Clause
"""Faults in the stack engines that benches must find."""

from tests.cosim.mutants import GATEWARE, Mutant

# The random bench of the chain with arrays in parts must find it.
PARTS_MUTANT = Mutant(
    "least_recent_page_is_taken_before_it_is_read",
    f"{GATEWARE}/stacks/group/links.py",
    "steps[-4:]",
    "steps[1:5]",
)

# Both the random and the exhaustive bench of the chain must find these.
STACK_MUTANTS = (
    Mutant(
        "full_group_opens_no_next",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "NextValue(opens_group, (stack.size & (group_pages - 1)) == 0),",
        "NextValue(opens_group, 0),",
    ),
    Mutant(
        "header_of_invalidated_page_stays",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "headers.write.we.eq(steps[-1] & (~own_group | was_first)),",
        "headers.write.we.eq(steps[-1] & ~own_group),",
    ),
    Mutant(
        "page_passed_up_keeps_its_group",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "moved_page.group.eq(Mux(is_access, walked[-1], walked[-1] - 1)),",
        "moved_page.group.eq(walked[-1]),",
    ),
    Mutant(
        "fast_path_outlives_invalidation",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "NextValue(self.last_valid, is_access),",
        "NextValue(self.last_valid, 1),",
    ),
    Mutant(
        "last_touch_owns_the_page",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "Mux(owned, stored_page.owner, op.context)",
        "op.context",
    ),
    Mutant(
        "claimed_page_belongs_to_the_running_context",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "Mux(owned, stored_page.owner, op.context)",
        "Mux(stored_page.valid, stored_page.owner, op.context)",
    ),
    Mutant(
        "claimed_page_stays_in_its_old_stack",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "links.start.eq(page.valid),",
        "links.start.eq(page.valid & ~op.write),",
    ),
    Mutant(
        "miss_of_a_claimed_page_has_a_group",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "Mux(page.valid, page.group, 0)",
        "page.group",
    ),
    Mutant(
        "least_recent_page_is_relinked",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "links.start.eq(~on_top & ~at_tail),",
        "links.start.eq(~on_top),",
    ),
    Mutant(
        "only_page_is_not_its_own_neighbour",
        f"{GATEWARE}/stacks/group/links.py",
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
        f"{GATEWARE}/stacks/bucket/tree.py",
        "two1.eq(change2 & self.same2 & ~one_behind & ~self.load),",
        "two1.eq(0),",
    ),
    Mutant(
        "zeroed_nodes_keep_their_pages",
        f"{GATEWARE}/stacks/bucket/tree.py",
        "memory.load.eq(self.clear | self.zero),",
        "memory.load.eq(self.clear),",
    ),
    Mutant(
        "page_written_in_the_clock_of_its_read_is_missed",
        f"{GATEWARE}/stacks/bucket/pages.py",
        "high & Cat(*touch[2:])",
        "high & Cat(*touch[2:-1])",
    ),
    Mutant(
        "page_is_read_from_the_bank_of_the_operation_behind",
        f"{GATEWARE}/stacks/bucket/pages.py",
        "Mux(bank[3], words[1], words[0])",
        "Mux(bank[2], words[1], words[0])",
    ),
    Mutant(
        "sweep_overwrites_page_in_flight",
        f"{GATEWARE}/stacks/bucket/sweep.py",
        "valid[3].eq(valid[2] & ~in_flight)",
        "valid[3].eq(valid[2])",
    ),
    Mutant(
        "sweep_writes_ids_of_the_last_generation",
        f"{GATEWARE}/stacks/bucket/pages.py",
        "sweep_entries.write.dat_w.eq(buckets_written),",
        "sweep_entries.write.dat_w.eq(Cat(C(0, 1), given_id, C(1, 1), given_id)),",
    ),
    Mutant(
        "full_bucket_takes_no_neighbour",
        f"{GATEWARE}/stacks/bucket/renumbering.py",
        "over.eq(youngest_pages + fewer),",
        "over.eq(youngest_pages + placed),",
    ),
    Mutant(
        "two_buckets_that_fill_one_are_not_merged",
        f"{GATEWARE}/stacks/bucket/renumbering.py",
        "(total < bucket_pages) | (total == bucket_pages)",
        "total < bucket_pages",
    ),
    Mutant(
        "newer_bucket_of_an_id_goes_where_the_older_one_went",
        f"{GATEWARE}/stacks/bucket/renumbering.py",
        "Cat(is_newer ^ (one ^ fits),",
        "Cat(is_newer ^ ~fits,",
    ),
    Mutant(
        "single_bucket_of_an_id_gets_the_newer_one_of_before_the_renumbering",
        f"{GATEWARE}/stacks/bucket/renumbering.py",
        "newer.write.dat_w.eq(0),\n                newer.write.we.eq(1),",
        "newer.write.we.eq(0),",
    ),
    Mutant(
        "page_of_the_older_bucket_is_mapped_as_one_of_the_newer",
        f"{GATEWARE}/stacks/bucket/pages.py",
        "self.bucket.eq(Mux(is_newer, newer, older)),",
        "self.bucket.eq(newer),",
    ),
    Mutant(
        "page_hit_in_the_older_bucket_of_the_open_id_stays_there",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "joins.eq(self.is_access & ~in_newest),",
        "joins.eq(self.is_access & ~self.is_open),",
    ),
    Mutant(
        "page_that_leaves_the_older_bucket_of_the_open_id_is_counted_there",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "enters.eq(self.is_access & ~self.is_open),",
        "enters.eq(joins),",
    ),
    Mutant(
        "newer_bucket_of_the_same_id_is_not_in_front",
        f"{GATEWARE}/stacks/bucket/answers.py",
        "parts[hit_at + 2].nearer + in_front",
        "parts[hit_at + 2].nearer",
    ),
    Mutant(
        "bucket_merged_in_the_clock_before_is_missed",
        f"{GATEWARE}/stacks/bucket/renumbering.py",
        "Mux(changes, youngest.write.dat_w, youngest.read.dat_r)",
        "youngest.read.dat_r",
    ),
    Mutant(
        "oldest_bucket_joins_one_of_before_the_renumbering",
        f"{GATEWARE}/stacks/bucket/renumbering.py",
        "Mux(self.busy, Cat(last_bucket, last_pages), C(1 | bucket_pages << (id_bits + 1)))",
        "Mux(self.busy, Cat(last_bucket, last_pages), C(1, id_bits + 1 + count_bits))",
    ),
    Mutant(
        "operations_pass_a_renumbering_that_is_due",
        f"{GATEWARE}/stacks/bucket/bucket_stack.py",
        "(~may_take & (ahead < renumbering.last))",
        "(~may_take & (renumbering.last != 0))",
    ),
    Mutant(
        "closing_bucket_does_not_hold_the_stage_before",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "self.acts.eq(self.valid & self.go),",
        "self.acts.eq(self.valid),",
    ),
    Mutant(
        "front_outlives_a_renumbering",
        f"{GATEWARE}/stacks/bucket/bucket_stack.py",
        "answers.front.forget.eq(self.renumbering.done),",
        "answers.front.forget.eq(0),",
    ),
    Mutant(
        "page_keeps_its_stamp_of_before_the_operation_ahead",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "self.page_bucket.eq(Mux(matches == 0,",
        "self.page_bucket.eq(Mux(matches[1:] == 0,",
    ),
    Mutant(
        "page_looked_up_while_its_bucket_closes_stays_in_the_open_one",
        f"{GATEWARE}/stacks/bucket/touch.py",
        ").Elif(\n            self.owner == self.given_owner,\n            self.is_open.eq(0),\n        )",
        ")",
    ),
    Mutant(
        "page_touched_before_its_bucket_closed_stays_in_the_open_one",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "If(past.owner == self.given_owner, past.is_open.eq(0))",
        "If(0, past.is_open.eq(0))",
    ),
    Mutant(
        "front_of_before_a_renumbering_is_compared",
        f"{GATEWARE}/stacks/bucket/loop_front.py",
        "~(same_owner | known[self.owner]),",
        "0,",
    ),
    Mutant(
        "bucket_that_a_page_left_closes_as_if_it_had_not",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "now.one_left & ~leaves",
        "now.one_left",
    ),
    Mutant(
        "claim_read_from_the_pages_is_ignored",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "owned.eq(self.page_owned),",
        "owned.eq(self.page_valid),",
    ),
    Mutant(
        "page_claimed_by_the_operation_ahead_belongs_to_its_old_owner",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "touched[0].owner.eq(new_owner),",
        "touched[0].owner.eq(self.owner),",
    ),
    Mutant(
        "page_claimed_by_the_operation_ahead_belongs_to_the_running_context",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "touched[0].owned.eq(self.is_access | claimed),",
        "touched[0].owned.eq(self.is_access),",
    ),
    Mutant(
        "claimed_page_stays_in_its_bucket",
        f"{GATEWARE}/stacks/bucket/touch.py",
        "touches & was_valid & ~self.is_open)",
        "touches & was_valid & ~self.is_open & ~claimed)",
    ),
    Mutant(
        "renumbering_maps_a_claim",
        f"{GATEWARE}/stacks/bucket/pages.py",
        "sweep_entries.write.dat_w.eq(buckets_written),",
        "sweep_entries.write.dat_w.eq(Mux(valid_written, buckets_written, 0)),",
    ),
    Mutant(
        "buckets_get_the_ids_of_claims",
        f"{GATEWARE}/stacks/bucket/renumbering.py",
        "ids - contexts - RENUMBER_DELAY - 1",
        "ids - RENUMBER_DELAY - 1",
    ),
    Mutant(
        "cpp_merges_less_than_half_a_group",
        "hls/bucket_stack/bucket_stack.cpp",
        "merged_pages[owner] + pages <= BUCKET_PAGES",
        "merged_pages[owner] + pages < BUCKET_PAGES",
    ),
)

# The bench of the rate must find these two: accesses from one bank only; a page array of two parts a bank.
SWEEP_MUTANT = Mutant(
    "renumbering_does_not_wait_for_the_sweep",
    f"{GATEWARE}/stacks/bucket/bucket_stack.py",
    "drained & renumbering.waits & (renumbering.last == 0) & pages.swept,",
    "drained & renumbering.waits & (renumbering.last == 0),",
)
PART_MUTANT = Mutant(
    "part_of_the_operation_behind_is_chosen",
    f"{GATEWARE}/memory.py",
    "Array(parts)[self._delayed(chosen, further_registers)]",
    "Array(parts)[chosen]",
)
