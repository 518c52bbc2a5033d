# SPDX-License-Identifier: BSD-2-Clause
"""Simulation only: a board's SoC with its own top, PHY and pins, against models of what hangs on the pins.

``BoardPlatform`` takes the place of the board's platform, ``BoardClocks`` of its clock generator. All else is
the SoC that is synthesized.
"""

import shutil
from pathlib import Path
from types import SimpleNamespace

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.cores.uart import RS232PHY
from migen import ClockDomain, ClockSignal, Module, Mux, Signal
from migen.fhdl.specials import Tristate
from migen.fhdl.structure import _Slice

HERE = Path(__file__).resolve().parents[2]
BAUD = 115_200
# The chip's pins, and what the model says of its accesses.
_SDRAM = {
    **{"cke": 1, "cs_n": 1, "ras_n": 1, "cas_n": 1, "we_n": 1, "ba": 2, "a": 13, "dm": 2},
    **{"dq_o": 16, "dq_oe": 16, "dq_i": 16, "access": 1, "access_write": 1, "access_address": 32},
}


def _record(name, number, widths):
    return (name, number, *(Subsignal(part, Pins(width)) for part, width in widths))


def board_io():
    """The ports of the simulation's top: clocks, and pins of the board."""
    return [
        *((clock, 0, Pins(1)) for clock in ("sys_clk", "sys_ps_clk", "sdram_clock")),
        _record("sdram", 0, _SDRAM.items()),
        _record("spisdcard", 0, [("clk", 1), ("cs_n", 1), ("mosi", 1), ("miso", 1)]),
    ]


class _SplitTristate:
    """Lowers a tristate of the data lines to three signals: Verilator's top has no lines of two drivers."""

    def __init__(self, pads, lines):
        self.pads, self.lines = pads, lines

    def lower(self, tristate):
        target, module = tristate.target, Module()
        if not (isinstance(target, _Slice) and target.value is self.lines):
            raise NotImplementedError(f"a tristate on another line than dq: {target}")
        at = slice(target.start, target.stop)
        module.comb += [
            self.pads.dq_o[at].eq(tristate.o),
            self.pads.dq_oe[at].eq(tristate.oe),
            tristate.i.eq(Mux(tristate.oe, tristate.o, self.pads.dq_i[at])),
        ]
        return module


class BoardPlatform(SimPlatform):
    """The ULX3S's pins: those of SDRAM and SD card are the simulation's ports, the UARTs' the bench's.

    Parameters
    ----------
    extra_io
        further ports; two ``serial``, the streams of the UARTs' other ends, must be there.
    """

    def __init__(self, extra_io):
        self.uarts = {"serial": _lines(), "gpio": _lines()}
        super().__init__("SIM", [*board_io(), *extra_io])

    def request(self, name, number=None, loose=False):
        if name in self.uarts:
            lines = self.uarts[name]
            return SimpleNamespace(tx=lines.tx, rx=lines.rx, p=lines.tx, n=lines.rx)
        pads = super().request(name, number, loose)
        if name == "sdram":
            self.sdram = pads
            self.lines = Signal(len(pads.dq_i))
            names = ("cke", "cs_n", "ras_n", "cas_n", "we_n", "ba", "a", "dm")
            return SimpleNamespace(dq=self.lines, **{each: getattr(pads, each) for each in names})
        return pads

    def get_verilog(self, *args, special_overrides=None, **kwargs):
        overrides = {Tristate: _SplitTristate(self.sdram, self.lines), **(special_overrides or {})}
        return super().get_verilog(*args, special_overrides=overrides, **kwargs)


def _lines():
    return SimpleNamespace(tx=Signal(), rx=Signal(reset=1))


class BoardClocks(LiteXModule):
    """In place of a PLL: the system's clock, and a quarter of a period later that of the SDRAM."""

    def __init__(self, platform, sys_clk_hz):
        del sys_clk_hz
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_sys_ps = ClockDomain(reset_less=True)

        # # #

        done = Signal()
        self.cd_por = ClockDomain(reset_less=True)
        clock = platform.request("sys_clk")
        self.sync.por += done.eq(1)
        self.comb += [
            self.cd_sys.clk.eq(clock),
            self.cd_por.clk.eq(clock),
            self.cd_sys.rst.eq(~done | self.rst),
            self.cd_sys_ps.clk.eq(platform.request("sys_ps_clk")),
            platform.request("sdram_clock").eq(ClockSignal("sys_ps")),
        ]


def add_serial_ends(soc, platform):
    """Add the other ends of link and console, behind the pins: streams for the simulation's modules."""
    for number, name in enumerate(("gpio", "serial")):
        lines, pads = platform.uarts[name], SimPlatform.request(platform, "serial", number)
        phy = RS232PHY(SimpleNamespace(tx=lines.rx, rx=lines.tx), soc.sys_clk_freq, BAUD)
        soc.add_module(f"bench_uart{number}", phy)
        soc.comb += [
            pads.source_valid.eq(phy.source.valid),
            pads.source_data.eq(phy.source.data),
            phy.source.ready.eq(pads.source_ready),
            phy.sink.valid.eq(pads.sink_valid),
            phy.sink.data.eq(pads.sink_data),
            pads.sink_ready.eq(phy.sink.ready),
        ]


def copy_sdr_model(modules):
    """Put the SDRAM model where the simulation module is compiled."""
    shutil.copytree(
        HERE / "sdr_model", modules / "sdr_model", dirs_exist_ok=True, copy_function=shutil.copyfile
    )
