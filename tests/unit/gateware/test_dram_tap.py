"""The tap names every access that LiteDRAM's ports asked for: SDR, DDR3, one port, two, with refresh."""

import random
from collections import Counter
from pathlib import Path

import litemrc_gateware.dram_tap as dram_tap
import pytest
from litedram.core import LiteDRAMCore
from litedram.modules import MT41K64M16, MT48LC16M16
from litedram.phy import dfi
from litedram.phy.model import get_sdram_phy_settings
from litex.gen import LiteXModule
from migen import Cat, passive, run_simulation
from mutation import mutated_module

CLK_HZ = 50_000_000
DATA_WIDTH = 16
# module, rate, log2 of the page size: with these, a frame has bits of row, bank and (SDR) column.
MEMORIES = {"SDR": (MT48LC16M16, "1:1", 9), "DDR3": (MT41K64M16, "1:4", 12)}


class BarePHY(LiteXModule):
    """The DFI and settings of a PHY, and nothing behind them: the controller does not look at the data."""

    def __init__(self, module):
        self.settings = settings = get_sdram_phy_settings(module.memtype, DATA_WIDTH, CLK_HZ)
        geom = module.geom_settings
        self.dfi = dfi.Interface(
            geom.addressbits, geom.bankbits, settings.nranks, settings.dfi_databits, settings.nphases
        )


class Bench(LiteXModule):
    """A LiteDRAM core, ports to drive, and a tap."""

    def __init__(self, memory, ports, tap_class):
        module_class, rate, self.page_shift = MEMORIES[memory]
        module = module_class(CLK_HZ, rate)
        self.phy = phy = BarePHY(module)
        self.core = LiteDRAMCore(phy, module.geom_settings, module.timing_settings, CLK_HZ)
        self.ports = [self.core.crossbar.get_port() for _ in range(ports)]
        self.tap = tap_class(phy.dfi, module.geom_settings, DATA_WIDTH // 8, self.page_shift)


def drive(port, page_shift, rng, accesses, asked):
    """Asks for random accesses, near and far, with pauses; appends (frame, write) to `asked`."""
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
        asked.append((address * port.data_width // 8 >> page_shift, write))
        for _ in range(rng.choice([0, 0, 0, 1, 30])):
            yield
    for _ in range(100):
        yield


@passive
def listen(tap, seen):
    while True:
        yield
        if (yield tap.valid):
            seen.append(((yield tap.frame), (yield tap.write)))


@passive
def count_refreshes(phase, refreshes):
    while True:
        yield
        refreshes.append((yield Cat(phase.cs_n, phase.ras_n, phase.cas_n, ~phase.we_n)) == 0)


def run(memory, ports, tap_class=dram_tap.DRAMTap, accesses=120):
    bench = Bench(memory, ports, tap_class)
    asked = [[] for _ in range(ports)]
    seen, refreshes = [], []
    drivers = [
        drive(port, bench.page_shift, random.Random(number), accesses, asked[number])
        for number, port in enumerate(bench.ports)
    ]
    run_simulation(bench, [*drivers, listen(bench.tap, seen), count_refreshes(bench.phy.dfi.p0, refreshes)])
    return asked, seen, sum(refreshes)


@pytest.mark.parametrize("memory", MEMORIES)
def test_one_port_is_seen_access_by_access_across_refreshes(memory):
    (asked,), seen, refreshes = run(memory, ports=1)
    assert refreshes >= 2
    assert len({frame for frame, _ in asked}) > 40
    assert seen == asked


@pytest.mark.parametrize("memory", MEMORIES)
def test_two_ports_lose_and_invent_nothing(memory):
    asked, seen, _ = run(memory, ports=2)
    assert Counter(seen) == Counter(asked[0] + asked[1])


MUTANTS = {
    "one row for all banks": ("rows.write.adr.eq(phase.bank)", "rows.write.adr.eq(0)"),
    "a refresh counts": ("selected & phase.ras_n & ~phase.cas_n", "selected & ~phase.cas_n"),
    "reads are writes": ("write.eq(~phase.we_n)", "write.eq(phase.we_n)"),
    "column and bank swapped": ("*below_column, column, bank,", "*below_column, bank, column,"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_tap_is_caught(mutant):
    tap_class = mutated_module(Path(dram_tap.__file__), *MUTANTS[mutant]).DRAMTap
    (asked,), seen, _ = run("SDR", ports=1, tap_class=tap_class)
    assert seen != asked


def test_page_sizes_and_widths_that_do_not_fit_are_refused():
    module_class, rate, _ = MEMORIES["SDR"]
    module = module_class(CLK_HZ, rate)
    pins, geom = BarePHY(module).dfi, module.geom_settings
    with pytest.raises(ValueError, match="page_shift 40"):
        dram_tap.DRAMTap(pins, geom, DATA_WIDTH // 8, page_shift=40)
    with pytest.raises(ValueError, match="power of 2"):
        dram_tap.DRAMTap(pins, geom, 3)
