# SPDX-License-Identifier: BSD-2-Clause
"""Faults seeded into the reference counters, each with the reason why the bench finds it."""

from tests.cosim.mutants import GATEWARE, Mutant

PIPELINE = f"{GATEWARE}/refs/pipeline.py"
GENERATIONS = f"{GATEWARE}/refs/generations.py"
QUEUE = f"{GATEWARE}/refs/event_queue.py"

REF_MUTANTS = (
    # A page written in the cycle in which it is read.
    Mutant(
        "sixth_operation_ahead_is_not_forwarded",
        PIPELINE,
        "pages_met[n].eq(row & same),",
        "pages_met[n].eq((row & same) if n < WINDOW - 1 else 0),",
    ),
    # Counters of before a reset live on.
    Mutant(
        "forwarding_passes_a_reset",
        PIPELINE,
        "*(behind.eq(ahead & ~slot.behind_reset) for ahead, behind in pairwise(current)),",
        "*(behind.eq(ahead) for ahead, behind in pairwise(current)),",
    ),
    # What the first operation of a row has counted is overwritten by the next one's renewal.
    Mutant(
        "row_is_renewed_twice",
        PIPELINE,
        "renews.eq(Cat(stages[CHOOSE].valid & stale & ~met.row_met, renews))",
        "renews.eq(Cat(stages[CHOOSE].valid & stale, renews))",
    ),
    # The row's tag is written in the cycle in which it is read: the memory may say anything.
    Mutant(
        "tag_read_while_written_is_believed",
        PIPELINE,
        "(met.oldest_row & renews[WINDOW - 1])",
        "0",
    ),
    Mutant(
        "pages_beside_a_renewed_one_keep_their_counters",
        f"{GATEWARE}/refs/banks.py",
        "block.write.we.eq(self.write & (self.renew | own[number]) & write_part[p]),",
        "block.write.we.eq(self.write & own[number] & write_part[p]),",
    ),
    # Operations in front of a reset meet the initial values behind it.
    Mutant(
        "initial_values_come_into_force_too_soon",
        GENERATIONS,
        "IN_FORCE = 6 ",
        "IN_FORCE = 5 ",
    ),
    # Four resets within a pass: a tag is met again.
    Mutant(
        "fourth_reset_does_not_wait",
        GENERATIONS,
        "self.reset_ready.eq(~self.zeroing & (owed != MOST_OWED) &",
        "self.reset_ready.eq(~self.zeroing &",
    ),
    Mutant(
        "sweep_leaves_out_every_other_row",
        GENERATIONS,
        "self.comb += self.row.eq(visits)",
        "self.comb += self.row.eq(visits & ~1)",
    ),
    Mutant(
        "two_events_lost_at_once_count_as_one",
        QUEUE,
        "If(full, more_lost.eq(events_here)),",
        "If(full, more_lost.eq(events_here != 0)),",
    ),
    Mutant(
        "entry_gives_up_its_place_with_its_first_event",
        QUEUE,
        "done.eq(events.valid & events.ready & (waiting != 0b11)),",
        "done.eq(events.valid & events.ready & (waiting != 0b10)),",
    ),
    Mutant(
        "last_page_of_the_range_does_not_count",
        f"{GATEWARE}/refs/ref_counters.py",
        "(request.page <= selector.upper)",
        "(request.page < selector.upper)",
    ),
    Mutant(
        "cpp_load_does_not_renew_the_row",
        "hls/ref_counters/ref_counters.cpp",
        "const bool stale = is_stale(row);",
        "const bool stale = op.kind != REF_LOAD && is_stale(row);",
    ),
)
