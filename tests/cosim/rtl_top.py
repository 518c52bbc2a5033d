# SPDX-License-Identifier: BSD-2-Clause
"""Tops of the co-simulation benches, and their Verilog with stable port names.

python -m tests.cosim.rtl_top group_stack|group_stack_in_parts|group_stack_moves|hls_group_stack|bucket_stack|
    counters|hls_counters FRAMES GROUPS CONTEXTS COUNTER_BITS OUT.v
python -m tests.cosim.rtl_top set|bitmap FRAMES GROUPS CONTEXTS COUNTER_BITS OUT.v
python -m tests.cosim.rtl_top hot FRAMES GROUPS CONTEXTS COUNTER_BITS SETS PAGES COUNT_BITS ERROR_BITS OUT.v
python -m tests.cosim.rtl_top traffic FRAMES GROUPS CONTEXTS COUNTER_BITS BANKS RANKS CYCLE_BITS OUT.v
python -m tests.cosim.rtl_top meter FRAMES GROUPS CONTEXTS COUNTER_BITS DOMAINS OUT.v
python -m tests.cosim.rtl_top filter|monitor-group_stack|monitor-hls_group_stack|monitor-bucket_stack FRAMES
    GROUPS CONTEXTS COUNTER_BITS MEMORY_FRAMES RECENT_PAGES OUT.v

Names with hls_ take the units of litemrc_gateware.hls; the bench's builder adds their Verilog.
"""

import sys
from functools import partial
from pathlib import Path

from litemrc_gateware.counters import tally
from litemrc_gateware.counters.dram_traffic import DRAMTraffic
from litemrc_gateware.counters.hit_counters import HitCounters
from litemrc_gateware.counters.hot_pages import HotPages
from litemrc_gateware.counters.page_bitmap import PageBitmap
from litemrc_gateware.counters.working_set import WorkingSet
from litemrc_gateware.filter.page_filter import PageFilter
from litemrc_gateware.hls.units import COUNTER_BITS, HLSHitCounters, HLSStackEngine, HLSWorkingSet
from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.ranks.meter import RankMeter
from litemrc_gateware.records import counted_layout, memory_op_layout, move_layout, op_layout, position_layout
from litemrc_gateware.stacks.bucket.bucket_stack import BucketStack
from litemrc_gateware.stacks.group.group_stack import GroupStack
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import stream
from migen import Cat, ClockDomain, Record, Replicate, Signal

