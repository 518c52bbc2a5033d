# SPDX-License-Identifier: BSD-2-Clause
"""The list of the rows with the most ACTIVATEs, of a monitor behind LiteDRAM's controller."""

import random
from collections import Counter
from pathlib import Path

import litemrc_gateware.monitor.monitor as monitor_module
import litemrc_gateware.tap.dfi_commands as dfi_commands
import pytest
from litemrc.golden.monitor.hot_pages import HotPages
from litemrc_gateware.tap.dfi_commands import DFICommands
from litemrc_gateware.tap.dram_tap import DRAMTap
from litex.soc.interconnect import csr_bus
from migen import passive

from tests.gateware.dram_bench import DRAMBench, command_pins, driven
from tests.gateware.monitor_bench import (
    ENABLE,
    END_EPOCH,
    HOLD,
    RELEASE,
    STATUS_EPOCH_READY,
    STATUS_IDLE,
    WINDOW,
)
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

PAGES, GROUPS, CONTEXTS = 8, 4, 2
LIST = WINDOW + CONTEXTS * 2 * GROUPS
HOT_ENABLE, READS, ROWS = 1, 2, 1 << 8
HAMMERED = (5, 9)  # rows of a bank that the master opens in turn
EPOCHS = 3
WAITS = 60_000


class Bench(DRAMBench):
    """The controller, a tap, the commands, and a monitor with a list of hot pages."""

    def __init__(self, memory, ranks, bank_row_column, monitor_class, commands_class):
        super().__init__(memory, 1, ranks, bank_row_column)
        settings = self.core.controller.settings
        self.tap = tap = DRAMTap(
            self.phy.dfi, self.geom, self.column_bytes, 16, settings.bank_byte_alignment, ranks
        )
        self.commands = commands = commands_class.of_controller(self.phy, self.core)
        self.monitor = monitor_class(
            tap, page_shift=16, groups=GROUPS, contexts=CONTEXTS, pages=64, hot_pages=PAGES, commands=commands
        )
        csrs = self.monitor.get_csrs()
        self.bank = csr_bus.CSRBank(csrs, bus=csr_bus.Interface(data_width=32))
        self.address = {csr.name: number for number, csr in enumerate(csrs)}

    def write(self, name, value):
        yield from self.bank.bus.write(self.address[name], value)

    def read(self, name):
        yield self.bank.bus.adr.eq(self.address[name])
        yield
        yield
        return (yield self.bank.bus.dat_r)


def row_of(bench, rank, bank, row):
    """The address of a row in units of its bytes: LiteDRAM puts banks below the row, or above it."""
    geom, ranks_log2 = bench.geom, (bench.phy.settings.nranks - 1).bit_length()
    if bench.alignment:
        return (rank << geom.bankbits | bank) << geom.rowbits | row
    return row << (geom.bankbits + ranks_log2) | rank << geom.bankbits | bank


