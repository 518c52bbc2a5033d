"""The MRC monitor: tap -> queue -> stack engine -> hit counters -> registers, window and interrupt."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream, wishbone
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import If, Record, Signal

from litemrc_gateware.dram_tap import log2_exact
from litemrc_gateware.group_stack import GroupStack
from litemrc_gateware.hit_counters import HitCounters
from litemrc_gateware.records import OpKind, op_layout

REGISTERS_VERSION = 1
ENGINES = {"group_stack": (1, GroupStack)}


class Monitor(LiteXModule):
    """Counts the page stack distances of all DRAM accesses, per context and epoch.

    Operation
    ---------
    - Write ``context`` at a context switch, ``invalidate`` when a page frame gets a new page. Accesses,
      invalidations and the command ``clear`` pass one queue, so their order is kept. Accesses that find
      the queue full are lost and counted in ``dropped``; a command waits (``status.command_pending``).
    - An epoch ends after ``epoch_length`` accesses or cycles (0: never), or by the command ``end_epoch``.
      Its counters then stand in the window, ``status.epoch_ready`` and the interrupt rise, and stay until
      the command ``release``. With ``control.hold`` (the default) the next epoch goes on until the window
      is released, so that counts are never lost; without it the window is overwritten.
    - The window is a read-only memory, [context][2 * groups] words: the hits of each group, then misses,
      accesses, and zeros.

    Parameters
    ----------
    tap : DRAMTap
        source of accesses; its ``frame_bits`` give the number of frames.
    groups, contexts : int
        resolution of the curve, and number of private stacks; powers of two.
    queue_depth : int
        accesses and commands waiting for the engine; a power of two.
    engine : str
        a name of ``ENGINES``.

    Attributes
    ----------
    bus : wishbone.Interface
        the window, to be mapped uncached; ``window_bytes`` is its size.
    ev : EventManager
        the interrupt.
    observed : Record
        for instruments and simulators: what happened at the input of the queue in this clock.
    """

    def __init__(self, tap, page_shift=12, groups=64, contexts=8, queue_depth=512, engine="group_stack"):
        if engine not in ENGINES:
            raise ValueError(f"Monitor: no engine {engine!r}; there are: {', '.join(ENGINES)}")
        engine_id, engine_class = ENGINES[engine]
        frames = 2**tap.frame_bits
        context_bits = max(1, log2_exact(contexts, "contexts"))

        self._version = CSRStatus(16, reset=REGISTERS_VERSION, description="Version of this register layout.")
        self._capabilities = CSRStatus(
            description="What was built in.",
            fields=[
                CSRField("page_shift", 5, reset=page_shift, description="log2 of the page size in bytes."),
                CSRField("frames_log2", 5, reset=tap.frame_bits, description="log2 of the page frames."),
                CSRField(
                    "groups_log2", 4, reset=log2_exact(groups, "groups"), description="log2 of the groups."
                ),
                CSRField(
                    "contexts_log2",
                    4,
                    reset=log2_exact(contexts, "contexts"),
                    description="log2 of the contexts.",
                ),
                CSRField(
                    "queue_log2",
                    5,
                    reset=log2_exact(queue_depth, "queue_depth"),
                    description="log2 of the queue's depth.",
                ),
                CSRField("engine", 4, reset=engine_id, description="Stack engine: 1 group_stack."),
                CSRField("ranks", 4, reset=1, description="Ranks on the DRAM bus."),
            ],
        )
        self._control = CSRStorage(
            fields=[
                CSRField("enable", description="Accesses of the DRAM are counted."),
                CSRField("hold", reset=1, description="An epoch runs on until the window is released."),
                CSRField("epoch_unit", description="Unit of epoch_length: 0 accesses, 1 cycles."),
            ],
            description="Modes.",
        )
        self._command = CSRStorage(
            fields=[
                CSRField("clear", pulse=True, description="Invalidate all pages, restart the running epoch."),
                CSRField("end_epoch", pulse=True, description="End the running epoch."),
                CSRField("release", pulse=True, description="The window has been read."),
            ],
            description="Write 1 to do.",
        )
        self._context = CSRStorage(context_bits, description="Context of the accesses to come.")
        self._invalidate = CSRStorage(
            tap.frame_bits,
            description="Write a frame number: its page leaves its stack. See command_pending.",
        )
        self._epoch_length = CSRStorage(
            32, description="Length of an epoch, in accesses or cycles (epoch_unit); 0: only by command."
        )
        self._status = CSRStatus(
            fields=[
                CSRField("idle", description="The queue is empty and the engine waits."),
                CSRField("command_pending", description="An invalidate or clear waits for the queue."),
                CSRField("epoch_ready", description="The window holds an epoch that was not released."),
                CSRField("epoch_due", description="An end of epoch is asked for and not yet in the window."),
                CSRField("overflow", description="A counter of the window reached 2^32 - 1."),
            ],
            description="State.",
        )
        self._epoch = CSRStatus(32, description="Number of epochs finished; the window holds epoch - 1.")
        self._epoch_dropped = CSRStatus(32, description="Accesses lost in the epoch of the window.")
        self._dropped = CSRStatus(32, description="Accesses lost in the running epoch.")
        self._queue_peak = CSRStatus(
            16, description="Highest fill of the queue since reset; a clear does not touch it."
        )

        self.ev = EventManager()
        self.ev.epoch = EventSourceLevel(description="The window holds an epoch that was not released.")
        self.ev.finalize()

        self.bus = wishbone.Interface(data_width=32, addressing="word", mode="r")
        self.window_bytes = contexts * 2 * groups * 4
        self.observed = Record(
            [
                ("valid", 1),
                ("dropped", 1),
                ("kind", 2),
                ("frame", tap.frame_bits),
                ("write", 1),
                ("context", context_bits),
                ("epoch_end", 1),
                ("enable", 1),
            ]
        )

        # # #

        # Commands wait here until the queue takes them ----------------------------------------------
        clear_pending = Signal()
        invalidate_pending = Signal()
        end_requested = Signal()
        invalidate_frame = Signal(tap.frame_bits)
        command_pending = Signal()
        self.comb += command_pending.eq(clear_pending | invalidate_pending)

        # The record at the input of the queue -------------------------------------------------------
        self.queue = queue = stream.SyncFIFO(op_layout(frames, contexts), queue_depth, buffered=True)
        entry = queue.sink
        access = Signal()
        taken = Signal()
        mark = Signal()
        end_now = Signal()
        self.comb += [
            access.eq(tap.valid & self._control.fields.enable),
            entry.context.eq(self._context.storage),
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
                entry.frame.eq(invalidate_frame),
            )
            .Elif(
                mark,
                entry.valid.eq(1),
                entry.kind.eq(OpKind.MARK),
                entry.epoch_end.eq(1),
            ),
            taken.eq(entry.valid & entry.ready),
        ]
        self.sync += [
            If(
                taken & ~access,
                If(clear_pending, clear_pending.eq(0)).Else(invalidate_pending.eq(0)),
            ),
            If(self._command.fields.clear, clear_pending.eq(1)),
            If(
                self._invalidate.re,
                invalidate_pending.eq(1),
                invalidate_frame.eq(self._invalidate.storage),
            ),
        ]

        # Ends of epochs -----------------------------------------------------------------------------
        # At most one end of epoch is between the queue and the window, so one register can carry what
        # was dropped, and the window is never overwritten while it is held.
        in_flight = Signal()
        epoch_ready = Signal()
        length_reached = Signal()
        elapsed = Signal(32)
        elapsed_now = Signal(33)
        by_cycles = self._control.fields.epoch_unit
        self.comb += [
            elapsed_now.eq(elapsed + (access | by_cycles)),
            length_reached.eq(
                (self._epoch_length.storage != 0) & (elapsed_now >= self._epoch_length.storage)
            ),
            end_now.eq(
                (end_requested | length_reached) & ~in_flight & ~(epoch_ready & self._control.fields.hold)
            ),
            mark.eq(end_now),
        ]
        restart = Signal()
        self.comb += restart.eq(taken & (entry.epoch_end | (entry.kind == OpKind.CLEAR)))
        counts_on = Signal()
        self.comb += counts_on.eq((by_cycles & self._control.fields.enable) | (~by_cycles & access & taken))
        self.sync += [
            If(restart, elapsed.eq(0)).Elif(counts_on & (elapsed != 2**32 - 1), elapsed.eq(elapsed + 1)),
            If(taken & entry.epoch_end, in_flight.eq(1), end_requested.eq(0)),
            If(self._command.fields.end_epoch, end_requested.eq(1)),
        ]

        # Losses -------------------------------------------------------------------------------------
        dropped_in_flight = Signal(32)
        level = Signal(max=queue_depth + 2)
        self.comb += level.eq(queue.level)
        self.sync += [
            If(
                access & ~entry.ready & (self._dropped.status != 2**32 - 1),
                self._dropped.status.eq(self._dropped.status + 1),
            ),
            If(restart, self._dropped.status.eq(0)),
            If(taken & entry.epoch_end, dropped_in_flight.eq(self._dropped.status)),
            If(level > self._queue_peak.status, self._queue_peak.status.eq(level)),
        ]

        # Engine and counters ------------------------------------------------------------------------
        self.engine = engine_class(frames=frames, groups=groups, contexts=contexts)
        self.counters = counters = HitCounters(groups=groups, contexts=contexts)
        self.comb += [
            queue.source.connect(self.engine.sink),
            self.engine.source.connect(counters.sink),
        ]
        self.sync += [
            If(self._command.fields.release, epoch_ready.eq(0)),
            If(
                counters.finished,
                in_flight.eq(0),
                epoch_ready.eq(1),
                self._epoch_dropped.status.eq(dropped_in_flight),
            ),
        ]
        self.comb += [
            self._status.fields.idle.eq((level == 0) & self.engine.idle & ~command_pending),
            self._status.fields.command_pending.eq(command_pending),
            self._status.fields.epoch_ready.eq(epoch_ready),
            self._status.fields.epoch_due.eq(end_requested | in_flight),
            self._status.fields.overflow.eq(counters.overflow),
            self._epoch.status.eq(counters.epoch),
            self.ev.epoch.trigger.eq(epoch_ready),
        ]

        # Window -------------------------------------------------------------------------------------
        self.comb += [
            counters.window_adr.eq(self.bus.adr),
            self.bus.dat_r.eq(counters.window_dat_r),
        ]
        self.sync += self.bus.ack.eq(self.bus.cyc & self.bus.stb & ~self.bus.ack)

        # What an observer sees ----------------------------------------------------------------------
        self.comb += [
            self.observed.valid.eq(taken | access),
            self.observed.dropped.eq(access & ~entry.ready),
            self.observed.kind.eq(entry.kind),
            self.observed.frame.eq(entry.frame),
            self.observed.write.eq(entry.write),
            self.observed.context.eq(entry.context),
            self.observed.epoch_end.eq(entry.epoch_end & taken),
            self.observed.enable.eq(self._control.fields.enable),
        ]
