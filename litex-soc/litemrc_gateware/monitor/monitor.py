# SPDX-License-Identifier: BSD-2-Clause
"""The MRC monitor: queue, page filter around the stack engine, hit counters, window and interrupt.

    DRAMTap           registers: context, invalidate, claim, clear, end_epoch
       | access                  |
       v                         |
    Intake <---------------------+
       | memory_op: one queue of accesses, commands and ends of epochs
       v              op
    PageFilter ----------------> an engine of `stacks.engines`
       |       <----------------      |
       |           position           | move: only with `domains`
       | counted                      v
       v                          RankMeter
    HitCounters ----------------->    |
       |        hits of an epoch      | published
       v                              v
    WindowBus: read-only          status.epoch_ready, interrupt

The layouts of the records are in `litemrc_gateware.records`. Without a RankMeter, HitCounters publishes.
"""

from functools import partial

from litex.soc.interconnect import stream
from migen import If, Mux, Signal

from litemrc_gateware.counters.dram_traffic import DRAMTraffic
from litemrc_gateware.counters.hit_counters import HitCounters
from litemrc_gateware.counters.page_bitmap import PageBitmap
from litemrc_gateware.counters.working_set import WorkingSet
from litemrc_gateware.filter.page_filter import PageFilter
from litemrc_gateware.hls.units import HLS_UNITS, HLSHitCounters, HLSStackEngine, HLSWorkingSet
from litemrc_gateware.monitor.hot import Hot
from litemrc_gateware.monitor.intake import Intake
from litemrc_gateware.monitor.registers import MonitorRegisters
from litemrc_gateware.monitor.window_bus import WindowBus
from litemrc_gateware.ranks.meter import RankMeter
from litemrc_gateware.records import OpKind, check_sizes
from litemrc_gateware.stacks.engines import ENGINES, default_engine

QUEUE_DEPTH_MAX = 1 << 15  # the register queue_peak has 16 bits
HOT_ROWS_WAITING = 32  # more than the cycles in which `HotPages` begins a list


