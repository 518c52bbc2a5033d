# SPDX-License-Identifier: BSD-2-Clause
"""`add_monitor` on SoCs that are not LiteMRC's own: sizes, addresses, ranks, and what it refuses."""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from litedram.common import GeomSettings
from litedram.phy import dfi
from litemrc_gateware import add_monitor
from litemrc_gateware.integration.block_rams import block_rams
from litemrc_gateware.integration.monitor_block import BLOCK_RAMS
from litemrc_gateware.monitor.monitor import QUEUE_DEPTH_MAX, Monitor
from litemrc_gateware.tap.dram_tap import DRAMTap
from litex.build.sim import SimPlatform
from litex.soc.integration.soc import SoCIORegion
from litex.soc.integration.soc_core import SoCMini

from scripts.boards.pnr_catalogue import UNITS
from tests.gateware.sdram_soc import CLOCK_HZ, add_sdram, add_second_sdram

ENGINES_PAGE = Path(__file__).parents[3] / "docs" / "engines.md"


def soc_with_sdram(**options):
    """A SoC of a stranger: LiteX's parts only; 32 MB, 8,192 frames."""
    soc = SoCMini(SimPlatform("SIM", []), clk_freq=CLOCK_HZ, **options)
    add_sdram(soc)
    soc.lines = []
    soc.logger = SimpleNamespace(info=soc.lines.append, error=soc.lines.append, warning=soc.lines.append)
    return soc


def tap_of(frame_bits, ranks=1, selects=1):
    geometry = GeomSettings(bankbits=3, rowbits=frame_bits + 12 - 3 - 10 - 1 - (ranks - 1), colbits=10)
    pins = dfi.Interface(addressbits=18, bankbits=3, nranks=selects, databits=32, nphases=4)
    return DRAMTap(pins, geometry, column_bytes=2, ranks=ranks)


def stock_target(name, monkeypatch, **options):
    # Targets with PCIe import it although only an option uses it.
    for module in ("litepcie", "litepcie.phy", "litepcie.phy.usppciephy", "litepcie.software"):
        monkeypatch.setitem(sys.modules, module, MagicMock())
    return importlib.import_module(f"litex_boards.targets.{name}").BaseSoC(**options)


# Placed and routed by nextpnr, docs/engines.md; units whose memories exist before finalization.
@pytest.mark.parametrize(
    "unit", ["group_stack", "group_stack_65536", "bucket_stack", "hit_counters", "intake", "working_set",
             "page_bitmap",
             "page_filter", "dram_tap", "rank_meter_4_domains", "working_pages_16_domains"]
)  # fmt: skip
def test_block_rams_are_those_that_place_and_route_reports(unit):
    row = re.search(rf"^\| `{unit}` \|(.*)$", ENGINES_PAGE.read_text(), re.M)
    reported = int(row[1].split("|")[4])
    assert block_rams(UNITS[unit].build()) == reported


@pytest.mark.parametrize("frame_bits", [13, 16, 18, 19, 21])
def test_the_pages_follow_from_the_block_rams(frame_bits):
    from litemrc_gateware.integration.monitor_block import _sized

    monitor, blocks = _sized(tap_of(frame_bits), "auto", None, {})
    assert blocks == block_rams(monitor) <= BLOCK_RAMS
    larger = Monitor(tap_of(frame_bits), pages=2 * monitor.pages) if monitor.pages < 2**frame_bits else None
    assert larger is None or block_rams(larger) > BLOCK_RAMS


@pytest.mark.parametrize(
    "target, frames, pages",
    [
        ("digilent_arty", 65536, 16384),  # 256 MB of DDR3
        ("digilent_genesys2", 262144, 16384),  # 1 GB of DDR3
        ("xilinx_vcu128", 1048576, 16384),  # 4 GB of DDR4 as a clamshell: two chip selects, one rank
        ("radiona_ulx3s", 8192, 8192),  # 32 MB of SDR
    ],
)
def test_a_stock_target_takes_the_one_line(target, frames, pages, caplog, monkeypatch):
    soc = stock_target(target, monkeypatch)
    with caplog.at_level("INFO"):
        monitor = add_monitor(soc)
    assert 2**soc.mrc_tap.frame_bits == frames
    assert frames >= soc.bus.regions["main_ram"].size >> 12  # the VCU128 maps 1 GB
    assert (monitor.pages, monitor.engine_name) == (pages, "bucket_stack")
    assert f"{frames} frames of 4096 bytes, {pages} pages" in caplog.text


