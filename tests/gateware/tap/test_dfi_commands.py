# SPDX-License-Identifier: BSD-2-Clause
"""The counts of DRAMTraffic are those of a plain reading of the DFI behind LiteDRAM's controller."""

import random
from pathlib import Path

import litemrc_gateware.tap.dfi_commands as dfi_commands
import pytest
from litemrc_gateware.counters.dram_traffic import (
    BANK_WORDS,
    BANKS_MAX,
    HEAD_WORDS,
    BankWord,
    DRAMTraffic,
    HeadWord,
)
from migen import passive

from tests.gateware.dram_bench import MEMORIES, DRAMBench, command_pins, drive, driven
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

PORTS = 3
COMMANDS = (
    *("access", "write", "access_bank", "activate", "activate_bank", "precharge_all", "refresh"),
    *("accepted", "issued"),
)
WAITS = 40_000  # cycles, more than any answer takes


# ras_n, cas_n, we_n (JESD79)
ENCODING = {
    (0, 1, 1): "activate",
    (1, 0, 1): "read",
    (1, 0, 0): "write",
    (0, 1, 0): "precharge",
    (0, 0, 1): "refresh",
}
PINS = ("ras_n", "cas_n", "we_n", "cs_n", "bank", "address")


class Reading:
    """Counts the commands on a DFI by what they do to the rows of banks.

    It follows the rows themselves, which the unit does not: a conflict is an ACTIVATE of another row than the
    one before, unless all banks were closed in between.
    """

    def __init__(self, ranks, banks_of_rank):
        self.ranks, self.banks_of_rank = ranks, banks_of_rank
        banks = ranks * banks_of_rank
        self.row, self.row_before, self.accessed = [None] * banks, [None] * banks, [False] * banks
        self.level = 0
        self.begin(0)

    def begin(self, level):
        """Count anew."""
        self.counts = [[0] * BANK_WORDS for _ in self.row]
        self.cycles = self.refreshes = 0
        self.peak = level

    def words(self):
        """The window: of banks whose numbers are equal modulo 16, the sum."""
        sums = [[0] * BANK_WORDS for _ in range(min(len(self.row), BANKS_MAX))]
        for bank, counts in enumerate(self.counts):
            for word, count in enumerate(counts):
                sums[bank % BANKS_MAX][word] += count
        head = [self.cycles, 0, self.refreshes, self.peak] + [0] * (HEAD_WORDS - 4)
        return head + [count for counts in sums for count in counts]

    def take(self, pins, counted):
        """A phase of the DFI; the pins are `PINS`."""
        command, address = ENCODING.get(tuple(pins[:3])), pins[5]
        selected = [rank for rank in range(self.ranks) if not pins[3] >> rank & 1]
        for rank in selected if command else ():
            self._execute(command, rank * self.banks_of_rank, pins[4], address, counted)
        self.refreshes += counted and command == "refresh" and bool(selected)

    def _execute(self, command, first, bank, address, counted):
        number, all_banks = first + bank, address >> 10 & 1
        counts = self.counts[number]
        if command == "activate":
            assert self.row[number] is None and self.row_before[number] != address
            counts[BankWord.ACTIVATES] += counted
            counts[BankWord.ROW_CONFLICTS] += counted and self.row_before[number] is not None
            self.row[number] = self.row_before[number] = address
            self.accessed[number] = False
        elif command in ("read", "write"):
            assert self.row[number] is not None
            counts[BankWord.READS if command == "read" else BankWord.WRITES] += counted
            counts[BankWord.ROW_HITS] += counted and self.accessed[number]
            self.accessed[number] = True
            self.row[number] = None if all_banks else self.row[number]
        elif command == "precharge" and all_banks:
            for each in range(first, first + self.banks_of_rank):
                self.row[each] = self.row_before[each] = None
        elif command == "precharge":
            self.row[number] = None
        else:
            assert all(row is None for row in self.row)


