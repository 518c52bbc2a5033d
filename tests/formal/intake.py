# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `monitor.intake.Intake`: offered = taken + lost, order, one end of epoch under way."""

from unittest.mock import patch

import litemrc_gateware.monitor.command_queue as command_queue
from litemrc_gateware.monitor.intake import Intake
from litemrc_gateware.records import OpKind
from migen import Cat, If, Mux, Signal

from tests.formal.proof import ALWAYS, Proof
from tests.formal.queues import FollowedRecord

COMMANDS, ORDER_BITS = 2, 1  # in place of 16 and 3


def _small(unit_class, frames, contexts, queue_depth):
    """The unit with few places for commands, and claims of few frames."""
    places = patch.multiple(command_queue, COMMANDS=COMMANDS, ORDER_BITS=ORDER_BITS)
    with places, patch.dict(unit_class.__init__.__globals__, ORDER_BITS=ORDER_BITS):
        return unit_class(frames, contexts, queue_depth)


class IntakeProof(Proof):
    """The reference decides what enters the queue from the inputs, and follows any record through it."""

    def __init__(self, unit_class=Intake, frames=2, contexts=2, queue_depth=4) -> None:
        super().__init__()
        self.parameters = (
            f"{frames} frames, {contexts} contexts, queue of {queue_depth}, {COMMANDS} commands, claims of 2"
        )
        self.unit = unit = _small(unit_class, frames, contexts, queue_depth)
        self.constants = fifo_constants(unit)
        seen, sink = unit.observed, unit.sink
        offered, enters, taken, lost = (Signal(name=name) for name in ("offered", "enters", "taken", "lost"))
        self.comb += [
            offered.eq(sink.valid & unit.enable),
            enters.eq(seen.valid & ~seen.dropped),
            taken.eq(enters & (seen.kind == OpKind.ACCESS)),
            lost.eq(seen.valid & seen.dropped),
        ]
        given = Cat(sink.frame, sink.write, unit.context, unit.frozen)
        self.prove(
            "an offered access is either taken or lost, in its cycle and as it was offered",
            Mux(
                offered,
                (taken ^ lost) & (Cat(seen.frame, seen.write, seen.context, seen.frozen) == given),
                ~taken & ~lost,
            ),
            when=ALWAYS,
            cases={"taken": taken, "lost": lost},
        )
        self._prove_queue(enters, lost, queue_depth)
        self._prove_counts(offered & ~unit.frozen, taken & ~unit.frozen, enters)
        self._prove_ends(enters, taken)
        self._prove_commands(enters)

    def _prove_queue(self, enters, lost, queue_depth) -> None:
        seen, source = self.unit.observed, self.unit.source
        names = [name for name, *_ in source.description.payload_layout]
        self.record = record = FollowedRecord(
            self,
            (queue_depth + 1).bit_length(),
            enters,
            source.valid & source.ready,
            Cat(*(getattr(seen, name) for name in names)),
        )
        self.prove("no record comes out that did not enter", record.entries != 0, when=source.valid)
        self.prove(
            "the records that entered come out in order, each once",
            Cat(*(getattr(source, name) for name in names)) == record.record,
            when=source.valid & record.due,
            cases={"behind others": self.ever(source.valid & ~record.due)},
        )
        self.prove("no access is lost below the queue's depth", record.entries >= queue_depth, when=lost)
        self.prove(
            "level: the records in the queue",
            self.unit.level == record.entries,
            when=ALWAYS,
            cases={"the queue is full": record.entries >= queue_depth},
        )
        self.prove_stream("source", source)

    def _prove_counts(self, offered, taken, enters) -> None:
        """Count modulo 4; the unit's counters stop at 2^32 - 1, which the properties exclude."""
        unit, seen = self.unit, self.unit.observed
        all_offered, all_taken, difference, ended = (Signal(2) for _ in range(4))
        restarts = enters & (seen.epoch_end | (seen.kind == OpKind.CLEAR))
        full = self.ever(unit.dropped == 2**32 - 1)
        self.comb += difference.eq(all_offered - all_taken)
        self.sync += [
            all_offered.eq(all_offered + offered),
            all_taken.eq(all_taken + taken),
            If(restarts, all_offered.eq(0), all_taken.eq(0)),
            If(enters & seen.epoch_end, ended.eq(difference)),
        ]
        self.prove(
            "offered = taken + dropped, in the running epoch",
            unit.dropped[:2] == difference,
            when=~full,
            cases={"an access is dropped": unit.dropped != 0},
        )
        self.prove(
            "the same of the epoch that ended",
            unit.epoch_dropped[:2] == ended,
            when=~full,
            cases={"accesses were dropped in it": unit.epoch_dropped != 0},
        )

    def _prove_ends(self, enters, taken) -> None:
        unit, seen, source = self.unit, self.unit.observed, self.unit.source
        ends, left = Signal(), Signal()
        in_flight, at_counters, requested = Signal(), Signal(), Signal()
        self.comb += [
            ends.eq(enters & seen.epoch_end),
            left.eq(source.valid & source.ready & source.epoch_end),
        ]
        self.sync += [
            If(unit.published, in_flight.eq(0), at_counters.eq(0)),
            If(ends, in_flight.eq(1), requested.eq(0)),
            If(left, at_counters.eq(1)),
            If(unit.end_epoch, requested.eq(1)),
        ]
        self.assume(
            "`published` comes once for each end that left the queue (proved of HitCounters)",
            ~unit.published | at_counters,
        )
        free = ~in_flight & ~unit.window_taken
        self.prove(
            "an end enters only if none is between queue and window, and the window is free",
            free,
            when=ends,
            cases={"of a second epoch": self.ever(unit.published)},
        )
        self.prove(
            "a requested end enters with the next access, if it may", ends, when=taken & requested & free
        )
        self.prove(
            "epoch_due: an end is requested or in flight",
            unit.epoch_due == (requested | in_flight),
            when=ALWAYS,
            cases={"requested": requested & ~in_flight, "in flight": in_flight & ~requested},
        )

    def _prove_commands(self, enters) -> None:
        """Which entry of a command is its last is proved of CommandQueue."""
        unit, seen, oldest = self.unit, self.unit.observed, self.unit.commands.fifo.source
        is_command, goes, kept = Signal(), Signal(), Signal()
        claims = unit.claim & ~unit.clear
        self.comb += [
            is_command.eq(enters & ((seen.kind == OpKind.CLEAR) | (seen.kind == OpKind.INVALIDATE))),
            goes.eq(oldest.valid & oldest.ready),
        ]
        self.command = command = FollowedRecord(
            self,
            COMMANDS.bit_length(),
            kept,
            goes,
            Cat(unit.clear, claims, unit.command_frame & ~unit.clear, unit.claim_context & claims),
        )
        given = unit.clear | unit.invalidate | unit.claim
        self.comb += kept.eq(given & (command.entries != COMMANDS))
        clear, claim, frame, context = (command.record[bit] for bit in range(4))
        entry = Signal()  # of the oldest command, which entered before
        self.sync += If(goes, entry.eq(0)).Elif(is_command, entry.eq(1))
        self.prove("no command enters that was not given", command.entries != 0, when=is_command)
        self.prove("a command goes as its last frame enters", is_command, when=goes)
        self.prove(
            "the commands given enter in order: a claim with its context, once for each frame",
            ((seen.kind == OpKind.CLEAR) == clear)
            & (seen.write == claim)
            & (clear | (seen.frame == self.named(frame + entry, 1)))
            & (seen.context == Mux(claim, context, unit.context))
            & (~entry | goes),
            when=is_command & command.due,
            cases={
                "behind others": self.ever(is_command & ~command.due),
                "after waiting for an access": self.before((command.entries != 0) & enters & ~is_command),
                "the second frame of a claim": claim & entry,
            },
        )


