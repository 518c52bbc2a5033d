"""The MRC monitor: tap -> queue -> stack engine -> hit counters -> registers, window and interrupt."""

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import If, Signal, log2_int

from litemrc_gateware.bucket_stack import BucketStack
from litemrc_gateware.group_stack import GroupStack
from litemrc_gateware.hit_counters import HitCounters
from litemrc_gateware.intake import Intake
from litemrc_gateware.records import width_of

REGISTERS_VERSION = 1
ENGINES = {"group_stack": (1, GroupStack), "bucket_stack": (2, BucketStack)}


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
        for instruments and simulators: what happens at the input of the queue in this clock.
    """

    def __init__(self, tap, page_shift=12, groups=64, contexts=8, queue_depth=512, engine="group_stack"):
        if engine not in ENGINES:
            raise ValueError(f"Monitor: no engine {engine!r}; there are: {', '.join(ENGINES)}")
        engine_id, engine_class = ENGINES[engine]
        frames = 2**tap.frame_bits

        self._version = CSRStatus(16, reset=REGISTERS_VERSION, description="Version of this register layout.")
        self._capabilities = CSRStatus(
            description="What was built in.",
            fields=[
                CSRField("page_shift", 5, reset=page_shift, description="log2 of the page size in bytes."),
                CSRField("frames_log2", 5, reset=tap.frame_bits, description="log2 of the page frames."),
                CSRField("groups_log2", 4, reset=log2_int(groups), description="log2 of the groups."),
                CSRField(
                    "contexts_log2",
                    4,
                    reset=log2_int(contexts),
                    description="log2 of the contexts.",
                ),
                CSRField(
                    "queue_log2",
                    5,
                    reset=log2_int(queue_depth),
                    description="log2 of the queue's depth.",
                ),
                CSRField(
                    "engine", 4, reset=engine_id, description="Stack engine: 1 group_stack, 2 bucket_stack."
                ),
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
        self._context = CSRStorage(width_of(contexts), description="Context of the accesses to come.")
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

        # # #

        # Accesses and commands, in order -> stack engine -> hit counters.
        self.intake = intake = Intake(tap, contexts, queue_depth)
        self.engine = engine_class(frames=frames, groups=groups, contexts=contexts)
        self.counters = counters = HitCounters(groups=groups, contexts=contexts)
        self.observed = intake.observed
        self.comb += [
            intake.source.connect(self.engine.sink),
            self.engine.source.connect(counters.sink),
        ]

        # Registers in.
        epoch_ready = Signal()
        self.comb += [
            intake.enable.eq(self._control.fields.enable),
            intake.by_cycles.eq(self._control.fields.epoch_unit),
            intake.epoch_length.eq(self._epoch_length.storage),
            intake.context.eq(self._context.storage),
            intake.clear.eq(self._command.fields.clear),
            intake.end_epoch.eq(self._command.fields.end_epoch),
            intake.invalidate.eq(self._invalidate.re),
            intake.invalidate_frame.eq(self._invalidate.storage),
            intake.window_taken.eq(epoch_ready & self._control.fields.hold),
            intake.published.eq(counters.finished),
        ]

        # Finished epochs.
        self.sync += [
            If(self._command.fields.release, epoch_ready.eq(0)),
            If(counters.finished, epoch_ready.eq(1), self._epoch_dropped.status.eq(intake.epoch_dropped)),
        ]

        # Registers out.
        self.comb += [
            self._status.fields.idle.eq((intake.level == 0) & self.engine.idle & ~intake.command_pending),
            self._status.fields.command_pending.eq(intake.command_pending),
            self._status.fields.epoch_ready.eq(epoch_ready),
            self._status.fields.epoch_due.eq(intake.epoch_due),
            self._status.fields.overflow.eq(counters.overflow),
            self._epoch.status.eq(counters.epoch),
            self._dropped.status.eq(intake.dropped),
            self._queue_peak.status.eq(intake.peak),
            self.ev.epoch.trigger.eq(epoch_ready),
        ]

        # Window.
        self.comb += [
            counters.window_adr.eq(self.bus.adr),
            self.bus.dat_r.eq(counters.window_dat_r),
        ]
        self.sync += self.bus.ack.eq(self.bus.cyc & self.bus.stb & ~self.bus.ack)
