# SPDX-License-Identifier: BSD-2-Clause
"""The hardware units that are placed and routed alone: their sizes, ports and clocks.

A unit with too many ports for the package's pins gets some of them through a shift register, or is built
without them; see its comment.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

from litedram.common import GeomSettings, LiteDRAMNativePort
from litedram.phy.dfi import Interface as DFIInterface
from litemrc_gateware.counters.dram_traffic import DRAMTraffic
from litemrc_gateware.counters.hit_counters import HitCounters
from litemrc_gateware.counters.hot_pages import HotPages
from litemrc_gateware.counters.page_bitmap import PageBitmap
from litemrc_gateware.counters.working_pages import WorkingPages
from litemrc_gateware.counters.working_set import WorkingSet
from litemrc_gateware.filter.page_filter import PageFilter
from litemrc_gateware.monitor.intake import Intake
from litemrc_gateware.ranks.counters import RankCounters
from litemrc_gateware.ranks.meter import RankMeter
from litemrc_gateware.ranks.n_mrc import NMrc
from litemrc_gateware.records import move_layout
from litemrc_gateware.refs.ref_counters import RefCounters
from litemrc_gateware.refs.traffic_generator import TrafficGenerator
from litemrc_gateware.stacks.bucket.bucket_stack import BucketStack
from litemrc_gateware.stacks.group.group_stack import GroupStack
from litemrc_gateware.tap.dfi_activity import DFIActivity
from litemrc_gateware.tap.dram_tap import DRAMTap
from litemrc_gateware.tap.port_taps import PortTaps
from litex.gen import LiteXModule
from migen import Cat, Record, Signal

TARGET_MHZ = 100  # default of the units


@dataclass(frozen=True)
class Unit:
    """A unit to build: sizes for the table, constructor, names of its ports, its clock."""

    frames: int | None  # None: independent of frames
    contexts: int | None
    build: Callable[[], LiteXModule]
    ports: tuple[str, ...]
    target_mhz: int = TARGET_MHZ
    placer: str = "heap"  # nextpnr's default
    verilog: str = ""  # of modules that it instantiates


def _stack(engine, frames, *options):
    return Unit(frames, 8, lambda: engine(frames=frames, groups=64, contexts=8), STACK_PORTS, *options)


def _tap():
    # A board with 256 MB of DDR3 in one chip of 16 bits, four DFI phases.
    geometry = GeomSettings(bankbits=3, rowbits=14, colbits=10)
    dfi = DFIInterface(addressbits=14, bankbits=3, nranks=1, databits=32, nphases=4)
    tap = DRAMTap(dfi, geometry, column_bytes=2)
    tap.dfi = [getattr(phase, name) for phase in dfi.phases for name in DFI_COMMAND]
    return tap


def _activity(domains, ranks):
    geometry = GeomSettings(bankbits=3, rowbits=14, colbits=10)
    dfi = DFIInterface(addressbits=14, bankbits=3, nranks=ranks, databits=32, nphases=4)
    activity = DFIActivity(dfi, geometry, column_bytes=2, domains=domains)
    activity.dfi = [getattr(phase, name) for phase in dfi.phases for name in (*DFI_COMMAND, "cke")]
    return activity


def meter(domains, pages=65536):
    """Return a rank meter without its wide counts of snapshots, because of the pins."""
    sizes = {"pages": pages, "groups": 64, "contexts": 8}
    names = ("cleared", "hold", "held")
    moves = {name: Signal(name=f"moves_{name}") for name in names}
    moves["move"] = Record([("valid", 1), *move_layout(*sizes.values())], name="moves_move")
    unit = RankMeter(SimpleNamespace(moves=SimpleNamespace(**moves)), **sizes, domains=domains)
    unit.moves = [*moves["move"].flatten(), *(moves[name] for name in names)]
    for part, ports in ((unit.counters, COUNTED_PORTS), (unit.n_mrc, REGISTER_PORTS)):
        for name in ports:
            setattr(unit, name, getattr(part, name))
    unit.hits_adr, unit.hits_dat_r = unit.n_mrc.window_adr, unit.n_mrc.window_dat_r
    return unit


def _shift_in(unit, settings):
    """Feed settings through a shift register, because the package has too few pins."""
    shifted = Signal(sum(map(len, settings)))
    unit.settings = Signal(name="settings_in")
    unit.comb += Cat(settings).eq(shifted)
    unit.sync += shifted.eq(Cat(unit.settings, shifted))
    return unit


def _intake():
    intake = Intake(65536, contexts=8, queue_depth=512)
    return _shift_in(intake, [intake.epoch_length])


def ref_counters(pages=65536):
    """Return reference counters; their settings come through a shift register."""
    counters = RefCounters(pages)
    settings = [*(field for selector in counters.selectors for field in selector.flatten())]
    return _shift_in(counters, settings + counters.initials)


def _hot_pages():
    unit = HotPages(65536)
    settings = (unit.lower, unit.upper, unit.kinds, unit.sampling_log2, unit.threshold, unit.wanted)
    return _shift_in(unit, [*settings, unit.watermark])


def _port_taps():
    # Three masters of 256 MB of DDR3 in one chip of 16 bits: 2^24 words of 16 bytes.
    ports = [LiteDRAMNativePort("both", address_width=24, data_width=128) for _ in range(3)]
    taps = PortTaps(ports, page_shift=12)
    taps.ports = [getattr(port.cmd, name) for port in ports for name in ("valid", "ready", "we", "addr")]
    return taps


def _traffic_generator():
    port = LiteDRAMNativePort("both", address_width=24, data_width=128)
    generator = TrafficGenerator(port)
    generator.port = [port.cmd.valid, port.cmd.ready, port.cmd.we, port.cmd.addr, port.wdata.ready]
    generator.data = Signal(33, name="data_out")  # each 32 bits are the same
    generator.comb += generator.data.eq(Cat(port.wdata.data[:32], port.wdata.we[0]))
    registers = (generator._base, generator._range, generator._stride, generator._pattern)
    settings = [register.storage for register in (*registers, generator._seed, generator._count)]
    return _shift_in(generator, [*settings, generator._seed.re, generator._count.re])


def _with_moves(stack):
    moves = stack.moves
    stack.told = [*moves.move.flatten(), moves.cleared, moves.hold, moves.held]
    return stack


STACK_PORTS = ("sink", "source", "idle")
DFI_COMMAND = ("cs_n", "ras_n", "cas_n", "we_n", "bank", "address")
INTAKE_PORTS = (
    *("sink", "source", "enable", "by_cycles", "settings", "context", "clear", "end_epoch", "invalidate"),
    *("freeze", "single_shot", "arm", "frozen"),
    *("claim", "command_frame", "claim_context", "claim_order"),
    *("window_taken", "published", "command_pending", "epoch_due", "dropped"),
    *("epoch_dropped", "level", "peak", "idle", "acknowledge", "command_lost", "command_late"),
)
COUNTER_PORTS = ("sink", "window_adr", "window_dat_r", "finished", "epoch", "overflow", "idle")

FILTER_PORTS = (
    *("sink", "engine_ops", "engine_positions", "source", "lower", "upper", "sampling", "scale_log2"),
    *("outside", "unsampled", "idle"),
)
ACTIVITY_PORTS = (
    *("dfi", "access", "access_domain", "write", "activate", "activate_domain", "refresh", "open"),
)
COUNTED_PORTS = (
    *("access", "access_domain", "write", "activate", "activate_domain", "refresh", "waking", "wakes"),
)
REGISTER_PORTS = ("automatic", "epsilon", "size", "written", "bus_reads", "bus_adr")
COUNTERS_PORTS = (
    *(*COUNTED_PORTS, "state", "last", "boundary", "shown", "shown_domain", "shown_word", "shown_count"),
    *("complete", "overflow"),
)
PAGES_PORTS = (
    *("move", "cleared", "held", "hold", "set", "set_context", "set_size", "done", "freeze", "frozen"),
    *("domain", "top_pages", "context", "n_mrc", "working"),
)
N_MRC_PORTS = (
    *REGISTER_PORTS,
    *("epoch", "window_adr", "window_dat_r", "set", "set_context", "set_size", "done", "busy"),
)
METER_PORTS = (
    *("moves", *COUNTED_PORTS, *REGISTER_PORTS[:-2], "open", "rank_state", "epoch", "snapshot", "window_adr"),
    *("window_dat_r", "hits_adr", "hits_dat_r", "working", "taken", "published", "overflow", "busy"),
)
BITMAP_PORTS = ("touch", "write", "frame", "advance", "clear", "ready", "asks", "adr", "answers", "dat_r")
SET_PORTS = ("touch", "leave", "page", "advance", "ready", "first_touch")
HOT_PORTS = (
    *("access", "frame", "write", "epoch_end", "discard", "ready", "settings", "always_on", "published"),
    *("listed", "more", "accesses", "saturated", "window_adr", "window_dat_r", "queue", "queue_overflow"),
    *("clear_overflow", "queued"),
)
TAPS_PORTS = ("ports", "running", "valid", "page", "write", "master", "context", "lost")
TRAFFIC_PORTS = (
    *("count", "access", "write", "access_bank", "activate", "activate_bank", "precharge_all", "refresh"),
    *("accepted", "issued", "epoch_end", "clear", "ready", "overflow", "asks", "adr", "answers", "dat_r"),
)
REF_COUNTERS_PORTS = (
    *("request", "settings", "reset", "reset_ready", "command", "answered", "value", "events", "fired"),
    *("lost", "sweeping"),
)

UNITS = {
    "group_stack": _stack(GroupStack, 8192),
    # The largest power of two that fits an 85k. Its links alone take 128 of 208 block RAMs, spread over the
    # device.
    "group_stack_65536": _stack(GroupStack, 65536),
    # HeAP places the output registers of RAMs that are spread over the device far from them.
    "bucket_stack": _stack(BucketStack, 65536, 125, "static"),
    "hit_counters": Unit(None, 8, lambda: HitCounters(groups=64, contexts=8), COUNTER_PORTS),
    "dram_tap": Unit(65536, None, _tap, ("dfi", "source")),
    "intake": Unit(65536, 8, _intake, INTAKE_PORTS),
    "dram_traffic": Unit(
        None, None, partial(DRAMTraffic, 8, accepts=8, requests=80), TRAFFIC_PORTS, 125, "static"
    ),
    "dram_traffic_16_banks": Unit(
        None, None, partial(DRAMTraffic, 16, accepts=16, requests=160), TRAFFIC_PORTS, 125, "static"
    ),
    "working_set": Unit(65536, None, lambda: WorkingSet(65536), SET_PORTS),
    "page_bitmap": Unit(65536, None, lambda: PageBitmap(65536), BITMAP_PORTS),
    "hot_pages": Unit(65536, None, _hot_pages, HOT_PORTS, 110),
    # Before an engine of 65,536 frames, with a memory four times as large; includes the working set.
    "page_filter": Unit(65536, 8, lambda: PageFilter(4 * 65536, 65536, groups=64, contexts=8), FILTER_PORTS),
    # As used with bucket_stack.
    "page_filter_1_recent_page": Unit(
        65536, 8, lambda: PageFilter(65536, 65536, groups=64, contexts=8, recent_pages=1), FILTER_PORTS
    ),
    # DFIActivity: one domain for each rank, or slices of one.
    "dfi_activity_4_ranks": Unit(None, None, lambda: _activity(4, 4), ACTIVITY_PORTS),
    "dfi_activity_16_slices": Unit(None, None, lambda: _activity(16, 1), ACTIVITY_PORTS),
    # RankMeter and its parts.
    "rank_meter_4_domains": Unit(65536, 8, lambda: meter(4), METER_PORTS),
    **{
        f"{name}_{domains}_domains": Unit(frames, contexts, partial(build, domains), ports)
        for domains in (4, 16)
        for name, frames, contexts, build, ports in (
            ("rank_counters", None, None, RankCounters, COUNTERS_PORTS),
            ("working_pages", 65536, 8, lambda domains: WorkingPages(65536, 64, 8, domains), PAGES_PORTS),
        )
    },
    "n_mrc": Unit(None, 8, lambda: NMrc(groups=64, contexts=8), N_MRC_PORTS),
    "group_stack_with_moves": Unit(
        8192, 8, lambda: _with_moves(GroupStack(8192, 64, 8, with_moves=True)), (*STACK_PORTS, "told")
    ),
    "ref_counters": Unit(65536, 8, ref_counters, REF_COUNTERS_PORTS, 125),
    # Their input, and a second master.
    "port_taps_3_masters": Unit(65536, 8, _port_taps, TAPS_PORTS),
    "traffic_generator": Unit(None, None, _traffic_generator, ("port", "data", "settings", "busy")),
}
# The units of the default monitor, and the other engine.
MAIN = (
    *("dram_tap", "intake", "page_filter_1_recent_page", "bucket_stack", "hit_counters", "working_set"),
    "group_stack",
)
