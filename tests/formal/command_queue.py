# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `monitor.command_queue.CommandQueue`: order, entries of claims, no loss below depth, reports."""

from unittest.mock import patch

import litemrc_gateware.monitor.command_queue as module
from migen import Cat, If, Mux, Signal

from tests.formal.proof import ALWAYS, Proof
from tests.formal.queues import FollowedRecord

DEPTH, LATE, ORDER_BITS = 4, 4, 2  # in place of 16, 64 and 3
FRAMES, FRAME_BITS, CONTEXTS = 8, 3, 2


class CommandQueueProof(Proof):
    """The reference keeps commands while fewer than the depth wait.

    The unit decides when a command goes; that it does so with its last entry is proved of any command.
    """

    parameters = (
        f"{FRAMES} frames, {CONTEXTS} contexts, depth {DEPTH}, orders up to {2**ORDER_BITS - 1}, "
        f"late after {LATE} cycles"
    )

    def __init__(self, unit_class=module.CommandQueue) -> None:
        super().__init__()
        sizes = {"COMMANDS": DEPTH, "LATE_CYCLES": LATE, "ORDER_BITS": ORDER_BITS}
        with patch.dict(unit_class.__init__.__globals__, sizes):
            self.unit = unit = unit_class(FRAMES, CONTEXTS)
        self.constants = [unit.fifo.fifo.replace]
        source, kept = unit.source, Signal()
        given = unit.clear | unit.invalidate | unit.claim
        taken, goes, claims = source.valid & source.ready, Signal(), unit.claim & ~unit.clear
        several = self.named(unit.clear + unit.invalidate + unit.claim) > 1
        self.comb += goes.eq(unit.fifo.source.valid & unit.fifo.source.ready)
        self.command = command = FollowedRecord(
            self,
            DEPTH.bit_length(),
            kept,
            goes,
            Cat(
                *(unit.clear, claims),
                self.named(Mux(unit.clear, 0, unit.frame), FRAME_BITS),
                *(unit.context & claims, self.named(Mux(claims, unit.order, 0), ORDER_BITS)),
            ),
        )
        self.comb += kept.eq(given & (command.entries != DEPTH))
        self.prove(
            "a command waits from the cycle after its strobe until it is taken",
            source.valid == (command.entries != 0),
            when=ALWAYS,
            cases={"a command waits": source.valid},
        )
        self._prove_entries(taken, goes)
        self.prove(
            "pending: a command waits",
            unit.pending == (command.entries != 0),
            when=ALWAYS,
            cases={"one does": unit.pending},
        )
        self.prove_stream("source", source)

        # Waiting cycles at a stretch, and cycles without `acknowledge`, both up to this one.
        lost, waited, quiet, was_late = Signal(), Signal(max=LATE + 1), Signal(max=LATE + 1), Signal()
        self.sync += [
            If(unit.acknowledge, lost.eq(0)),
            If((given & ~kept) | several, lost.eq(1)),
            If(command.entries == 0, waited.eq(0)).Elif(waited != LATE, waited.eq(waited + 1)),
            If(unit.acknowledge, quiet.eq(0), was_late.eq(0)).Elif(quiet != LATE, quiet.eq(quiet + 1)),
            If(waited >= LATE - 1, was_late.eq(1)),
        ]
        self.prove(
            "lost: a command found no place, or came with another; until acknowledged",
            unit.lost == lost,
            when=ALWAYS,
            cases={"lost": unit.lost, "acknowledged": self.before(unit.lost) & ~unit.lost},
        )
        due = (waited == LATE) & (quiet == LATE)
        self.prove(f"late after {LATE} cycles of waiting without an acknowledge", unit.late, when=due)
        self.prove(
            f"late only if commands waited for {LATE - 1} cycles, until acknowledged",
            was_late,
            when=unit.late,
            cases={"late again after an acknowledge": self.ever(self.before(unit.late) & ~unit.late)},
        )

    def _prove_entries(self, taken, goes) -> None:
        """The entries of the followed command: `entry` of them were taken before."""
        source, record = self.unit.source, self.command.record
        clear, claim, frame, context, order = map(Signal, (1, 1, FRAME_BITS, 1, ORDER_BITS))
        entry, last = Signal(max=2 ** (2**ORDER_BITS - 1)), Signal()
        here = self.named(frame + entry)
        self.comb += [
            Cat(clear, claim, frame, context, order).eq(record),
            last.eq((entry == self.named(1 << order) - 1) | (claim & (here == FRAMES - 1))),
        ]
        self.sync += If(goes, entry.eq(0)).Elif(taken, entry.eq(entry + 1))
        due = source.valid & self.command.due
        self.prove(
            "the commands kept come out in order: a claim for one frame after the other",
            (Cat(source.clear, source.claim) == Cat(clear, claim))
            & (clear | (source.frame == here))
            & (~claim | (source.context == context)),
            when=due,
            cases={
                "behind others": self.ever(source.valid & ~self.command.due),
                "the last frame of order 3": claim & (order == 3) & (entry == 7),
            },
        )
        self.prove(
            "a command goes with its last frame: 2^order of a claim, but none behind the memory's last",
            goes == last,
            when=due & taken,
            cases={
                "the last frame of order 3": claim & (order == 3) & (entry == 7),
                "claimed to the end of the memory": claim & last & (entry == 2) & (order == 2),
                "an invalidation": ~claim & ~clear,
            },
        )
