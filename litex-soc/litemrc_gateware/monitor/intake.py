"""The monitor's way in: accesses and commands in one order, ends of epochs, losses, and the queue."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import If, Mux, Record, Signal

from litemrc_gateware.records import OpKind, memory_op_layout, width_of


class Intake(LiteXModule):
    """Puts what the tap sees and what the processor commands into one queue, in order.

    An access that finds the queue full is dropped and counted; a command waits. The end of an epoch rides
    on the access that fills it, so an epoch by accesses has just `epoch_length` of them; without an access
    at hand it is a record of its own (mark). At most one end is between the queue and the window: so one
    register can carry what the epoch lost, and the next epoch waits for a window that is held.

    While `frozen` every record carries that flag, accesses that are lost are not counted, and the epoch
    ends by command only. A new epoch length, or unit, is in force two clocks later.

    Parameters
    ----------
    tap : DRAMTap
    contexts, queue_depth : int
        powers of two.

    Attributes
    ----------
    source : stream.Endpoint(memory_op_layout), out
        to the page filter.
    enable, by_cycles, epoch_length, context : Signal, in
        settings, as in the monitor's registers.
    freeze, single_shot : Signal, in
        freeze now; freeze when an epoch has ended, until `arm`.
    arm : Signal, in
        strobe.
    clear, end_epoch, invalidate, invalidate_frame : Signal, in
        commands: strobes, and the frame of an invalidation.
    window_taken : Signal, in
        the window holds an epoch that must not be overwritten.
    published : Signal, in
        strobe: the end of an epoch reached the window.
    frozen : Signal, out
        what enters the queue in this clock counts nothing.
    command_pending, epoch_due : Signal, out
        a command waits for the queue; an end of epoch is asked for and not yet in the window.
    dropped, epoch_dropped : Signal(32), out
        accesses lost in the running epoch, and in the last one that ended.
    level, peak : Signal, out
        records in the queue, now and at most since reset.
    idle : Signal, out
        the queue is empty, and no command waits for it.
    observed : Record, out
        for instruments and simulators: what happens at the input of the queue in this clock.
    """

    def __init__(self, tap, contexts, queue_depth):
        layout = memory_op_layout(2**tap.frame_bits, contexts)
        self.enable = Signal()
        self.by_cycles = Signal()
        self.epoch_length = Signal(32)
        self.context = Signal(width_of(contexts))
        self.freeze, self.single_shot, self.arm = Signal(), Signal(), Signal()
        self.frozen = Signal()
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
        self.idle = Signal()
        self.observed = Record([("valid", 1), ("dropped", 1), ("enable", 1), *layout])

        # # #

        self.queue = queue = stream.SyncFIFO(layout, queue_depth, buffered=True)
        self.source = queue.source
        entry = queue.sink
        taken = Signal()
        self.comb += [taken.eq(entry.valid & entry.ready), self.level.eq(queue.level)]

        # Commands wait here until the queue takes them.
        clear_pending = Signal()
        invalidate_pending = Signal()
        pending_frame = Signal(tap.frame_bits)
        self.comb += [
            self.command_pending.eq(clear_pending | invalidate_pending),
            self.idle.eq((self.level == 0) & ~self.command_pending),
        ]

        # One record a clock: the access, else a command, else the bare end of an epoch.
        access = Signal()
        end_now = Signal()
        self.comb += [
            access.eq(tap.valid & self.enable),
            entry.context.eq(self.context),
            entry.write.eq(tap.write),
            entry.frame.eq(tap.frame),
            entry.frozen.eq(self.frozen),
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

        # Frozen: by register, or because an epoch has ended.
        shot = Signal()
        self.comb += self.frozen.eq(self.freeze | shot)
        self.sync += [
            If(self.arm, shot.eq(0)),
            If(taken & entry.epoch_end & self.single_shot, shot.eq(1)),
        ]

        # Ends of epochs. What is left is looked at a clock ahead, for 0, 1 and 2 more: so no comparison of
        # many bits lies on the way into the queue.
        end_requested, in_flight, length_reached, restart = (Signal() for _ in range(4))
        elapses, advances, advanced, restarted = (Signal() for _ in range(4))
        endless, single, may_end = Signal(reset=1), Signal(), Signal()  # the length is 0, is 1
        elapsed = Signal(32)
        reached = [Signal() for _ in range(3)]
        length, left = Signal(32), Signal((33, True))
        self.sync += length.eq(self.epoch_length)
        self.comb += left.eq(length - elapsed)
        for more, flag in enumerate(reached):
            few = (left[2:] == 0) & (left[:2] <= more)
            self.sync += flag.eq(~endless & (left[-1] | few))
        self.comb += [
            elapses.eq(~self.frozen & Mux(self.by_cycles, self.enable, access)),
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
        ]
        self.comb += [
            may_end.eq(~in_flight & ~self.window_taken),
            end_now.eq(may_end & (end_requested | (length_reached & ~self.frozen))),
            advances.eq(elapses & (self.by_cycles | taken) & (elapsed != 2**32 - 1)),
            restart.eq(taken & (entry.epoch_end | (entry.kind == OpKind.CLEAR))),
            self.epoch_due.eq(end_requested | in_flight),
        ]
        self.sync += [
            If(restart, elapsed.eq(0)).Elif(advances, elapsed.eq(elapsed + 1)),
            If(self.published, in_flight.eq(0)),
            If(taken & entry.epoch_end, in_flight.eq(1), end_requested.eq(0)),
            If(self.end_epoch, end_requested.eq(1)),
        ]

        # Losses.
        lost = Signal()
        self.comb += lost.eq(access & ~entry.ready)
        self.sync += [
            If(lost & ~self.frozen & (self.dropped != 2**32 - 1), self.dropped.eq(self.dropped + 1)),
            If(restart, self.dropped.eq(0)),
            If(taken & entry.epoch_end, self.epoch_dropped.eq(self.dropped)),
            If(self.level > self.peak, self.peak.eq(self.level)),
        ]

        # What an observer sees.
        self.comb += [
            *(getattr(self.observed, name).eq(getattr(entry, name)) for name, _ in layout),
            self.observed.valid.eq(taken | lost),
            self.observed.dropped.eq(lost),
            self.observed.epoch_end.eq(entry.epoch_end & taken),
            self.observed.enable.eq(self.enable),
        ]
