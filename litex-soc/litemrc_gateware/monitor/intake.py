# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's input: orders accesses and commands, ends epochs, counts drops, and holds the queue."""

from types import SimpleNamespace

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Record, Signal

from litemrc_gateware.monitor.command_queue import ORDER_BITS, CommandQueue
from litemrc_gateware.records import OpKind, access_layout, memory_op_layout, width_of


class Intake(LiteXModule):
    """Puts the accesses of the tap and the commands of the processor into one queue, in order.

    An access that finds the queue full is dropped and counted; commands wait in a `CommandQueue`. The end
    of an epoch is a flag of the access that fills it, so an epoch by accesses has exactly `epoch_length` of
    them; without an access in that cycle it is a record of its own (a mark). At most one end is between the
    queue and the window. One register is therefore enough for the drops of the epoch that ended, and the next
    epoch goes on while the window is held.

    While `frozen` is 1 every record carries that flag, dropped accesses are not counted, and the epoch ends
    by command only. A new epoch length, or unit, takes effect two cycles later.

    Parameters
    ----------
    frames, contexts, queue_depth : int
        powers of two.

    Attributes
    ----------
    sink : stream.Endpoint(access_layout), in
        from the tap. Always ready: accesses cannot wait.
    source : stream.Endpoint(memory_op_layout), out
        to the page filter.
    enable, by_cycles, epoch_length, context : Signal, in
        settings, as in the monitor's registers.
    freeze, single_shot : Signal, in
        freeze now; freeze when an epoch has ended, until `arm`.
    arm : Signal, in
        strobe.
    clear, end_epoch, invalidate, claim : Signal, in
        commands: strobes.
    command_frame, claim_context, claim_order : Signal, in
        the frame of an invalidation, or first one of a claim; the claim's owner, and log2 of its frames.
    window_taken : Signal, in
        the window holds an epoch that must not be overwritten.
    clear_waits : Signal, in
        a clear does not enter the queue yet.
    published : Signal, in
        strobe: the end of an epoch reached the window.
    frozen : Signal, out
        records that enter the queue in this cycle are not counted.
    acknowledge : Signal, in
        strobe: deassert `command_lost` and `command_late`.
    command_pending, command_lost, command_late : Signal, out
        `pending`, `lost` and `late` of the `CommandQueue`.
    epoch_due : Signal, out
        an end of epoch is requested and has not reached the window.
    dropped, epoch_dropped : Signal(32), out
        accesses dropped in the running epoch, and in the last one that ended; saturate.
    epoch_dropped_full : Signal, out
        `epoch_dropped` is at its limit.
    level, peak : Signal, out
        records in the queue, now and at most since reset.
    idle : Signal, out
        the queue is empty, and no command waits.
    observed : Record, out
        for instruments and simulators: what happens at the input of the queue in this cycle.
    """

    def __init__(self, frames, contexts, queue_depth):
        self.sink = stream.Endpoint(access_layout(frames))
        self.enable = Signal()
        self.by_cycles = Signal()
        self.epoch_length = Signal(32)
        self.context = Signal(width_of(contexts))
        self.freeze, self.single_shot, self.arm = Signal(), Signal(), Signal()
        self.frozen = Signal()
        self.clear = Signal()
        self.end_epoch = Signal()
        self.invalidate = Signal()
        self.claim = Signal()
        self.command_frame = Signal(width_of(frames))
        self.claim_context, self.claim_order = Signal(width_of(contexts)), Signal(ORDER_BITS)
        self.window_taken, self.clear_waits = Signal(), Signal()
        self.published = Signal()
        self.acknowledge = Signal()
        self.command_pending, self.command_lost, self.command_late = Signal(), Signal(), Signal()
        self.epoch_due = Signal()
        self.dropped = Signal(32)
        self.epoch_dropped, self.epoch_dropped_full = Signal(32), Signal()
        self.level = Signal(max=queue_depth + 2)
        self.peak = Signal(max=queue_depth + 2)
        self.idle = Signal()
        layout = memory_op_layout(frames, contexts)
        self.observed = Record([("valid", 1), ("dropped", 1), ("enable", 1), *layout])

        # # #

        self.queue = stream.SyncFIFO(layout, queue_depth, buffered=True)
        self.commands = CommandQueue(frames, contexts)
        self.source = self.queue.source
        # In this cycle: an access of the tap; an end of epoch; a record enters the queue; a record that
        # restarts the epoch does.
        self.access, self.end_now = Signal(), Signal()
        self.taken, self.restart = Signal(), Signal()
        self._add_entry()
        self._add_freezing()
        self._add_epoch_ends(self._add_length())
        self._add_losses()
        self._add_observer()

    def _add_entry(self):
        """One record a cycle enters the queue: the access, else a command, else the bare end of an epoch."""
        sink, entry, access, taken = self.sink, self.queue.sink, self.access, self.taken
        commands = self.commands
        command = commands.source
        command_enters, claims = Signal(), Signal()
        self.comb += [
            command_enters.eq(command.valid & ~(command.clear & self.clear_waits)),
            commands.clear.eq(self.clear),
            commands.invalidate.eq(self.invalidate),
            commands.claim.eq(self.claim),
            commands.frame.eq(self.command_frame),
            commands.context.eq(self.claim_context),
            commands.order.eq(self.claim_order),
            commands.acknowledge.eq(self.acknowledge),
            self.command_pending.eq(commands.pending),
            self.command_lost.eq(commands.lost),
            self.command_late.eq(commands.late),
            command.ready.eq(~access & entry.ready & command_enters),
            sink.ready.eq(1),
            taken.eq(entry.valid & entry.ready),
            self.level.eq(self.queue.level),
            self.idle.eq((self.level == 0) & ~self.command_pending),
            access.eq(sink.valid & self.enable),
            claims.eq(~access & command.valid & command.claim),
            entry.context.eq(Mux(claims, command.context, self.context)),
            entry.write.eq(Mux(access, sink.write, claims)),
            entry.frame.eq(Mux(access, sink.frame, command.frame)),
            entry.frozen.eq(self.frozen),
            If(
                access,
                entry.valid.eq(1),
                entry.kind.eq(OpKind.ACCESS),
                entry.epoch_end.eq(self.end_now),
            )
            .Elif(
                command_enters,
                entry.valid.eq(1),
                entry.kind.eq(Mux(command.clear, OpKind.CLEAR, OpKind.INVALIDATE)),
            )
            .Elif(
                self.end_now,
                entry.valid.eq(1),
                entry.kind.eq(OpKind.MARK),
                entry.epoch_end.eq(1),
            ),
        ]

    def _add_freezing(self):
        """Frozen by the register, or because an epoch has ended."""
        shot = Signal()
        self.comb += self.frozen.eq(self.freeze | shot)
        self.sync += [
            If(self.arm, shot.eq(0)),
            If(self.taken & self.queue.sink.epoch_end & self.single_shot, shot.eq(1)),
        ]

    def _add_length(self):
        """Count what elapses of the epoch; returns whether its length is reached in this cycle.

        The remainder is compared a cycle ahead, for 0, 1 and 2 more, so that no wide comparison is on the
        path into the queue.
        """
        access, taken, restart = self.access, self.taken, self.restart
        length_reached = Signal()
        elapses, advances, advanced, restarted = (Signal() for _ in range(4))
        endless, single = Signal(reset=1), Signal()  # the length is 0, is 1
        elapsed, more_elapsed = Signal(32), Signal(33)
        reached = [Signal() for _ in range(3)]
        length, left = Signal(32), Signal((33, True))
        self.sync += length.eq(self.epoch_length)
        self.comb += left.eq(length - elapsed)
        for more, flag in enumerate(reached):
            few = (left[2:] == 0) & (left[:2] <= more)
            self.sync += flag.eq(~endless & (left[-1] | few))
        self.comb += [
            elapses.eq(~self.frozen & Mux(self.by_cycles, self.enable, access)),
            more_elapsed.eq(elapsed + 1),
            advances.eq(elapses & (self.by_cycles | taken) & ~more_elapsed[-1]),
            If(restarted, length_reached.eq(elapses & single))
            .Elif(advanced & elapses, length_reached.eq(reached[2]))
            .Elif(advanced | elapses, length_reached.eq(reached[1]))
            .Else(length_reached.eq(reached[0])),
        ]
        self.sync += [
            endless.eq(self.epoch_length == 0),
            single.eq(self.epoch_length == 1),
            advanced.eq(advances),
            restarted.eq(restart),
            If(restart, elapsed.eq(0)).Elif(advances, elapsed.eq(more_elapsed)),
        ]
        # For the lemmas of tests/formal.
        self.internal = SimpleNamespace(
            length=length, endless=endless, single=single, elapsed=elapsed, reached=reached,
            advanced=advanced, restarted=restarted,
        )  # fmt: skip
        return length_reached

    def _add_epoch_ends(self, length_reached):
        """End an epoch by command or by its length, one at a time and only into a free window."""
        entry, taken = self.queue.sink, self.taken
        end_requested, in_flight, may_end = Signal(), Signal(), Signal()
        self.comb += [
            may_end.eq(~in_flight & ~self.window_taken),
            self.end_now.eq(may_end & (end_requested | (length_reached & ~self.frozen))),
            self.restart.eq(taken & (entry.epoch_end | (entry.kind == OpKind.CLEAR))),
            self.epoch_due.eq(end_requested | in_flight),
        ]
        self.sync += [
            If(self.published, in_flight.eq(0)),
            If(taken & entry.epoch_end, in_flight.eq(1), end_requested.eq(0)),
            If(self.end_epoch, end_requested.eq(1)),
        ]
        self.internal.end_requested, self.internal.in_flight = end_requested, in_flight

    def _add_losses(self):
        """Count dropped accesses, and keep the high-water mark of the queue."""
        entry = self.queue.sink
        self.lost = lost = Signal()
        more_dropped = Signal(33)
        self.comb += [
            lost.eq(self.access & ~entry.ready),
            more_dropped.eq(self.dropped + 1),
        ]
        self.sync += [
            If(lost & ~self.frozen & ~more_dropped[-1], self.dropped.eq(more_dropped)),
            If(self.restart, self.dropped.eq(0)),
            If(
                self.taken & entry.epoch_end,
                self.epoch_dropped.eq(self.dropped),
                self.epoch_dropped_full.eq(more_dropped[-1]),
            ),
            If(self.level > self.peak, self.peak.eq(self.level)),
        ]

    def _add_observer(self):
        """Show the record at the input of the queue, and whether it was dropped."""
        observed, entry = self.observed, self.queue.sink
        self.comb += [
            *(
                getattr(observed, name).eq(getattr(entry, name))
                for name, *_ in entry.description.payload_layout
            ),
            observed.valid.eq(self.taken | self.lost),
            observed.dropped.eq(self.lost),
            observed.epoch_end.eq(entry.epoch_end & self.taken),
            observed.enable.eq(self.enable),
        ]
