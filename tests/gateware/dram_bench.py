# SPDX-License-Identifier: BSD-2-Clause
"""A LiteDRAM core without a memory, and masters that request accesses."""

from litedram.core import LiteDRAMCore
from litedram.core.controller import ControllerSettings
from litedram.modules import MT41K64M16, MT48LC16M16
from litedram.phy import dfi
from litedram.phy.model import get_sdram_phy_settings
from litemrc_gateware.tap.dram_address import complete_bank_row_column
from litex.gen import LiteXModule

CLK_HZ = 50_000_000
DATA_WIDTH = 16
# module, rate, log2 of the page size: with these, a frame has bits of row, bank and (SDR) column.
MEMORIES = {"SDR": (MT48LC16M16, "1:1", 9), "DDR3": (MT41K64M16, "1:4", 12)}


class BarePHY(LiteXModule):
    """The DFI and settings of a PHY without a memory: the controller does not use the data."""

    def __init__(self, module, ranks=1):
        self.settings = settings = get_sdram_phy_settings(module.memtype, DATA_WIDTH, CLK_HZ)
        settings.nranks = ranks
        geom = module.geom_settings
        self.dfi = dfi.Interface(
            geom.addressbits, geom.bankbits, settings.nranks, settings.dfi_databits, settings.nphases
        )


class DRAMBench(LiteXModule):
    """A LiteDRAM core and ports to drive; `bank_row_column`: banks are contiguous address ranges."""

    def __init__(self, memory, ports=1, ranks=1, bank_row_column=False):
        module_class, rate, self.page_shift = MEMORIES[memory]
        self.module = module = module_class(CLK_HZ, rate)
        self.geom = geom = module.geom_settings
        self.column_bytes = DATA_WIDTH // 8
        self.alignment = self.column_bytes << (geom.rowbits + geom.colbits) if bank_row_column else 0
        self.phy = phy = BarePHY(module, ranks)
        settings = ControllerSettings(bank_byte_alignment=self.alignment)
        self.core = LiteDRAMCore(phy, geom, module.timing_settings, CLK_HZ, controller_settings=settings)
        complete_bank_row_column(self.core.crossbar)
        self.ports = [self.core.crossbar.get_port() for _ in range(ports)]


def driven(port):
    """The signals of a port that `drive` reads or writes."""
    return [port.cmd.valid, port.cmd.ready, port.cmd.addr, port.cmd.we, port.wdata.valid, port.rdata.ready]


def command_pins(pins):
    """The signals of a DFI that carry commands."""
    names = ("ras_n", "cas_n", "we_n", "cs_n", "cke", "bank", "address")
    return [getattr(phase, name) for phase in pins.phases for name in names]


def drive(port, rng, accesses, asked):
    """Request random accesses, near and far, with pauses; append (byte address, write) to `asked`."""
    address = 0
    yield port.wdata.valid.eq(1)
    yield port.rdata.ready.eq(1)
    for _ in range(accesses):
        near = rng.random() < 0.5
        address = (address + 1 if near else rng.getrandbits(30)) % 2 ** len(port.cmd.addr)
        write = rng.getrandbits(1)
        yield port.cmd.addr.eq(address)
        yield port.cmd.we.eq(write)
        yield port.cmd.valid.eq(1)
        yield
        while not (yield port.cmd.ready):
            yield
        yield port.cmd.valid.eq(0)
        asked.append((address * port.data_width // 8, write))
        for _ in range(rng.choice([0, 0, 0, 1, 30])):
            yield
    for _ in range(100):
        yield
