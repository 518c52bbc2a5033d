# SPDX-License-Identifier: BSD-2-Clause
"""Faults of the monitor's input: intake and command queue."""

from tests.formal.command_queue import CommandQueueProof
from tests.formal.faults.mutant import Mutant, withdrawn
from tests.formal.intake import EpochLengthProof, IntakeProof

INTAKE = "monitor.intake.Intake"
COMMANDS = "monitor.command_queue.CommandQueue"
_STREAM = "source: a record and its payload stay until taken"

MUTANTS = (
    Mutant(
        IntakeProof,
        "an offered access is either taken or lost, in its cycle and as it was offered",
        INTAKE,
        "lost.eq(self.access & ~entry.ready)",
        "lost.eq(0)",
    ),
    Mutant(
        IntakeProof,
        "no record comes out that did not enter",
        INTAKE,
        "taken.eq(entry.valid & entry.ready),",
        "taken.eq(entry.valid & entry.ready & ~entry.frozen),",
    ),
    Mutant(
        IntakeProof,
        "the records that entered come out in order, each once",
        INTAKE,
        "observed.epoch_end.eq(entry.epoch_end & self.taken),",
        "observed.epoch_end.eq(0),",
    ),
    Mutant(
        IntakeProof,
        "no access is lost below the queue's depth",
        INTAKE,
        "stream.SyncFIFO(layout, queue_depth, buffered=True)",
        "stream.SyncFIFO(layout, queue_depth - 2, buffered=True)",
    ),
    Mutant(
        IntakeProof,
        "level: the records in the queue",
        INTAKE,
        "self.level.eq(self.queue.level),",
        "self.level.eq(self.queue.fifo.fifo.level),",
    ),
    Mutant(
        IntakeProof,
        _STREAM,
        INTAKE,
        "self.source = self.queue.source\n",
        withdrawn("self.queue.source", "self.end_epoch") + "\n",
    ),
    Mutant(
        IntakeProof,
        "offered = taken + dropped, in the running epoch",
        INTAKE,
        "If(lost & ~self.frozen & ",
        "If(lost & ",
    ),
    Mutant(
        IntakeProof,
        "the same of the epoch that ended",
        INTAKE,
        "self.epoch_dropped.eq(self.dropped)",
        "self.epoch_dropped.eq(0)",
    ),
    Mutant(
        IntakeProof,
        "an end enters only if none is between queue and window, and the window is free",
        INTAKE,
        "~in_flight & ~self.window_taken",
        "~self.window_taken",
    ),
    Mutant(
        IntakeProof,
        "a requested end enters with the next access, if it may",
        INTAKE,
        "If(self.end_epoch, end_requested.eq(1)),",
        "If(self.end_epoch & ~self.access, end_requested.eq(1)),",
    ),
    Mutant(
        IntakeProof,
        "epoch_due: an end is requested or in flight",
        INTAKE,
        "self.epoch_due.eq(end_requested | in_flight)",
        "self.epoch_due.eq(end_requested)",
    ),
    Mutant(
        IntakeProof,
        "no command enters that was not given",
        INTAKE,
        "command_enters.eq(command.valid & ~(",
        "command_enters.eq(~(",
    ),
    Mutant(
        IntakeProof,
        "a command goes as its last frame enters",
        INTAKE,
        "command.ready.eq(~access & entry.ready",
        "command.ready.eq(entry.ready",
    ),
    Mutant(
        IntakeProof,
        "the commands given enter in order: a claim with its context, once for each frame",
        INTAKE,
        "Mux(claims, command.context, self.context)",
        "self.context",
    ),
    Mutant(
        IntakeProof,
        "the commands given enter in order: a claim with its context, once for each frame",
        INTAKE,
        "Mux(access, sink.write, claims)",
        "sink.write",
    ),
    Mutant(
        IntakeProof,
        "the commands given enter in order: a claim with its context, once for each frame",
        INTAKE,
        "entry.frame.eq(Mux(access, sink.frame, command.frame)),",
        "entry.frame.eq(sink.frame),",
    ),
    Mutant(
        EpochLengthProof,
        "an epoch ends with the access that fills it, or as soon as the window is free; else on request",
        INTAKE,
        ".Elif(advanced & elapses, length_reached.eq(reached[2]))",
        "",
    ),
    Mutant(
        CommandQueueProof,
        "a command waits from the cycle after its strobe until it is taken",
        COMMANDS,
        "fifo.sink.valid.eq(self.clear | self.invalidate | self.claim),",
        "fifo.sink.valid.eq(self.clear),",
    ),
    Mutant(
        CommandQueueProof,
        "the commands kept come out in order: a claim for one frame after the other",
        COMMANDS,
        "fifo.sink.clear.eq(self.clear),",
        "fifo.sink.clear.eq(self.clear & ~self.pending),",
    ),
    Mutant(
        CommandQueueProof,
        "the commands kept come out in order: a claim for one frame after the other",
        COMMANDS,
        "next_frame.eq(self.source.frame + 1),",
        "next_frame.eq(self.frame + 1),",
    ),
    Mutant(
        CommandQueueProof,
        "a command goes with its last frame: 2^order of a claim, but none behind the memory's last",
        COMMANDS,
        "(entry >> fifo.source.order)[0]",
        "(entry >> (fifo.source.order + 1))[0]",
    ),
    Mutant(
        CommandQueueProof,
        "a command goes with its last frame: 2^order of a claim, but none behind the memory's last",
        COMMANDS,
        " | memory_ends",
        "",
    ),
    Mutant(
        CommandQueueProof,
        "pending: a command waits",
        COMMANDS,
        "self.pending.eq(fifo.source.valid),",
        "self.pending.eq(~fifo.sink.ready),",
    ),
    Mutant(
        CommandQueueProof,
        _STREAM,
        COMMANDS,
        "fifo.source.frame, next_frame)",
        "self.frame, next_frame)",
    ),
    Mutant(
        CommandQueueProof,
        "lost: a command found no place, or came with another; until acknowledged",
        COMMANDS,
        " | several, self.lost",
        ", self.lost",
    ),
    Mutant(
        CommandQueueProof,
        "late after 4 cycles of waiting without an acknowledge",
        COMMANDS,
        "self.late.eq(1)",
        "self.late.eq(self.lost)",
    ),
    Mutant(
        CommandQueueProof,
        "late only if commands waited for 3 cycles, until acknowledged",
        COMMANDS,
        "self.lost.eq(0), self.late.eq(0)",
        "self.lost.eq(0)",
    ),
)
