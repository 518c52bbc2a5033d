"""The monitor's way in: accesses and commands in one order, ends of epochs, losses, and the queue."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Record, Signal

from litemrc_gateware.records import OpKind, op_layout, width_of


class Intake(LiteXModule):
    """Puts what the tap sees and what the processor commands into one queue, in order.

    An access that finds the queue full is dropped and counted; a command waits. The end of an epoch rides
    on the access that fills it, so an epoch by accesses has just `epoch_length` of them; without an access
    at hand it is a record of its own (mark). At most one end is between the queue and the window: so one
    register can carry what the epoch lost, and the next epoch waits for a window that is held.

    Parameters
    ----------
    tap : DRAMTap
    contexts, queue_depth : int
        powers of two.

    Attributes
    ----------
    source : stream.Endpoint(op_layout), out
        to the stack engine.
    enable, by_cycles, epoch_length, context : Signal, in
        settings, as in the monitor's registers.
    clear, end_epoch, invalidate, invalidate_frame : Signal, in
        commands: strobes, and the frame of an invalidation.
    window_taken : Signal, in
        the window holds an epoch that must not be overwritten.
    published : Signal, in
        strobe: the end of an epoch reached the window.
    command_pending, epoch_due : Signal, out
        a command waits for the queue; an end of epoch is asked for and not yet in the window.
    dropped, epoch_dropped : Signal(32), out
        accesses lost in the running epoch, and in the last one that ended.
    level, peak : Signal, out
        records in the queue, now and at most since reset.
    observed : Record, out
        for instruments and simulators: what happens at the input of the queue in this clock.
    """

    def __init__(self, tap, contexts, queue_depth):
        frames = 2**tap.frame_bits
        self.enable = Signal()
        self.by_cycles = Signal()
        self.epoch_length = Signal(32)
        self.context = Signal(width_of(contexts))
        self.clear = Signal()
        self.end_epoch = Signal()
        self.invalidate = Signal()
        self.invalidate_frame = Signal(tap.frame_bits)
        self.window_taken = Signal()
        self.published = Signal()
        self.command_pending = Signal()
        self.epoch_due = Signal()
        self.dropped = Signal(32)
        self.epoch_dropped = Signal(32)
        self.level = Signal(max=queue_depth + 2)
        self.peak = Signal(max=queue_depth + 2)
        self.observed = Record([("valid", 1), ("dropped", 1), ("enable", 1), *op_layout(frames, contexts)])

        # # #

        self.queue = queue = stream.SyncFIFO(op_layout(frames, contexts), queue_depth, buffered=True)
        self.source = queue.source
        entry = queue.sink
        taken = Signal()
        self.comb += [taken.eq(entry.valid & entry.ready), self.level.eq(queue.level)]

        # Commands wait here until the queue takes them.
        clear_pending = Signal()
        invalidate_pending = Signal()
        pending_frame = Signal(tap.frame_bits)
        self.comb += self.command_pending.eq(clear_pending | invalidate_pending)

        # One record a clock: the access, else a command, else the bare end of an epoch.
        access = Signal()
        end_now = Signal()
        self.comb += [
            access.eq(tap.valid & self.enable),
            entry.context.eq(self.context),
            entry.write.eq(tap.write),
            entry.frame.eq(tap.frame),
            If(
                access,
                entry.valid.eq(1),
                entry.kind.eq(OpKind.ACCESS),
                entry.epoch_end.eq(end_now),
            )
            .Elif(
                clear_pending,
                entry.valid.eq(1),
                entry.kind.eq(OpKind.CLEAR),
            )
            .Elif(
                invalidate_pending,
                entry.valid.eq(1),
                entry.kind.eq(OpKind.INVALIDATE),
                entry.frame.eq(pending_frame),
            )
            .Elif(
                end_now,
                entry.valid.eq(1),
                entry.kind.eq(OpKind.MARK),
                entry.epoch_end.eq(1),
            ),
        ]
        self.sync += [
            If(
                taken & ~access,
                If(clear_pending, clear_pending.eq(0)).Else(invalidate_pending.eq(0)),
            ),
            If(self.clear, clear_pending.eq(1)),
            If(self.invalidate, invalidate_pending.eq(1), pending_frame.eq(self.invalidate_frame)),
        ]

        # Ends of epochs.
        end_requested = Signal()
        in_flight = Signal()
        length_reached = Signal()
        elapsed = Signal(32)
        elapsed_now = Signal(33)
        advances = Signal()
        restart = Signal()
        self.comb += [
            elapsed_now.eq(elapsed + (access | self.by_cycles)),
            length_reached.eq((self.epoch_length != 0) & (elapsed_now >= self.epoch_length)),
            end_now.eq((end_requested | length_reached) & ~in_flight & ~self.window_taken),
            advances.eq((self.by_cycles & self.enable) | (~self.by_cycles & access & taken)),
            restart.eq(taken & (entry.epoch_end | (entry.kind == OpKind.CLEAR))),
            self.epoch_due.eq(end_requested | in_flight),
        ]
        self.sync += [
            If(restart, elapsed.eq(0)).Elif(advances & (elapsed != 2**32 - 1), elapsed.eq(elapsed + 1)),
            If(self.published, in_flight.eq(0)),
            If(taken & entry.epoch_end, in_flight.eq(1), end_requested.eq(0)),
            If(self.end_epoch, end_requested.eq(1)),
        ]

        # Losses.
        lost = Signal()
        self.comb += lost.eq(access & ~entry.ready)
        self.sync += [
            If(lost & (self.dropped != 2**32 - 1), self.dropped.eq(self.dropped + 1)),
            If(restart, self.dropped.eq(0)),
            If(taken & entry.epoch_end, self.epoch_dropped.eq(self.dropped)),
            If(self.level > self.peak, self.peak.eq(self.level)),
        ]

        # What an observer sees.
        self.comb += [
            *(
                getattr(self.observed, name).eq(getattr(entry, name))
                for name, _ in op_layout(frames, contexts)
            ),
            self.observed.valid.eq(taken | lost),
            self.observed.dropped.eq(lost),
            self.observed.epoch_end.eq(entry.epoch_end & taken),
            self.observed.enable.eq(self.enable),
        ]
