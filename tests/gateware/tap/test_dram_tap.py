# SPDX-License-Identifier: BSD-2-Clause
"""The tap reports every access of LiteDRAM's ports: SDR and DDR3, one port and two, with refresh."""

import random
from collections import Counter
from pathlib import Path

import litemrc_gateware.tap.dram_address as dram_address
import litemrc_gateware.tap.dram_tap as dram_tap
import pytest
from litedram.common import GeomSettings
from litedram.phy.dfi import Interface
from litex.gen.fhdl.verilog import convert
from migen import Cat, ClockDomain, passive

from tests.gateware.dram_bench import CLK_HZ, DATA_WIDTH, MEMORIES, BarePHY, DRAMBench, drive, driven
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation


@passive
def listen(tap, seen):
    while True:
        yield
        if (yield tap.source.valid):
            seen.append(((yield tap.source.frame), (yield tap.source.write)))


@passive
def count_refreshes(phase, refreshes):
    while True:
        yield
        refreshes.append((yield Cat(phase.cs_n, phase.ras_n, phase.cas_n, ~phase.we_n)) == 0)


def run(memory, ports, tap_class=dram_tap.DRAMTap, accesses=120, ranks=1, bank_row_column=False):
    bench = DRAMBench(memory, ports, ranks, bank_row_column)
    bench.tap = tap = tap_class(
        bench.phy.dfi, bench.geom, bench.column_bytes, bench.page_shift, bench.alignment
    )
    asked = [[] for _ in range(ports)]
    seen, refreshes = [], []
    drivers = [
        drive(port, random.Random(number), accesses, asked[number]) for number, port in enumerate(bench.ports)
    ]
    phase = bench.phy.dfi.p0
    signals = [
        *(signal for port in bench.ports for signal in driven(port)),
        *tap.source.flatten(),
        *(phase.cs_n, phase.ras_n, phase.cas_n, phase.we_n),
    ]
    run_simulation(bench, [*drivers, listen(tap, seen), count_refreshes(phase, refreshes)], signals)
    frames = [[(address >> bench.page_shift, write) for address, write in row] for row in asked]
    return frames, seen, sum(refreshes)


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


@pytest.mark.parametrize("bank_row_column", [False, True])
def test_ranks_are_seen_in_either_mapping(bank_row_column):
    (asked,), seen, refreshes = run("SDR", 1, accesses=60, ranks=2, bank_row_column=bank_row_column)
    assert refreshes >= 1
    assert seen == asked
    frame_bits = max(frame for frame, _ in asked).bit_length()
    assert len({frame >> frame_bits - 2 for frame, _ in asked}) == 4


def test_banks_may_be_contiguous():
    (asked,), seen, _ = run("SDR", ports=1, accesses=60, bank_row_column=True)
    assert seen == asked


MUTANTS = {
    "one row for all banks": ("if ranks > 1 else phase.bank)", "if ranks > 1 else 0)"),
    "a refresh counts": ("selected & phase.ras_n & ~phase.cas_n", "selected & ~phase.cas_n"),
    "reads are writes": ("write.eq(~phase.we_n)", "write.eq(phase.we_n)"),
}
RANK_MUTANTS = {
    "one row for all ranks": (
        "rows.write.adr.eq(Cat(phase.bank[: geom.bankbits], number)",
        "rows.write.adr.eq(Cat(phase.bank[: geom.bankbits], 0)",
    ),
    "the rank is another one's": ("Mux(phase.cs_n[r], 0, r)", "Mux(phase.cs_n[r], r, 0)"),
}
MAPPING_MUTANTS = {
    "rank and bank swapped": ("bank, *ranks, *above", "*ranks, bank, *above"),
    "the alignment is that of a row": (
        "max(geom.colbits + self.column_shift, alignment_log2)",
        "geom.colbits",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_tap_is_caught(mutant):
    tap_class = mutated_module(Path(dram_tap.__file__), *MUTANTS[mutant]).DRAMTap
    (asked,), seen, _ = run("SDR", ports=1, tap_class=tap_class)
    assert seen != asked


@pytest.mark.parametrize("mutant", RANK_MUTANTS)
def test_a_mutant_of_the_ranks_is_caught(mutant):
    tap_class = mutated_module(Path(dram_tap.__file__), *RANK_MUTANTS[mutant]).DRAMTap
    (asked,), seen, _ = run("SDR", ports=1, tap_class=tap_class, accesses=40, ranks=2)
    assert seen != asked


@pytest.mark.parametrize("mutant", MAPPING_MUTANTS)
def test_a_mutant_of_the_mapping_is_caught(mutant, monkeypatch):
    mapping = mutated_module(Path(dram_address.__file__), *MAPPING_MUTANTS[mutant]).AddressMapping
    monkeypatch.setattr(dram_tap, "AddressMapping", mapping)
    (asked,), seen, _ = run("SDR", ports=1, accesses=40, ranks=2)
    assert seen != asked


def test_page_sizes_and_widths_that_do_not_fit_are_refused():
    module_class, rate, _ = MEMORIES["SDR"]
    module = module_class(CLK_HZ, rate)
    pins, geom = BarePHY(module).dfi, module.geom_settings
    with pytest.raises(ValueError, match=r"page_shift must be .*got 40"):
        dram_tap.DRAMTap(pins, geom, DATA_WIDTH // 8, page_shift=40)
    with pytest.raises(ValueError, match="power of 2"):
        dram_tap.DRAMTap(pins, geom, 3)
    with pytest.raises(ValueError, match="more than a bank"):
        dram_tap.DRAMTap(pins, geom, 2, page_shift=12, bank_byte_alignment=2**40)


def test_the_tap_of_11_address_lines_becomes_verilog():
    """A10 is the last line of the smallest SDRAM: there are no column bits above it."""
    geometry = GeomSettings(bankbits=2, rowbits=11, colbits=8)
    pins = Interface(addressbits=11, bankbits=2, nranks=1, databits=32)
    tap = dram_tap.DRAMTap(pins, geometry, column_bytes=4)
    tap.cd_sys = ClockDomain()
    assert "source_payload_frame" in convert(tap, set(pins.flatten())).main_source
