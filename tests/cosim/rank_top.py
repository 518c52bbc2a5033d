# SPDX-License-Identifier: BSD-2-Clause
"""A LiteDRAM controller of four ranks or one, with rank power or without, and ports on its crossbar.

python -m tests.cosim.rank_top stock|power|unrepaired RATE RANKS DOMAINS BANK_ROW_COLUMN SPACING OUT.v

unrepaired: rank power that leaves LiteDRAM's tRAS as it is. RATE is one of RATES; BANK_ROW_COLUMN 1 puts a
bank, and a rank, into one range of addresses.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from litedram.common import PhySettings, get_sys_latency, get_sys_phase
from litedram.core import LiteDRAMCore
from litedram.core.controller import ControllerSettings
from litedram.core.refresher import Refresher
from litedram.modules import MT41K64M16
from litedram.phy.dfi import Interface
from litemrc_gateware.ranks.power import RankPower
from litemrc_gateware.ranks.refresher import RankRefresher
from litemrc_gateware.tap.dram_address import complete_bank_row_column
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from migen import Cat

from tests.cosim.rtl_top import BenchTop

PHASES = 4
DATA_BITS = 16  # of the data bus: one chip a rank
PORTS = 3


@dataclass(frozen=True)
class Rate:
    """Clock of the controller, and the memory's latencies in its own cycles (JESD79-3F's bins)."""

    clk_freq: float
    cl: int
    cwl: int


RATES = {"800": Rate(100e6, 6, 5), "1066": Rate(400e6 / 3, 7, 6), "1600": Rate(200e6, 11, 8)}


class StubPHY(LiteXModule):
    """The attributes that LiteDRAM needs of a PHY; the bench is the memory at its DFI."""

    def __init__(self, rate: Rate, ranks: int, module) -> None:
        cl_clocks, cwl_clocks = get_sys_latency(PHASES, rate.cl), get_sys_latency(PHASES, rate.cwl)
        self.settings = PhySettings(
            phytype="Bench",
            memtype="DDR3",
            databits=DATA_BITS,
            dfi_databits=2 * DATA_BITS,
            nphases=PHASES,
            nranks=ranks,
            rdphase=get_sys_phase(PHASES, cl_clocks, rate.cl),
            wrphase=get_sys_phase(PHASES, cwl_clocks, rate.cwl),
            cl=rate.cl,
            cwl=rate.cwl,
            read_latency=cl_clocks + 5,
            write_latency=cwl_clocks,
        )
        geometry = module.geom_settings
        self.dfi = Interface(geometry.addressbits, geometry.bankbits, ranks, 2 * DATA_BITS, PHASES)


class RankTop(BenchTop):
    """Ports -> crossbar -> (gate ->) controller -> (RankDFI ->) DFI of the bench."""

    def __init__(self, kind, rate_name, ranks, domains, bank_row_column, spacing) -> None:
        super().__init__()
        rate = RATES[rate_name]
        module = MT41K64M16(rate.clk_freq, f"1:{PHASES}", speedgrade=rate_name)
        # LiteDRAM rounds tREFI up, and falls behind by 8 refreshes, as many as may be postponed, in 0.1 s.
        module.timing_settings.tREFI = int(64e-3 / 8192 * rate.clk_freq)
        geometry = module.geom_settings
        self.phy = phy = StubPHY(rate, ranks, module)
        bank_bytes = DATA_BITS // 8 << (geometry.rowbits + geometry.colbits)
        settings = ControllerSettings(
            refresh_cls=Refresher if kind == "stock" else RankRefresher,
            refresh_zqcs_freq=1e3,  # often, so that benches see it
            bank_byte_alignment=bank_bytes if bank_row_column else 0,
        )
        self.core = core = LiteDRAMCore(
            phy, geometry, module.timing_settings, rate.clk_freq, controller_settings=settings
        )
        control = core.dfii._control.fields
        self.comb += [
            control.sel.eq(self.add_port("hardware")),
            # What software leaves there while it drives the DFI.
            *(getattr(control, name).eq(1) for name in ("cke", "odt", "reset_n")),
        ]
        if kind != "stock":
            repair = kind == "power"
            self.power = RankPower(core, rate.clk_freq, domains, spacing=spacing, repair_tras=repair)
            self.add_power_ports()
        else:
            complete_bank_row_column(core.crossbar)
        for number in range(PORTS):
            self.add_native_port(number, core.crossbar.get_port())
        self.add_dfi_ports(phy.dfi)

    def add_power_ports(self) -> None:
        """Settings in, states out."""
        power = self.power
        for name in ("kind", "static_state", "mrc_state", "mrc_base", "partial"):
            signal = getattr(power.settings, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        for name in ("threshold_power_down", "threshold_self_refresh"):
            self.comb += getattr(power.settings, name).eq(self.add_port(name, 32))
        for name in ("command", "command_domain", "command_state", "working", "partial_allowed"):
            signal = getattr(power, name)
            self.comb += signal.eq(self.add_port(name, len(signal)))
        for name in ("awake", "waking", "wakes"):
            signal = getattr(power, name)
            self.comb += self.add_port(name, len(signal)).eq(signal)
        self.comb += self.add_port("state", 3 * power.domains).eq(Cat(*power.state))
        owns = self.add_port("parked")
        self.comb += owns.eq(self.core.controller.refresher.parked)

    def add_native_port(self, number, port) -> None:
        """Commands and data of one port of the crossbar."""

        def add(name, width=1):
            return self.add_port(f"port{number}_{name}", width)

        self.comb += [
            port.cmd.valid.eq(add("valid")),
            add("ready").eq(port.cmd.ready),
            port.cmd.we.eq(add("we")),
            port.cmd.addr.eq(add("address", len(port.cmd.addr))),
            port.wdata.valid.eq(1),
            add("wdata_ready").eq(port.wdata.ready),
            port.wdata.data.eq(add("wdata", len(port.wdata.data))),
            port.wdata.we.eq(add("wdata_we", len(port.wdata.we))),
            add("rdata_valid").eq(port.rdata.valid),
            port.rdata.ready.eq(1),
            add("rdata", len(port.rdata.data)).eq(port.rdata.data),
        ]

    def add_dfi_ports(self, dfi) -> None:
        """Ports in the order of ddr3_model's PadDriver: phase 0 in the lowest bits."""
        outputs = ("cs_n", "cke", "odt", "ras_n", "cas_n", "we_n", "reset_n", "bank", "address")
        for name in (*outputs, "wrdata", "wrdata_mask", "wrdata_en", "rddata_en"):
            signals = Cat(*(getattr(phase, name) for phase in dfi.phases))
            self.comb += self.add_port(name, len(signals)).eq(signals)
        data = Cat(*(phase.rddata for phase in dfi.phases))
        self.comb += data.eq(self.add_port("rddata", len(data)))