def fifo_constants(unit) -> list[Signal]:
    """The inputs of Migen's FIFOs that LiteX leaves at 0."""
    return [unit.queue.fifo.fifo.replace, unit.commands.fifo.fifo.replace]


class EpochLengthProof(Proof):
    """The reference counts the accesses of the running epoch; the length is any constant."""

    def __init__(self, unit_class=Intake, frames=2, contexts=1, queue_depth=4) -> None:
        super().__init__()
        self.parameters = f"{frames} frames, queue of {queue_depth}, any epoch_length"
        self.unit = unit = _small(unit_class, frames, contexts, queue_depth)
        self.constants = fifo_constants(unit)
        seen = unit.observed
        length = self.any_constant(32, "length")
        self.comb += unit.epoch_length.eq(length)
        settling = self.before(~self.first)
        settled = self.before(settling)
        self.assume("a new length takes effect two cycles later: no access before", settled | ~unit.enable)
        self.assume("the epoch's unit is an access", ~unit.by_cycles)

        taken, ends, free, elapsed = Signal(), Signal(), Signal(), Signal(32)
        in_flight, requested = Signal(), Signal()
        enters = seen.valid & ~seen.dropped
        self.comb += [
            taken.eq(enters & (seen.kind == OpKind.ACCESS)),
            ends.eq(enters & seen.epoch_end),
            free.eq(~in_flight & ~unit.window_taken),
        ]
        more = taken & ~unit.frozen & (elapsed != 2**32 - 1)
        self.sync += [
            If(ends | (enters & (seen.kind == OpKind.CLEAR)), elapsed.eq(0)).Elif(
                more, elapsed.eq(elapsed + 1)
            ),
            If(unit.published, in_flight.eq(0)),
            If(ends, in_flight.eq(1), requested.eq(0)),
            If(unit.end_epoch, requested.eq(1)),
        ]
        full = (length != 0) & ~unit.frozen & (self.named(elapsed + 1) >= length)
        # The unit compares a cycle ahead, with what had elapsed without the access of that cycle.
        internal = unit.internal
        counted = self.named(elapsed - internal.advanced)
        lemmas = [
            internal.elapsed == elapsed,
            (internal.end_requested == requested) & (internal.in_flight == in_flight),
            self.first | (internal.length == length),
            self.first | ((internal.endless == (length == 0)) & (internal.single == (length == 1))),
            ~settled | settling,
            ~(settling & self.first),
            ~internal.restarted | (elapsed == 0),
            internal.restarted | ~internal.advanced | (elapsed != 0),
            *(
                ~settling
                | internal.restarted
                | (flag == ((length != 0) & (self.named(counted + more) >= length)))
                for more, flag in enumerate(internal.reached)
            ),
        ]
        self.prove(
            "an epoch ends with the access that fills it, or as soon as the window is free; else on request",
            ends == (free & (requested | full)),
            when=taken,
            cases={
                "a second epoch of three accesses": ends & (length == 3) & self.ever(ends) & (elapsed == 2),
                "as soon as the window is free": ends & full & (elapsed == 3) & self.before(~free),
                "on request": ends & requested & ~full,
            },
            lemmas=lemmas,
        )