def run(
    memory="SDR",
    ranks=1,
    bank_row_column=False,
    monitor_class=monitor_module.Monitor,
    commands_class=DFICommands,
):
    """Lists of the unit; those of the golden model and a plain count, from the ACTIVATEs on the DFI."""
    bench = Bench(memory, ranks, bank_row_column, monitor_class, commands_class)
    golden = HotPages(max(bench.commands.rows, 2**bench.tap.frame_bits))
    golden.settings = type(golden.settings)(wanted=PAGES)
    lists, expected, counted = [], [], []
    state = {"on": False, "done": False}
    running = Counter()

    @passive
    def listen():
        before = []
        while True:
            yield
            ends = (yield bench.monitor.observed.epoch_end) & (yield bench.monitor.observed.valid)
            for row in before if state["on"] else ():
                golden.access(row)
                running[row] += 1
            before = []
            for phase in bench.phy.dfi.phases:
                pins = []
                for name in ("ras_n", "cas_n", "we_n", "cs_n", "bank", "address"):
                    pins.append((yield getattr(phase, name)))
                if tuple(pins[:3]) == (0, 1, 1) and pins[3] != 2**ranks - 1:
                    (rank,) = [each for each in range(ranks) if not pins[3] >> each & 1]
                    before.append(row_of(bench, rank, *pins[4:]))
            if ends and state["on"]:
                epoch = golden.end_epoch()
                expected.append((epoch.accesses, epoch.pages))
                counted.append(dict(running))
                running.clear()

    def master():
        port, rng = bench.ports[0], random.Random(7)
        columns_log2 = bench.geom.colbits - (1 if memory == "SDR" else 3)
        yield port.wdata.valid.eq(1)
        yield port.rdata.ready.eq(1)
        while not state["done"]:
            if not state["on"]:
                yield
                continue
            # Two rows of one bank in turn, and any other now and then.
            far = rng.random() < 0.2
            address = rng.getrandbits(20) if far else rng.choice(HAMMERED) << (columns_log2 + 2)
            yield port.cmd.addr.eq(address % 2 ** len(port.cmd.addr))
            yield port.cmd.we.eq(rng.getrandbits(1))
            yield port.cmd.valid.eq(1)
            yield
            while not (yield port.cmd.ready):
                yield
            yield port.cmd.valid.eq(0)
            for _ in range(rng.choice([0, 0, 3])):
                yield

    def wait(name, bit):
        for _ in range(WAITS):
            if (yield from bench.read(name)) & bit:
                return
        raise AssertionError(f"{name} is never {bit}")

    def processor():
        yield from wait("status", STATUS_IDLE)
        yield from bench.write("hot_upper", bench.commands.rows - 1)
        yield from bench.write("hot_control", HOT_ENABLE | READS | ROWS)
        yield from bench.write("control", ENABLE | HOLD)
        for _ in range(4):
            yield
        state["on"] = True
        for _ in range(EPOCHS):
            for _ in range(1500):
                yield
            yield from bench.write("command", END_EPOCH)
            yield from wait("status", STATUS_EPOCH_READY)
            status = yield from bench.read("hot_status")
            accesses = yield from bench.read("hot_accesses")
            rows = []
            for word in range(2 * (status & 0xFFFF)):
                rows.append((yield from bench.monitor.window.bus.read(LIST + word)))
            lists.append((accesses, list(zip(rows[::2], rows[1::2], strict=True))))
            yield from bench.write("command", RELEASE)
        state["done"] = True

    signals = [
        *driven(bench.ports[0]),
        *command_pins(bench.phy.dfi),
        *bench.bank.bus.flatten(),
        *bench.monitor.window.bus.flatten(),
        *bench.monitor.observed.flatten(),
    ]
    run_simulation(bench, [processor(), master(), listen()], signals)
    return lists, expected, counted


BUILDS = [("SDR", 1, False), ("SDR", 2, True), ("SDR", 2, False), ("DDR3", 1, False)]


@pytest.mark.parametrize(("memory", "ranks", "bank_row_column"), BUILDS)
def test_the_list_is_that_of_the_golden_model(memory, ranks, bank_row_column):
    lists, expected, _ = run(memory, ranks, bank_row_column)
    assert lists == expected
    assert len(lists) == EPOCHS


def test_the_largest_count_is_that_of_every_activate():
    """Each epoch's first row of the list is the one with the most ACTIVATEs on the DFI, and their number."""
    lists, _, counted = run()
    for (accesses, rows), counts in zip(lists, counted, strict=True):
        assert accesses == sum(counts.values()) > 100
        assert rows[0][1] == max(counts.values()) > 20
        assert counts[rows[0][0]] == rows[0][1]
        assert {row for row, _ in rows[:2]} == {row for row, _ in Counter(counts).most_common(2)}


MONITOR_MUTANTS = {
    "accesses are counted": (
        "rows.sink.access.eq(commands.activate &",
        "rows.sink.access.eq(commands.access &",
    ),
    "all rows are row 0": ("rows.sink.row.eq(commands.activate_row)", "rows.sink.row.eq(0)"),
}
ROW_MUTANTS = {
    "the row is half of one": ("row[self.row_bytes_log2 :]", "row[self.row_bytes_log2 - 1 :]"),
    "all rows are those of bank 0": (
        "mapping.address(rank, phase.bank[: geom.bankbits],",
        "mapping.address(rank, Signal(geom.bankbits),",
    ),
}


@pytest.mark.parametrize("mutant", MONITOR_MUTANTS)
def test_a_mutant_of_the_monitor_is_caught(mutant):
    mutated = mutated_module(Path(monitor_module.__file__), *MONITOR_MUTANTS[mutant])
    lists, expected, _ = run(monitor_class=mutated.Monitor)
    assert lists != expected


@pytest.mark.parametrize("mutant", ROW_MUTANTS)
def test_a_mutant_of_the_rows_is_caught(mutant):
    mutated = mutated_module(Path(dfi_commands.__file__), *ROW_MUTANTS[mutant])
    lists, expected, _ = run(commands_class=mutated.DFICommands)
    assert lists != expected
