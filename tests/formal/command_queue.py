"""Proof of `monitor.command_queue.CommandQueue`: order, no loss below depth, loss and delay reported."""

from unittest.mock import patch

import litemrc_gateware.monitor.command_queue as module
from formal.proof import Proof
from formal.queues import FollowedRecord
from migen import Cat, If, Signal

DEPTH, LATE = 4, 4  # in place of 16 and 64


class CommandQueueProof(Proof):
    """The reference keeps commands while fewer than the depth wait."""

    parameters = f"2 frames, depth {DEPTH}, late after {LATE} cycles"

    def __init__(self, unit_class=module.CommandQueue) -> None:
        super().__init__()
        sizes = {"COMMANDS": DEPTH, "LATE_CYCLES": LATE}
        with patch.dict(unit_class.__init__.__globals__, sizes):
            self.unit = unit = unit_class(frames=2)
        self.constants = [unit.fifo.fifo.replace]
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
        )
        self.prove(
            "the commands kept come out in order",
            ~(source.valid & command.due)
            | (Cat(source.clear, source.frame & ~source.clear) == command.record),
        )
        self.prove("pending: a command waits", unit.pending == (command.entries != 0))
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
            "lost: a command found no place, or came with a clear; until acknowledged", unit.lost == lost
        )
        due = (waited == LATE) & (quiet == LATE)
        self.prove(f"late after {LATE} cycles of waiting without an acknowledge", ~due | unit.late)
        self.prove(
            f"late only if commands waited for {LATE - 1} cycles, until acknowledged", ~unit.late | was_late
        )
        self.cover("a command is lost", unit.lost)
        self.cover(
            "commands are late, and no longer after an acknowledge", self.before(unit.late) & ~unit.late
        )
        self.cover(
            "the remembered command comes out behind others",
            command.due & source.valid & self.ever(source.valid & ~command.due),
        )
