# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `monitor.command_queue.CommandQueue`: order, no loss below depth, loss and delay reported."""

from unittest.mock import patch

import litemrc_gateware.monitor.command_queue as module
from migen import Cat, If, Signal

from tests.formal.proof import ALWAYS, Proof
from tests.formal.queues import FollowedRecord

DEPTH, LATE = 4, 4  # in place of 16 and 64


class CommandQueueProof(Proof):
    """The reference keeps commands while fewer than the depth wait."""

    parameters = f"2 frames, depth {DEPTH}, late after {LATE} cycles"

    def __init__(self, unit_class=module.CommandQueue) -> None:
        super().__init__()
        sizes = {"COMMANDS": DEPTH, "LATE_CYCLES": LATE}
        with patch.dict(unit_class.__init__.__globals__, sizes):
            self.unit = unit = unit_class(frames=2, contexts=2)
        self.constants = [unit.fifo.fifo.replace, unit.claim]
        source, kept = unit.source, Signal()
        given = unit.clear | unit.invalidate
        self.command = command = FollowedRecord(
            self,
            DEPTH.bit_length(),
            kept,
            source.valid & source.ready,
            Cat(unit.clear, unit.frame & ~unit.clear),
        )
        self.comb += kept.eq(given & (command.entries != DEPTH))
        self.prove(
            "a command waits from the cycle after its strobe until it is taken",
            source.valid == (command.entries != 0),
            when=ALWAYS,
            cases={"a command waits": source.valid},
        )
        self.prove(
            "the commands kept come out in order",
            Cat(source.clear, source.frame & ~source.clear) == command.record,
            when=source.valid & command.due,
            cases={"behind others": self.ever(source.valid & ~command.due)},
        )
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
            If((given & ~kept) | (unit.clear & unit.invalidate), lost.eq(1)),
            If(command.entries == 0, waited.eq(0)).Elif(waited != LATE, waited.eq(waited + 1)),
            If(unit.acknowledge, quiet.eq(0), was_late.eq(0)).Elif(quiet != LATE, quiet.eq(quiet + 1)),
            If(waited >= LATE - 1, was_late.eq(1)),
        ]
        self.prove(
            "lost: a command found no place, or came with a clear; until acknowledged",
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