class Monitor(MonitorRegisters):
    """Counts the LRU stack distances of all DRAM accesses in pages, per context and epoch.

    Operation
    ---------
    - Write ``context`` at a context switch, ``invalidate`` when a page frame gets a new page. Accesses,
      invalidations, claims and the command ``clear`` pass through one queue and keep their order. Accesses
      that find the queue full are dropped and counted in ``dropped``.
    - A page belongs to the context that claimed it since it became invalid, by an invalidation or a clear;
      without a claim to the context of its first access. Where several processors run at a time, no
      ``context`` names the one that accesses: write ``claim`` when a page frame is allocated instead. One
      store claims 2^order frames from ``frame`` on. A claim counts nothing. It removes a valid page from its
      stack, as an invalidation does: the next access is a miss, of the context that claimed it.
    - Up to 16 invalidations, claims and clears wait (``status.command_pending``) until the queue has room in
      cycles without an access, one for each frame, and enter it in the order written. A new ``context`` holds
      for all accesses from then on, whatever waits. After ``command_pending`` was 0, 16 of them can be
      written without reading it again. One more is lost, and ``status.command_lost`` is asserted until the
      command ``acknowledge``.
    - While a command waits, accesses precede it in the queue. Software that relies on an invalidation, or a
      claim, being queued ahead of its own next access to the frame waits until ``command_pending`` is 0, or
      knows that this access is at least 64 cycles away and checks ``status.command_late``: commands waited
      that long.
    - An epoch ends after ``epoch_length`` accesses or cycles (0: never), or by the command ``end_epoch``. Its
      counters are then in the window, and ``status.epoch_ready`` and the interrupt are asserted until the
      command ``release``. With ``control.hold`` (the default) the next epoch continues until the window is
      released, so no counts are lost.
    - Without ``control.hold`` an epoch that ends overwrites the window, even while it is read. Read
      ``epoch``, then words of the window, ``epoch_dropped``, ``epoch_outside`` and ``epoch_unsampled`` in any
      order, then ``epoch`` again: if it is the same, all of them are of epoch number ``epoch`` - 1, else read
      again. The window of the rank meter follows that of the hits: for it, ``status.epoch_due`` must also be
      0 after the first read of ``epoch``.
    - The window is a read-only memory, [context][2 * groups] words: the hits of each group, then misses,
      accesses, pages touched (the working set), and zeros. With ``page_bitmap`` a bit for each frame accessed
      in the epoch and in range follows, then one for each frame written. An epoch that ends changes these
      bits before the counters: without ``control.hold``, ``status.epoch_due`` must also be 0 after they were
      read and before ``epoch`` is read again. With ``hot_pages`` frame and count of each page on the list
      follow them; an epoch that ends changes the list after the counters, as the rank meter's window. With
      ``commands`` the counts of `DRAMTraffic` follow; an epoch that ends changes them as it does the bits.
    - While ``control.freeze`` is set, accesses move pages in the stacks but count nothing, neither in the
      window nor as dropped, and the epoch does not advance. It takes effect in order: accesses already in the
      queue are counted. With ``control.single_shot`` the monitor freezes when an epoch ends, until the
      command ``arm``: warm the stacks, then measure exactly one epoch. ``status.frozen`` reports the state.
    - ``range_lower``, ``range_upper`` and ``sampling`` select the pages that take part; other accesses are
      counted in ``epoch_outside`` and ``epoch_unsampled``. Change them while the monitor is disabled and
      ``status.idle`` is 1, and give the command ``clear`` afterwards.
    - With ``control.split`` reads and writes count apart: a cache's write-back is not a read of the program.
      Both move pages in one stack, so the hits, misses and accesses of contexts c and c + contexts / 2 add up
      to those without it. Their touched pages do, too: a page is in the row of its first access in the epoch.
    - In every epoch the window's accesses + outside + unsampled + dropped equal the accesses that the tap saw
      while the monitor was enabled and not frozen, unless ``status.overflow`` is 1. With ``commands``, so do
      the reads and writes of all banks.

    Parameters
    ----------
    tap : DRAMTap
        its ``source`` are the accesses; its ``frame_bits`` give the number of frames.
    groups, contexts : int
        resolution of the curve, and number of private stacks; powers of two.
    queue_depth : int
        accesses and commands that can wait for the engine; a power of two.
    engine : str
        a name of ``ENGINES``. Default: bucket_stack, which takes an access every cycle, so none is dropped,
        and a seventh of the bits; the rank meter needs group_stack, which reports where pages go.
    recent_pages : int
        pages whose accesses the filter answers without the engine, 1 to pages / groups, at most 15; with 1 it
        takes an access every cycle. Default: that of the engine in ``ENGINES``, at most a group's pages.
    pages : int
        pages the engine holds, a power of two; default: the memory's frames. Fewer take less block RAM; the
        monitor then samples at least 1 page of frames / pages.
    hls_units : sequence of str
        names of ``HLS_UNITS`` that are not built in Migen: an HLS compiler made them from hls/, and the
        caller adds their Verilog. An engine must be that of `engine`.
    page_bitmap : bool
        add a `PageBitmap`, whose words follow the counters in the window.
    hot_pages : int
        add `Hot`, with a list of n pages, a power of two; it follows in the window: a frame and a count
        for each page.
    domains : int
        add a rank meter of n power domains, with snapshots at the ends of epochs; group_stack only.
    commands : DFICommands
        add `DRAMTraffic`, which counts these; its words are the last ones of the window.
    hot_rows : bool
        with ``hot_pages`` and ``commands``: the list can be of the DRAM's rows with the most ACTIVATEs. A
        memory with more rows than page frames needs a larger `HotPages`.

    Attributes
    ----------
    groups, contexts, pages, page_shift : int
    engine_name : str
    context : Signal, out
        the running context, as in the register of that name.
    window : WindowBus
    rank_meter : RankMeter
        with ``domains``; the signals that it counts are to be connected by the caller.
    ev : EventManager
        the interrupt.
    observed : Record
        for instruments and simulators: what happens at the input of the queue in this cycle.
    """

    def __init__(
        self,
        tap,
        page_shift=12,
        groups=64,
        contexts=8,
        queue_depth=512,
        engine=None,
        recent_pages=None,
        pages=None,
        hls_units=(),
        page_bitmap=False,
        hot_pages=None,
        domains=None,
        commands=None,
        hot_rows=True,
    ):
        engine = default_engine(domains) if engine is None else engine
        if engine not in ENGINES:
            raise ValueError(f"Monitor: no engine {engine!r}; there are: {', '.join(ENGINES)}")
        others = set(ENGINES) - {engine}
        if wrong := [unit for unit in hls_units if unit not in HLS_UNITS or unit in others]:
            possible = [unit for unit in HLS_UNITS if unit not in others]
            raise ValueError(
                f"Monitor: no HLS unit {wrong[0]!r} in a monitor with {engine}; there are: "
                f"{', '.join(possible)}"
            )
        if engine in hls_units and domains:
            raise ValueError("Monitor: the rank meter needs the engine in Migen, not that of an HLS compiler")
        frames = 2**tap.frame_bits
        pages = frames if pages is None else pages
        check_sizes(pages, groups, contexts)
        if pages > frames:
            raise ValueError(f"Monitor: {pages} pages are more than the memory's {frames} frames")
        if queue_depth & (queue_depth - 1) or not 2 <= queue_depth <= QUEUE_DEPTH_MAX:
            raise ValueError(
                f"Monitor: queue_depth must be a power of two from 2 to {QUEUE_DEPTH_MAX} (got {queue_depth})"
            )
        if recent_pages is None:
            recent_pages = max(1, min(ENGINES[engine].recent_pages, pages // groups))
        if not 1 <= recent_pages <= 15:
            raise ValueError(f"Monitor: recent_pages must be 1 to 15 (got {recent_pages})")
        self.groups, self.contexts, self.pages = groups, contexts, pages
        self.engine_name, self.page_shift = engine, page_shift
        super().__init__(
            tap.frame_bits,
            page_shift,
            pages,
            groups,
            contexts,
            queue_depth,
            recent_pages,
            engine,
            tap.ranks,
            page_bitmap,
            hot_pages,
            commands,
            hot_rows,
        )
        self.context = self._context.storage

        # # #

        self.intake = Intake(frames, contexts, queue_depth)
        working_set = partial(HLSWorkingSet, contexts=contexts) if "working_set" in hls_units else WorkingSet
        depth = ENGINES[engine].answers_depth
        self.filter = PageFilter(
            frames, pages, groups, contexts, recent_pages, depth, working_set=working_set
        )
        with_moves = {"with_moves": True} if domains and ENGINES[engine].reports_moves else {}
        engine_class = partial(HLSStackEngine, engine) if engine in hls_units else ENGINES[engine].unit
        self.engine = engine_class(frames=pages, groups=groups, contexts=contexts, **with_moves)
        counters_class = HLSHitCounters if "hit_counters" in hls_units else HitCounters
        self.counters = counters_class(groups=groups, contexts=contexts)
        if page_bitmap:
            self.page_bitmap = PageBitmap(frames)
        if hot_pages:
            self.hot = Hot(frames, hot_pages, commands.rows if commands and hot_rows else 0)
        if commands:
            self.commands = commands
            sizes = (commands.banks, commands.ranks, commands.accepts, commands.requests, commands.at_once)
            self.traffic = DRAMTraffic(*sizes)
        names = ("page_bitmap", "hot", "traffic")
        followers = [getattr(self, name) for name in names if hasattr(self, name)]
        self.window = WindowBus(contexts * 2 * groups, sum(each.words for each in followers))
        if domains:
            self.rank_meter = RankMeter(self.engine, pages, groups, contexts, domains)
        self.observed = self.intake.observed

        self._connect_streams(tap)
        self._connect_followers(followers)
        published, meter_busy = self._connect_window()
        epoch_ready = self._add_epoch_ready(published)
        traffic_busy = self._connect_traffic() if commands else 0
        self._connect_settings(
            window_taken=(epoch_ready & self._control.fields.hold) | meter_busy | traffic_busy
        )
        self.comb += self.intake.published.eq(published)
        self._connect_status(epoch_ready)

    def _connect_streams(self, tap):
        """The path of an access: tap, queue, filter around the engine, hit counters."""
        intake, filter_, stack = self.intake, self.filter, self.engine
        self.comb += [
            tap.source.connect(intake.sink),
            intake.source.connect(filter_.sink, omit={"valid", "ready"}),
            filter_.engine_ops.connect(stack.sink),
            stack.source.connect(filter_.engine_positions),
            filter_.source.connect(self.counters.sink),
        ]
        ready = self._connect_bitmap() if hasattr(self, "page_bitmap") else 1
        if hasattr(self, "hot"):
            ready = ready & self._connect_hot()
        self.comb += [
            filter_.sink.valid.eq(intake.source.valid & ready),
            intake.source.ready.eq(filter_.sink.ready & ready),
        ]

    def _connect_bitmap(self):
        """The bitmap takes what the filter takes; returns whether it is ready."""
        op, bitmap, taken = self.intake.source, self.page_bitmap, Signal()
        self.comb += [
            taken.eq(op.valid & op.ready),
            bitmap.touch.eq(taken & (op.kind == OpKind.ACCESS) & ~op.frozen & ~self.filter.numbers.outside),
            bitmap.write.eq(op.write),
            bitmap.frame.eq(op.frame),
            bitmap.clear.eq(taken & (op.kind == OpKind.CLEAR)),
            bitmap.advance.eq(taken & op.epoch_end),
        ]
        return bitmap.ready

    def _connect_hot(self):
        """Hot pages take what the filter takes, while they are enabled; returns whether they are ready."""
        op, hot, unit, taken = self.intake.source, self.hot, self.hot.unit, Signal()
        of_pages = [
            unit.access.eq(taken & (op.kind == OpKind.ACCESS) & ~op.frozen),
            unit.write.eq(op.write),
            unit.frame.eq(op.frame),
            unit.discard.eq(taken & (op.kind == OpKind.CLEAR)),
            unit.epoch_end.eq(taken & op.epoch_end),
        ]
        self.comb += taken.eq(op.valid & op.ready & hot.enabled)
        if hot.rows:
            of_pages = [If(hot.of_rows, *self._hot_rows()).Else(*of_pages)]
        self.comb += of_pages
        return unit.ready | ~hot.enabled | hot.of_rows

    def _hot_rows(self):
        """ACTIVATEs wait while a list begins; returns the statements that pass them on.

        They are lost if the list before is not complete then, which only a clear can cause. Ends of epochs
        and clears find a place.
        """
        traffic, unit, commands = self.traffic, self.hot.unit, self.commands
        layout = [("row", len(commands.activate_row)), ("access", 1), ("epoch_end", 1), ("discard", 1)]
        self.rows = rows = stream.SyncFIFO(layout, HOT_ROWS_WAITING)
        lost = Signal()
        self.comb += [
            rows.sink.row.eq(commands.activate_row),
            rows.sink.access.eq(commands.activate & traffic.count),
            rows.sink.epoch_end.eq(traffic.epoch_end),
            rows.sink.discard.eq(traffic.clear),
            rows.sink.valid.eq(
                self.hot.of_rows & (rows.sink.access | rows.sink.epoch_end | rows.sink.discard)
            ),
        ]
        self.sync += [
            If(rows.sink.valid & ~rows.sink.ready, lost.eq(1)),
            If(traffic.epoch_end, self.hot.lost.eq(lost), lost.eq(0)),
        ]
        source = rows.source
        taken = source.valid & unit.ready
        return [
            source.ready.eq(unit.ready),
            unit.access.eq(taken & source.access),
            unit.frame.eq(source.row),
            unit.discard.eq(taken & source.discard),
            unit.epoch_end.eq(taken & source.epoch_end),
        ]

    def _connect_traffic(self):
        """DRAM commands are counted as accesses are; returns whether no epoch can end yet."""
        traffic, intake, commands = self.traffic, self.intake, self.commands
        entry = intake.queue.sink
        # There is a place for the end of an epoch, or a clear, behind the ACTIVATEs that wait.
        rows_wait = self.rows.level >= HOT_ROWS_WAITING // 2 if hasattr(self, "rows") else 0
        names = ("access", "write", "access_bank", "activate", "activate_bank", "precharge_all", "refresh")
        self.comb += [
            *(getattr(traffic, name).eq(getattr(commands, name)) for name in (*names, "accepted", "issued")),
            traffic.count.eq(intake.enable & ~intake.frozen),
            intake.clear_waits.eq(~traffic.may_clear | rows_wait),
            traffic.epoch_end.eq(intake.taken & entry.epoch_end),
            traffic.clear.eq(intake.taken & (entry.kind == OpKind.CLEAR)),
        ]
        return ~traffic.ready | rows_wait

    def _connect_followers(self, followers):
        """Units whose words follow the counters in the window."""
        window, first = self.window, 0
        for unit in followers:
            here = Signal()
            self.comb += [
                here.eq((window.asked_adr >= first) & (window.asked_adr < first + unit.words)),
                unit.asks.eq(window.asks & here),
                unit.adr.eq(window.asked_adr - first),
                If(here, window.answers.eq(unit.answers), window.asked_dat_r.eq(unit.dat_r)),
            ]
            first += unit.words

    def _connect_window(self):
        """Connect the window to the bus, and to the meter, which reads the hits, too.

        Returns two signals: an epoch is published, when bus and meter may have it; the meter is busy.
        """
        window, counters = self.window, self.counters
        published, meter_busy = Signal(), Signal()
        self.comb += window.dat_r.eq(counters.window_dat_r)
        if hasattr(self, "rank_meter"):
            meter = self.rank_meter
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
        if not hasattr(self, "hot"):
            return published, meter_busy
        return self.hot.join(published), meter_busy

    def _add_epoch_ready(self, published):
        """Keep what the finished epoch lost; returns whether it is in the window and not released."""
        epoch_ready, self._lost_full = Signal(), Signal()
        self.sync += [
            If(self._command.fields.release, epoch_ready.eq(0)),
            If(published, epoch_ready.eq(1)),
            If(
                self.counters.finished,
                self._epoch_dropped.status.eq(self.intake.epoch_dropped),
                self._epoch_outside.status.eq(self.filter.outside),
                self._epoch_unsampled.status.eq(self.filter.unsampled),
                self._lost_full.eq(self.intake.epoch_dropped_full | self.filter.full),
            ),
        ]
        return epoch_ready

    def _connect_settings(self, window_taken):
        """Registers that software writes."""
        intake, filter_ = self.intake, self.filter
        self.comb += [
            intake.enable.eq(self._control.fields.enable),
            intake.by_cycles.eq(self._control.fields.epoch_unit),
            intake.epoch_length.eq(self._epoch_length.storage),
            intake.context.eq(self.context),
            intake.freeze.eq(self._control.fields.freeze),
            intake.single_shot.eq(self._control.fields.single_shot),
            intake.arm.eq(self._command.fields.arm),
            intake.acknowledge.eq(self._command.fields.acknowledge),
            intake.clear.eq(self._command.fields.clear),
            intake.end_epoch.eq(self._command.fields.end_epoch),
            intake.invalidate.eq(self._invalidate.re),
            intake.claim.eq(self._claim.re),
            intake.command_frame.eq(Mux(self._claim.re, self._claim.fields.frame, self._invalidate.storage)),
            intake.claim_context.eq(self._claim.fields.context & (self.contexts - 1)),
            intake.claim_order.eq(self._claim.fields.order),
            intake.window_taken.eq(window_taken),
            filter_.lower.eq(self._range_lower.storage),
            filter_.upper.eq(self._range_upper.storage),
            filter_.sampling.eq(self._sampling.storage),
            filter_.split.eq(self._control.fields.split),
        ]

    def _connect_status(self, epoch_ready):
        """Registers that software reads, and the interrupt."""
        intake, filter_, counters = self.intake, self.filter, self.counters
        self.comb += [
            self._status.fields.idle.eq(
                intake.idle
                & filter_.idle
                & self.engine.idle
                & counters.idle
                & (self.hot.unit.list.idle if hasattr(self, "hot") else 1)
            ),
            self._status.fields.command_pending.eq(intake.command_pending),
            self._status.fields.command_lost.eq(intake.command_lost),
            self._status.fields.command_late.eq(intake.command_late),
            self._status.fields.epoch_ready.eq(epoch_ready),
            self._status.fields.epoch_due.eq(intake.epoch_due),
            self._status.fields.overflow.eq(
                counters.overflow
                | self._lost_full
                | (self.traffic.overflow if hasattr(self, "traffic") else 0)
            ),
            self._status.fields.frozen.eq(intake.frozen),
            self._scale.fields.scale_log2.eq(filter_.scale_log2),
            self._epoch.status.eq(counters.epoch),
            self._dropped.status.eq(intake.dropped),
            self._queue_peak.status.eq(intake.peak),
            self.ev.epoch.trigger.eq(epoch_ready),
            self.ev.hot.trigger.eq(self.hot.waiting if hasattr(self, "hot") else 0),
        ]
