"""The MRC monitor: tap, queue, page filter around the stack engine, hit counters, window and interrupt."""

from functools import partial

from migen import If, Signal

from litemrc_gateware.counters.hit_counters import HitCounters
from litemrc_gateware.filter.page_filter import PageFilter
from litemrc_gateware.monitor.intake import Intake
from litemrc_gateware.monitor.registers import MonitorRegisters
from litemrc_gateware.monitor.window_bus import WindowBus
from litemrc_gateware.ranks.meter import RankMeter
from litemrc_gateware.stacks.bucket.bucket_stack import BucketStack
from litemrc_gateware.stacks.group.group_stack import GroupStack
from litemrc_gateware.stacks.hls_unit import HLSStackEngine

ENGINES = {"group_stack": GroupStack, "bucket_stack": BucketStack}
DEFAULT_ENGINE = "group_stack"
# Pages the filter remembers unless told otherwise. What it absorbs saves group_stack, which takes up to
# groups + 12 clocks an access, much work; it costs a clock for each recent page to be put in order, up to
# 0.75 an access with 4 of them. bucket_stack takes an access every clock, so there that would be a loss:
# one recent page, repeats of the last one, is never out of order.
RECENT_PAGES = {"group_stack": 4, "bucket_stack": 1}


class Monitor(MonitorRegisters):
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
      accesses, pages touched (the working set), and zeros.
    - While ``control.freeze`` is set accesses move pages in the stacks but count nothing, neither in the
      window nor as dropped, and the epoch stands still. It takes effect in order: accesses already in the
      queue count. With ``control.single_shot`` the monitor freezes when an epoch ends, until the command
      ``arm``: so stacks are warmed, then just one epoch is measured. ``status.frozen`` tells.
    - ``range_lower``, ``range_upper`` and ``sampling`` choose the pages that take part; accesses to others
      are counted in ``epoch_outside`` and ``epoch_unsampled``. Change them while the monitor is disabled
      and ``status.idle``, and give the command ``clear`` behind.
    - In every epoch the window's accesses + outside + unsampled + dropped are those the tap saw while the
      monitor was enabled and not frozen.

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
    recent_pages : int
        pages whose accesses the filter answers alone, 1 .. pages / groups, at most 15; 1 lets it take an
        access every clock. Default: the engine's in ``RECENT_PAGES``, or as many as a group holds.
    pages : int
        pages the engine holds, a power of two. Fewer than the memory's frames, which is the default, take
        less block RAM, and the monitor samples at least 1 page of frames / pages.
    hls_engine : bool
        the engine is the Verilog of that name that Vitis HLS exported, not the one in Migen.
    domains : int
        with it a meter of so many power domains goes with the epochs; of group_stack only.

    Attributes
    ----------
    groups, contexts : int
    window : WindowBus
    rank_meter : RankMeter
        with ``domains``; what it counts is still to be connected.
    ev : EventManager
        the interrupt.
    observed : Record
        for instruments and simulators: what happens at the input of the queue in this clock.
    """

    def __init__(
        self,
        tap,
        page_shift=12,
        groups=64,
        contexts=8,
        queue_depth=512,
        engine=DEFAULT_ENGINE,
        recent_pages=None,
        pages=None,
        hls_engine=False,
        domains=None,
    ):
        if engine not in ENGINES:
            raise ValueError(f"Monitor: no engine {engine!r}; there are: {', '.join(ENGINES)}")
        if hls_engine and domains:
            raise ValueError("Monitor: the rank meter wants the engine in Migen, not that of Vitis HLS")
        frames = 2**tap.frame_bits
        pages = frames if pages is None else pages
        if recent_pages is None:
            recent_pages = max(1, min(RECENT_PAGES[engine], pages // groups))
        if not 1 <= recent_pages <= 15:
            raise ValueError(f"Monitor: {recent_pages} recent pages; choose 1 to 15, a register tells them")
        self.groups, self.contexts = groups, contexts
        super().__init__(
            tap.frame_bits, page_shift, pages, groups, contexts, queue_depth, recent_pages, engine
        )

        # # #

        # Accesses and commands, in order -> page filter around the stack engine -> hit counters.
        self.intake = intake = Intake(tap, contexts, queue_depth)
        self.filter = filter_ = PageFilter(frames, pages, groups, contexts, recent_pages)
        with_moves = {"with_moves": True} if domains and engine == "group_stack" else {}
        engine_class = partial(HLSStackEngine, engine) if hls_engine else ENGINES[engine]
        self.engine = stack = engine_class(frames=pages, groups=groups, contexts=contexts, **with_moves)
        self.counters = counters = HitCounters(groups=groups, contexts=contexts)
        self.observed = intake.observed
        self.comb += [
            intake.source.connect(filter_.sink),
            filter_.engine_ops.connect(stack.sink),
            stack.source.connect(filter_.engine_positions),
            filter_.source.connect(counters.sink),
        ]

        # Registers in.
        epoch_ready, published, meter_busy = Signal(), Signal(), Signal()
        self.comb += [
            intake.enable.eq(self._control.fields.enable),
            intake.by_cycles.eq(self._control.fields.epoch_unit),
            intake.epoch_length.eq(self._epoch_length.storage),
            intake.context.eq(self._context.storage),
            intake.freeze.eq(self._control.fields.freeze),
            intake.single_shot.eq(self._control.fields.single_shot),
            intake.arm.eq(self._command.fields.arm),
            intake.clear.eq(self._command.fields.clear),
            intake.end_epoch.eq(self._command.fields.end_epoch),
            intake.invalidate.eq(self._invalidate.re),
            intake.invalidate_frame.eq(self._invalidate.storage),
            intake.window_taken.eq((epoch_ready & self._control.fields.hold) | meter_busy),
            intake.published.eq(published),
            filter_.lower.eq(self._range_lower.storage),
            filter_.upper.eq(self._range_upper.storage),
            filter_.sampling.eq(self._sampling.storage),
        ]

        # Finished epochs.
        self.sync += [
            If(self._command.fields.release, epoch_ready.eq(0)),
            If(published, epoch_ready.eq(1)),
            If(
                counters.finished,
                self._epoch_dropped.status.eq(intake.epoch_dropped),
                self._epoch_outside.status.eq(filter_.outside),
                self._epoch_unsampled.status.eq(filter_.unsampled),
            ),
        ]

        # Registers out.
        self.comb += [
            self._status.fields.idle.eq(intake.idle & filter_.idle & stack.idle & counters.idle),
            self._status.fields.command_pending.eq(intake.command_pending),
            self._status.fields.epoch_ready.eq(epoch_ready),
            self._status.fields.epoch_due.eq(intake.epoch_due),
            self._status.fields.overflow.eq(counters.overflow),
            self._status.fields.frozen.eq(intake.frozen),
            self._scale.fields.scale_log2.eq(filter_.scale_log2),
            self._epoch.status.eq(counters.epoch),
            self._dropped.status.eq(intake.dropped),
            self._queue_peak.status.eq(intake.peak),
            self.ev.epoch.trigger.eq(epoch_ready),
        ]

        # Window; the meter reads it, too, and the epoch is ready when both have what they need.
        self.window = window = WindowBus(contexts * 2 * groups)
        self.comb += window.dat_r.eq(counters.window_dat_r)
        if domains:
            self.rank_meter = meter = RankMeter(stack, pages, groups, contexts, domains)
            self.comb += [
                meter.epoch.eq(counters.finished),
                meter.n_mrc.bus_reads.eq(window.reads),
                meter.n_mrc.bus_adr.eq(window.adr),
                meter.n_mrc.window_dat_r.eq(counters.window_dat_r),
                counters.window_adr.eq(meter.n_mrc.window_adr),
                published.eq(meter.published),
                meter_busy.eq(meter.busy),
            ]
        else:
            self.comb += [counters.window_adr.eq(window.adr), published.eq(counters.finished)]