QUEUE_DEPTH = 512
ENGINES = {
    "group_stack": GroupStack,
    # As with 65,536 frames, whatever their number.
    "group_stack_in_parts": lambda frames, *sizes: GroupStack(frames, *sizes, part_frames=frames // 4),
    "group_stack_moves": partial(GroupStack, with_moves=True),
    "bucket_stack": BucketStack,
    "hls_group_stack": partial(HLSStackEngine, "group_stack"),
}


class BenchTop(LiteXModule):
    """Clock, reset and named ports; `ios` holds all of them."""

    def __init__(self) -> None:
        self.cd_sys = ClockDomain("sys")
        self.cd_sys.clk.name_override = "clk"
        self.cd_sys.rst.name_override = "rst"
        self.ios = {self.cd_sys.clk, self.cd_sys.rst}

    def add_port(self, name: str, width: int = 1) -> Signal:
        """Add a top-level port; its driver decides its direction."""
        port = Signal(width, name_override=name)
        self.ios.add(port)
        return port

    def add_fields(self, prefix: str, layout: list[tuple[str, int]]) -> dict[str, Signal]:
        """Add one port for each field of a record."""
        return {field: self.add_port(f"{prefix}_{field}", width) for field, width in layout}

    def add_counters(self, groups: int, contexts: int, counter_bits: int, *, hls: bool = False) -> None:
        """Add the hit counters and ports for all their outputs."""
        if hls and counter_bits != COUNTER_BITS:
            raise ValueError(f"HLSHitCounters has {COUNTER_BITS} bits, not {counter_bits}")
        self.counters = counters = (
            HLSHitCounters(groups, contexts) if hls else HitCounters(groups, contexts, counter_bits)
        )
        self.comb += [
            counters.window_adr.eq(self.add_port("window_adr", len(counters.window_adr))),
            self.add_port("window_dat_r", counter_bits).eq(counters.window_dat_r),
            self.add_port("finished").eq(counters.finished),
            self.add_port("epoch", 32).eq(counters.epoch),
            self.add_port("overflow").eq(counters.overflow),
        ]

    def add_stream(self, prefix, endpoint, layout, inwards: bool) -> None:
        """Add ports for a stream."""
        valid, ready = self.add_port(f"{prefix}_valid"), self.add_port(f"{prefix}_ready")
        pairs = [(endpoint.valid, valid), (ready, endpoint.ready)]
        pairs += [(getattr(endpoint, name), port) for name, port in self.add_fields(prefix, layout).items()]
        for inner, outer in pairs:
            self.comb += inner.eq(outer) if inwards else outer.eq(inner)

    def add_settings(self, filter_: PageFilter) -> None:
        """Add ports for the settings and counts of a page filter."""
        for name in ("lower", "upper", "sampling", "split"):
            signal = getattr(filter_, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        for name in ("scale_log2", "outside", "unsampled", "full"):
            signal = getattr(filter_, name)
            self.comb += self.add_port(name, len(signal)).eq(signal)


class UnsureDualPort(SimpleDualPort):
    """A `SimpleDualPort` that reads wrong bits in every case that is undefined."""

    def __init__(self, *arguments, async_read=False, **options) -> None:
        super().__init__(*arguments, async_read=async_read, **options)
        port, meets, met = self.read, Signal(), Signal()
        self.read = Record([("adr", len(port.adr)), ("dat_r", len(port.dat_r))])
        self.comb += [
            port.adr.eq(self.read.adr),
            meets.eq(self.write.we & (self.write.adr == port.adr)),
            self.read.dat_r.eq(port.dat_r ^ Replicate(meets if async_read else met, len(port.dat_r))),
        ]
        self.sync += met.eq(meets)


class ChainTop(BenchTop):
    """Operations -> stack engine -> HitCounters. The bench sees every position, and can stall them."""

    def __init__(self, engine: str, frames: int, groups: int, contexts: int, counter_bits: int) -> None:
        super().__init__()
        self.add_counters(groups, contexts, counter_bits, hls=engine.startswith("hls_"))
        self.stack = stack = ENGINES[engine](frames, groups, contexts)
        op = self.add_fields("op", op_layout(frames, contexts))
        position = self.add_fields("position", position_layout(groups, contexts))
        hold, taken = self.add_port("hold"), self.add_port("position_taken")
        self.comb += [
            stack.sink.valid.eq(self.add_port("op_valid")),
            self.add_port("op_ready").eq(stack.sink.ready),
            *(getattr(stack.sink, field).eq(port) for field, port in op.items()),
            *(port.eq(getattr(stack.source, field)) for field, port in position.items()),
            stack.source.connect(self.counters.sink, omit={"valid", "ready"}),
            self.counters.sink.valid.eq(stack.source.valid & ~hold),
            stack.source.ready.eq(self.counters.sink.ready & ~hold),
            taken.eq(stack.source.valid & stack.source.ready),
            self.add_port("idle").eq(stack.idle),
        ]
        if engine == "group_stack_moves":
            moves, layout = stack.moves, [("valid", 1), *move_layout(frames, groups, contexts)]
            self.comb += [
                moves.hold.eq(self.add_port("hold_engine")),
                self.add_port("held").eq(moves.held),
                self.add_port("cleared").eq(moves.cleared),
                *(
                    port.eq(getattr(moves.move, field))
                    for field, port in self.add_fields("move", layout).items()
                ),
            ]


class CountersTop(BenchTop):
    """Positions -> HitCounters."""

    def __init__(self, groups: int, contexts: int, counter_bits: int, *, hls: bool) -> None:
        super().__init__()
        self.add_counters(groups, contexts, counter_bits, hls=hls)
        sink = self.counters.sink
        position = self.add_fields("position", counted_layout(groups, contexts))
        self.comb += [
            sink.valid.eq(self.add_port("position_valid")),
            self.add_port("position_ready").eq(sink.ready),
            *(getattr(sink, field).eq(port) for field, port in position.items()),
        ]


class FilterTop(BenchTop):
    """PageFilter alone; the bench is its engine."""

    def __init__(self, frames, groups, contexts, counter_bits, memory_frames, recent_pages) -> None:
        super().__init__()
        self.filter = filter_ = PageFilter(
            memory_frames, frames, groups, contexts, recent_pages, counter_bits=counter_bits
        )
        self.add_stream("op", filter_.sink, memory_op_layout(memory_frames, contexts), inwards=True)
        self.add_stream("engine_op", filter_.engine_ops, op_layout(frames, contexts), inwards=False)
        positions = position_layout(groups, contexts)
        self.add_stream("engine_position", filter_.engine_positions, positions, inwards=True)
        self.add_stream("position", filter_.source, counted_layout(groups, contexts), inwards=False)
        self.comb += self.add_port("idle").eq(filter_.idle)
        self.add_settings(filter_)


class SetTop(BenchTop):
    """WorkingSet alone."""

    def __init__(self, frames: int) -> None:
        super().__init__()
        self.set = working_set = WorkingSet(frames)
        for name in ("touch", "leave", "advance", "page"):
            signal = getattr(working_set, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        self.comb += [
            self.add_port("ready").eq(working_set.ready),
            self.add_port("first_touch").eq(working_set.first_touch),
        ]


class BitmapTop(BenchTop):
    """PageBitmap alone."""

    def __init__(self, frames: int) -> None:
        super().__init__()
        self.bitmap = bitmap = PageBitmap(frames)
        for name in ("touch", "write", "frame", "advance", "clear", "asks", "adr"):
            signal = getattr(bitmap, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        for name in ("ready", "answers", "dat_r"):
            signal = getattr(bitmap, name)
            self.comb += self.add_port(name, len(signal)).eq(signal)


class HotTop(BenchTop):
    """HotPages alone."""

    def __init__(self, frames: int, sets: int, pages: int, count_bits: int, error_bits: int) -> None:
        super().__init__()
        self.hot = hot = HotPages(frames, pages, sets, count_bits, error_bits)
        inputs = ("access", "frame", "write", "epoch_end", "discard", "window_adr", "clear_overflow")
        settings = (
            "lower",
            "upper",
            "kinds",
            "sampling_log2",
            "threshold",
            "wanted",
            "always_on",
            "watermark",
        )
        for name in (*inputs, *settings):
            signal = getattr(hot, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        outputs = ("ready", "published", "listed", "more", "accesses", "saturated", "window_dat_r")
        for name in (*outputs, "queue_overflow", "queued"):
            signal = getattr(hot, name)
            self.comb += self.add_port(name, len(signal)).eq(signal)
        self.add_stream("queue", hot.queue, [("frame", len(hot.queue.frame))], inwards=False)


class TrafficTop(BenchTop):
    """DRAMTraffic alone, with worst-case memories."""

    ACCEPTS = 4

    def __init__(self, counter_bits: int, banks: int, ranks: int, cycle_bits: int, at_once: int) -> None:
        super().__init__()
        tally.SimpleDualPort = UnsureDualPort
        self.traffic = traffic = DRAMTraffic(
            banks, ranks, self.ACCEPTS, at_once=at_once, counter_bits=counter_bits, cycle_bits=cycle_bits
        )
        commands = ("access", "write", "access_bank", "activate", "activate_bank")
        others = ("precharge_all", "refresh", "accepted", "issued")
        for name in ("count", *commands, *others, "epoch_end", "clear", "asks", "adr"):
            signal = getattr(traffic, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        for name in ("ready", "may_clear", "overflow", "answers", "dat_r"):
            signal = getattr(traffic, name)
            self.comb += self.add_port(name, len(signal)).eq(signal)


class MeterTop(BenchTop):
    """Operations -> GroupStack -> RankMeter; the bench is the DRAM, the registers and the hit counters."""

    def __init__(self, frames, groups, contexts, counter_bits, domains) -> None:
        super().__init__()
        self.stack = stack = GroupStack(frames, groups, contexts, with_moves=True)
        self.meter = meter = RankMeter(stack, frames, groups, contexts, domains, counter_bits)
        self.add_stream("op", stack.sink, op_layout(frames, contexts), inwards=True)
        self.comb += [
            stack.source.ready.eq(~self.add_port("hold")),
            Cat(meter.rank_state).eq(self.add_port("rank_state", 3 * domains)),
        ]
        counters, n_mrc, pages = meter.counters, meter.n_mrc, meter.pages
        inputs = [
            *(
                (counters, name)
                for name in ("access", "access_domain", "write", "activate", "activate_domain")
            ),
            *((counters, name) for name in ("refresh", "waking", "wakes")),
            *((meter, name) for name in ("open", "epoch", "snapshot", "window_adr")),
        ]
        for unit, name in inputs:
            signal = getattr(unit, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        for name in ("window_dat_r", "working", "taken", "published", "snapshots", "snapshot_clocks"):
            signal = getattr(meter, name)
            self.comb += self.add_port(name, len(signal)).eq(signal)
        for name in ("overflow", "busy"):
            self.comb += self.add_port(name).eq(getattr(meter, name))
        for name in ("automatic", "epsilon", "size", "written", "bus_reads", "bus_adr", "window_dat_r"):
            signal = getattr(n_mrc, name)
            self.comb += signal.eq(self.add_port(f"n_mrc_{name}", len(signal)))
        self.comb += [
            self.add_port("n_mrc_busy").eq(n_mrc.busy),
            self.add_port("n_mrc_window_adr", len(n_mrc.window_adr)).eq(n_mrc.window_adr),
            self.add_port("set_done").eq(pages.done),
            self.add_port("set_context", len(n_mrc.set_context)).eq(n_mrc.set_context),
            self.add_port("set_size", len(n_mrc.set_size)).eq(n_mrc.set_size),
            self.add_port("held").eq(stack.moves.hold),
        ]


class MonitorTop(BenchTop):
    """Queue -> PageFilter around a stack engine -> HitCounters. The bench sees every position."""

    def __init__(self, engine, frames, groups, contexts, counter_bits, memory_frames, recent_pages) -> None:
        super().__init__()
        hls = engine.startswith("hls_")
        self.add_counters(groups, contexts, counter_bits, hls=hls)
        ops = memory_op_layout(memory_frames, contexts)
        self.queue = queue = stream.SyncFIFO(ops, QUEUE_DEPTH, buffered=True)
        self.filter = filter_ = PageFilter(
            *(memory_frames, frames, groups, contexts, recent_pages),
            counter_bits=counter_bits,
            working_set=partial(HLSWorkingSet, contexts=contexts) if hls else WorkingSet,
        )
        self.stack = stack = ENGINES[engine](frames, groups, contexts)
        self.add_stream("op", queue.sink, ops, inwards=True)
        hold, source, sink = self.add_port("hold"), filter_.source, self.counters.sink
        positions = self.add_fields("position", counted_layout(groups, contexts))
        self.comb += [
            queue.source.connect(filter_.sink),
            filter_.engine_ops.connect(stack.sink),
            stack.source.connect(filter_.engine_positions),
            source.connect(sink, omit={"valid", "ready"}),
            sink.valid.eq(source.valid & ~hold),
            source.ready.eq(sink.ready & ~hold),
            self.add_port("position_taken").eq(source.valid & source.ready),
            *(port.eq(getattr(source, field)) for field, port in positions.items()),
            self.add_port("idle").eq((queue.level == 0) & filter_.idle & stack.idle & self.counters.idle),
        ]
        self.add_settings(filter_)


def main() -> None:
    """Write the Verilog of one top."""
    name, *sizes, out = sys.argv[1:]
    frames, *others = map(int, sizes)
    if name in ("counters", "hls_counters"):
        top = CountersTop(*others, hls=name != "counters")
    elif name == "filter":
        top = FilterTop(frames, *others)
    elif name == "set":
        top = SetTop(frames)
    elif name == "bitmap":
        top = BitmapTop(frames)
    elif name == "hot":
        _, _, _, *hot_sizes = others
        top = HotTop(frames, *hot_sizes)
    elif name == "traffic":
        _, _, *traffic_sizes = others
        top = TrafficTop(*traffic_sizes)
    elif name == "meter":
        top = MeterTop(frames, *others)
    elif name.startswith("monitor-"):
        top = MonitorTop(name.removeprefix("monitor-"), frames, *others)
    else:
        top = ChainTop(name, frames, *others)
    Path(out).write_text(str(convert(top, top.ios, name="top")))


if __name__ == "__main__":
    main()