def defines(kind: str, rate_name: str, ranks: int, domains: int, bank_row_column: int) -> dict[str, int]:
    """Return the bench's parameters of the top; times are in cycles of the controller."""
    rate = RATES[rate_name]
    module = MT41K64M16(rate.clk_freq, f"1:{PHASES}", speedgrade=rate_name)
    return {
        "WITH_POWER": int(kind != "stock"),
        "GRADE": int(rate_name),
        "CLOCK_FS": round(1e15 / (rate.clk_freq * PHASES)),
        "RANKS": ranks,
        "DOMAINS": domains,
        "BANK_ROW_COLUMN": bank_row_column,
        "CL": rate.cl,
        "CWL": rate.cwl,
        "READ_LATENCY": get_sys_latency(PHASES, rate.cl) + 5,
        "WRITE_LATENCY": get_sys_latency(PHASES, rate.cwl),
        "ROW_BITS": module.geom_settings.rowbits,
        "COLUMN_BITS": module.geom_settings.colbits,
    }


def main() -> None:
    """Write the Verilog of one top, and print its parameters as compiler flags."""
    kind, rate_name, *numbers, out = sys.argv[1:]
    ranks, domains, bank_row_column, spacing = map(int, numbers)
    top = RankTop(kind, rate_name, ranks, domains, bank_row_column, spacing)
    Path(out).write_text(str(convert(top, top.ios, name="top")))
    values = defines(kind, rate_name, ranks, domains, bank_row_column)
    print(*(f"-D{name}={value}" for name, value in values.items()))


if __name__ == "__main__":
    main()
