# SPDX-License-Identifier: BSD-2-Clause
"""Faults in the rank meter that benches must find."""

from tests.cosim.mutants import GATEWARE, Mutant

# The bench of the chain with the moves must find these.
MOVE_MUTANTS = (
    Mutant(
        "hit_in_group_0_moves",
        f"{GATEWARE}/stacks/group/moves.py",
        "Mux(is_access, ~page.valid | (page.group != 0), page.valid)",
        "Mux(is_access, 1, page.valid)",
    ),
    Mutant(
        "invalidation_passes_pages_down",
        f"{GATEWARE}/stacks/group/moves.py",
        "move.to_group.eq(Mux(is_access, group, group - 1)),",
        "move.to_group.eq(group),",
    ),
    Mutant(
        "held_before_the_last_move_is_shown",
        f"{GATEWARE}/stacks/group/moves.py",
        "self.held.eq(shown.idle & ~shown.passes & ~move.valid),",
        "self.held.eq(shown.idle),",
    ),
    Mutant(
        "operation_begins_while_held",
        f"{GATEWARE}/stacks/group/group_stack.py",
        "may_take = self.may_respond & ~self.moves.hold",
        "may_take = self.may_respond",
    ),
    Mutant(
        "cpp_reports_no_page_that_is_invalidated",
        "hls/group_stack/group_stack.cpp",
        "    moves.write(pack(Move{frame, page.owner, 1, page.group, 0, 0}));\n",
        "",
    ),
)

# The bench of the rank meter must find these.
METER_MUTANTS = (
    Mutant(
        "count_changed_just_before_is_missed",
        f"{GATEWARE}/counters/working_pages.py",
        "If(change2 & (adr2 == adr1), count.eq(changed)),",
        "",
    ),
    Mutant(
        "second_change_in_one_bank_is_lost",
        f"{GATEWARE}/counters/working_pages.py",
        "bank.change.eq(from_here | to_here | put_off[parity]),",
        "bank.change.eq(from_here | to_here),",
    ),
    Mutant(
        "page_in_the_last_group_below_n_mrc_is_left_out",
        f"{GATEWARE}/counters/working_pages.py",
        "was_in.eq(comes & (move.from_group < self.n_mrc)),",
        "was_in.eq(comes & (move.from_group + 1 < self.n_mrc)),",
    ),
    Mutant(
        "walk_down_takes_the_group_above",
        f"{GATEWARE}/counters/working_pages.py",
        "group.eq(Mux(joins, size, size - 1))",
        "group.eq(size)",
    ),
    Mutant(
        "n_mrc_changes_while_pages_move",
        f"{GATEWARE}/counters/working_pages.py",
        "If(self.held & empty & ~zeroing, NextState",
        "If(~zeroing, NextState",
    ),
    Mutant(
        "clear_leaves_domains_working",
        f"{GATEWARE}/counters/working_pages.py",
        "self.working[domain].eq(0),",
        "self.working[domain].eq(self.working[domain]),",
    ),
    Mutant(
        "epsilon_is_rounded_up",
        f"{GATEWARE}/ranks/n_mrc.py",
        "If(with_counter > allowed,",
        "If(with_counter > allowed + 1,",
    ),
    Mutant(
        "context_without_accesses_gets_a_size",
        f"{GATEWARE}/ranks/n_mrc.py",
        'If(counter == 0, *next_context("ASK")).Else(NextState("SUM"))',
        'NextState("SUM")',
    ),
    Mutant(
        "bus_is_answered_for_the_search",
        f"{GATEWARE}/ranks/n_mrc.py",
        "asked.eq(asks & ~self.bus_reads),",
        "asked.eq(asks),",
    ),
    Mutant(
        "clock_of_the_boundary_is_lost",
        f"{GATEWARE}/ranks/counters.py",
        "If(self.boundary, count.eq(event), caught_count.eq(count)),",
        "If(self.boundary, count.eq(0), caught_count.eq(count)),",
    ),
    Mutant(
        "idle_ends_with_the_snapshot",
        f"{GATEWARE}/ranks/counters.py",
        "Mux(stages[4].sums & (stages[4].word != MeterWord.IDLE), 0, count)",
        "Mux(stages[4].sums, 0, count)",
    ),
    Mutant(
        "access_in_the_round_before_is_forgotten",
        f"{GATEWARE}/ranks/counters.py",
        "If(accessed, idle.eq(0), idle_anew.eq(1))",
        "If(accessed, idle.eq(0), idle_anew.eq(~self.boundary))",
    ),
    Mutant(
        "entry_from_another_low_state_is_none",
        f"{GATEWARE}/ranks/counters.py",
        "(state == number) & (last_state != number)",
        "(state == number) & (last_state < PowerState.POWER_DOWN)",
    ),
    Mutant(
        "window_is_shown_while_written",
        f"{GATEWARE}/ranks/meter.py",
        "window.write.adr.eq(Cat(sum_adr, ~half)),",
        "window.write.adr.eq(Cat(sum_adr, half)),",
    ),
    Mutant(
        "pages_move_before_the_snapshot_ends",
        f"{GATEWARE}/ranks/meter.py",
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