def run(memory, ranks=1, accesses=150, commands_class=dfi_commands.DFICommands):
    """Epochs of a controller with three masters; returns the windows of the unit, and those expected."""
    bench = DRAMBench(memory, PORTS, ranks)
    bench.commands = commands = commands_class.of_controller(bench.phy, bench.core)
    sizes = (commands.banks, commands.ranks, commands.accepts)
    bench.traffic = traffic = DRAMTraffic(*sizes, at_once=commands.at_once)
    for name in COMMANDS:
        bench.comb += getattr(traffic, name).eq(getattr(commands, name))
    requests = bench.core.controller.interface
    banks = [getattr(requests, f"bank{number}") for number in range(commands.banks)]
    unselected = 2**ranks - 1
    reading = Reading(ranks, commands.banks // ranks)
    expected, shown, ended = [], [], []

    @passive
    def listen():
        """A command is counted a cycle after it is on the DFI, a request is issued a cycle before."""
        before = []
        while True:
            yield
            counted, ends = (yield traffic.count), (yield traffic.epoch_end)
            for pins in before:
                reading.take(pins, counted)
            before = []
            for phase in bench.phy.dfi.phases:
                pins = []
                for name in PINS:
                    pins.append((yield getattr(phase, name)))
                before.append(pins)
                reading.level -= ENCODING.get(tuple(pins[:3])) in ("read", "write") and pins[3] != unselected
            reading.cycles += counted
            if ends:
                expected.append(reading.words())
                reading.begin(reading.level)
            reading.peak = max(reading.peak, reading.level)
            for bank in banks:
                reading.level += (yield bank.valid) & (yield bank.ready)

    def master(number, port):
        while not (yield traffic.count):
            yield
        yield from drive(port, random.Random(number), accesses, [])
        ended.append(number)

    def wait(signal):
        for _ in range(WAITS):
            yield
            if (yield signal):
                return
        raise AssertionError("no answer")

    def end_and_read():
        yield from wait(traffic.ready)
        yield traffic.epoch_end.eq(1)
        yield
        yield traffic.epoch_end.eq(0)
        words = []
        for word in range(traffic.words):
            yield traffic.adr.eq(word)
            yield traffic.asks.eq(1)
            yield from wait(traffic.answers)
            words.append((yield traffic.dat_r))
            yield traffic.asks.eq(0)
            yield
            yield
        shown.append(words)

    def control():
        yield from wait(traffic.ready)
        yield traffic.count.eq(1)
        while len(ended) < PORTS:
            yield from end_and_read()
        yield from end_and_read()

    signals = [
        *(signal for port in bench.ports for signal in driven(port)),
        *command_pins(bench.phy.dfi),
        *(traffic.ready, traffic.count, traffic.epoch_end, traffic.asks, traffic.adr, traffic.answers),
        *(traffic.dat_r, *(signal for bank in banks for signal in (bank.valid, bank.ready))),
    ]
    masters = [master(number, port) for number, port in enumerate(bench.ports)]
    run_simulation(bench, [control(), *masters, listen()], signals)
    return shown, expected


@pytest.mark.parametrize(("memory", "ranks"), [("SDR", 1), ("DDR3", 1), ("SDR", 2), ("DDR3", 4)])
def test_every_word_is_that_of_the_commands_on_the_dfi(memory, ranks):
    """DDR3 of four ranks has 32 banks, counted as 16."""
    shown, expected = run(memory, ranks)
    assert shown == expected
    assert len(shown) > 1


def totals(windows):
    """The words of all windows together: of the head, and of all banks."""
    head = [sum(words[place] for words in windows) for place in range(HEAD_WORDS)]
    banks = [sum(sum(words[HEAD_WORDS + place :: BANK_WORDS]) for words in windows) for place in BankWord]
    return head, banks


@pytest.mark.parametrize("memory", MEMORIES)
def test_accesses_are_those_of_the_masters(memory):
    """Each master makes 150; rows are found open, opened after a refresh, and opened for another row."""
    shown, _ = run(memory)
    head, banks = totals(shown)
    assert banks[BankWord.READS] + banks[BankWord.WRITES] == PORTS * 150
    assert head[HeadWord.REFRESHES] >= 1
    assert max(words[HeadWord.QUEUE_PEAK] for words in shown) > PORTS
    assert 0 < banks[BankWord.ROW_CONFLICTS] < banks[BankWord.ACTIVATES]
    assert banks[BankWord.ROW_HITS] > 0
    first_accesses = PORTS * 150 - banks[BankWord.ROW_HITS]
    unused = banks[BankWord.ACTIVATES] - first_accesses  # a refresh preceded the access
    assert 0 <= unused <= head[HeadWord.REFRESHES] * len(shown[0]) // BANK_WORDS


MUTANTS = {
    "a refresh is an access": (
        "selected != 0) & phase.ras_n & ~phase.cas_n)",
        "selected != 0) & ~phase.cas_n)",
    ),
    "reads are writes": ('commands["access"] & ~phase.we_n)', 'commands["access"] & phase.we_n)'),
    "a PRECHARGE is an ACTIVATE": ("~phase.ras_n & phase.cas_n & phase.we_n)", "~phase.ras_n & phase.cas_n)"),
    "the PRECHARGE of a bank closes all": ("~phase.we_n & phase.address[10]", "~phase.we_n"),
    "requests are not issued": ("bank.wdata_ready | bank.rdata_valid", "bank.wdata_ready"),
    "one request is accepted at most": (
        "commands.accepted.eq(sum(bank.valid & bank.ready for bank in banks))",
        "commands.accepted.eq(reduce(or_, (bank.valid & bank.ready for bank in banks)))",
    ),
}
RANK_MUTANTS = {
    "the bank lacks its rank": ("phase.bank[: geom.bankbits], rank)", "phase.bank[: geom.bankbits], 0)")
}


def mutated(mutant):
    return mutated_module(Path(dfi_commands.__file__), *mutant).DFICommands


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_caught(mutant):
    shown, expected = run("SDR", commands_class=mutated(MUTANTS[mutant]))
    assert shown != expected


@pytest.mark.parametrize("mutant", RANK_MUTANTS)
def test_a_mutant_of_the_ranks_is_caught(mutant):
    shown, expected = run("SDR", ranks=2, commands_class=mutated(RANK_MUTANTS[mutant]))
    assert shown != expected