def test_two_chip_selects_of_a_clamshell_are_one_rank():
    assert tap_of(16, ranks=1, selects=2).frame_bits == 16
    assert tap_of(16, ranks=2, selects=2).frame_bits == 16


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_capabilities_have_the_ranks_of_the_bus(ranks):
    field = Monitor(tap_of(13, ranks, ranks))._capabilities.fields.ranks
    assert field.reset.value == ranks


def test_more_pages_than_the_budget_allows_are_refused_with_those_that_fit():
    with pytest.raises(ValueError, match=r"8192 pages take 25 block RAMs; 4096 pages would fit into 24"):
        add_monitor(soc_with_sdram(), pages=8192, block_rams=24)
    soc = soc_with_sdram()
    assert add_monitor(soc, pages=8192, block_rams=25).pages == 8192
    with pytest.raises(ValueError, match=r"no monitor fits into 3 block RAMs of 18 Kbit"):
        add_monitor(soc_with_sdram(), block_rams=3)


def test_a_second_monitor_has_a_window_of_its_own():
    soc = soc_with_sdram()
    add_second_sdram(soc)
    add_monitor(soc)
    add_monitor(soc, soc.second_phy, name="second_mrc", sdram=soc.second)
    soc.finalize()
    windows = [soc.bus.regions[f"{name}_window"] for name in ("mrc", "second_mrc")]
    assert windows[1].origin >= windows[0].origin + windows[0].size
    assert soc.csr_regions["mrc"].origin != soc.csr_regions["second_mrc"].origin


# Rocket, Microwatt and NEORV32 as LiteX declares them.
@pytest.mark.parametrize(
    "origin, size", [(0x1200_0000, 0x7000_0000), (0xC000_0000, 0x1000_0000), (0xF000_0000, 0x0FFF_BFFF)]
)
def test_the_window_is_where_the_processor_does_not_cache(origin, size):
    soc = soc_with_sdram()
    soc.bus.io_regions = {"io": SoCIORegion(origin=origin, size=size, cached=False)}
    add_monitor(soc)
    window = soc.bus.regions["mrc_window"]
    assert origin <= window.origin and window.origin + window.size <= origin + size


def test_the_window_leaves_the_place_of_the_registers():
    """LiteX gives the registers their region last: on Rocket they begin where uncached addresses do."""
    soc = soc_with_sdram()
    soc.bus.io_regions = {"io": SoCIORegion(origin=0x1200_0000, size=0x7000_0000, cached=False)}
    soc.mem_map = {**soc.mem_map, "csr": 0x1200_0000}
    add_monitor(soc)
    assert soc.bus.regions["mrc_window"].origin == 0x1201_0000  # behind 64 KiB of registers


def test_a_processor_that_caches_everything_is_refused():
    soc = soc_with_sdram()
    soc.bus.io_regions = {"io": SoCIORegion(origin=0xF000_0000, size=0x1000, cached=False)}
    soc.mem_map = {**soc.mem_map, "csr": 0xF000_0000}
    with pytest.raises(ValueError, match="no room of 4256 bytes that it does not cache"):
        add_monitor(soc)


def test_without_sdram_the_error_says_what_to_call():
    with pytest.raises(ValueError, match=r"no SDRAM; call soc\.add_sdram first"):
        add_monitor(SoCMini(SimPlatform("SIM", []), clk_freq=CLOCK_HZ))


def test_registers_of_8_bits_are_refused():
    with pytest.raises(ValueError, match="registers have 8 bits; give it csr_data_width=32"):
        add_monitor(soc_with_sdram(csr_data_width=8))


@pytest.mark.parametrize(
    "sizes, message",
    [
        ({"groups": 48}, "48 groups"),
        ({"contexts": 3}, "3 contexts"),
        ({"pages": 3000}, "3000 frames"),
        ({"pages": 16384}, "16384 pages are more than the memory's 8192 frames"),
        ({"queue_depth": 500}, r"queue_depth must be a power of two from 2 to 32768 \(got 500\)"),
        ({"queue_depth": 65536}, r"\(got 65536\)"),
        ({"queue_depth": 0}, r"\(got 0\)"),
    ],
)
def test_sizes_that_do_not_fit_are_refused_with_their_values(sizes, message):
    with pytest.raises(ValueError, match=message):
        add_monitor(soc_with_sdram(), **sizes)


def test_the_deepest_queue_fits_its_register():
    monitor = Monitor(tap_of(13), queue_depth=QUEUE_DEPTH_MAX)
    assert 2 ** len(monitor._queue_peak.status) > QUEUE_DEPTH_MAX
