# SPDX-License-Identifier: BSD-2-Clause
"""The Verilated simulation of benches equals Migen's simulator, cycle by cycle."""

import random

import migen
import pytest
from litex.gen import LiteXModule
from migen import If, Memory, Signal, passive

from tests import verilated_simulation

CLOCKS = 300


class Accumulator(LiteXModule):
    """A bit of everything: signed arithmetic, a memory that is read where it is written, a reset value."""

    def __init__(self):
        self.add, self.address = Signal(), Signal(3, reset=5)
        self.step, self.sum = Signal((4, True), reset=-3), Signal((7, True))
        self.before, self.wide = Signal(7), Signal(64, reset=1)
        memory = Memory(7, 8)
        self.specials.memory, port = memory, memory.get_port(write_capable=True)
        self.specials.port = port
        self.comb += [port.adr.eq(self.address), port.dat_w.eq(self.sum), self.before.eq(port.dat_r)]
        self.comb += port.we.eq(self.add)
        self.sync += If(self.add, self.sum.eq(self.sum + self.step), self.wide.eq(self.wide * 3))


def trace(simulate):
    """The outputs in each cycle of random steps."""
    dut, dice, seen = Accumulator(), random.Random(1), []
    ports = [dut.add, dut.address, dut.step, dut.sum, dut.before, dut.wide]

    def drive():
        for _ in range(CLOCKS):
            yield dut.add.eq(dice.random() < 0.7)
            yield dut.address.eq(dice.randrange(8))
            yield dut.step.eq(dut.sum[:2] - dice.randrange(4))
            yield

    @passive
    def watch():
        while True:
            row = []
            for port in ports:
                row.append((yield port))
            row.append((yield (dut.sum < 0) | dut.add))
            seen.append(row)
            yield

    simulate(dut, [drive(), watch()], ports)
    return seen


def test_generators_see_what_they_see_in_migens_simulator():
    expected = trace(lambda dut, generators, _: migen.run_simulation(dut, generators))
    assert len(expected) == CLOCKS + 1
    assert min(row[3] for row in expected) < 0 < max(row[3] for row in expected)
    assert trace(verilated_simulation.run_simulation) == expected


def test_what_the_module_drives_cannot_be_written():
    dut = Accumulator()

    def drive():
        yield dut.sum.eq(1)

    with pytest.raises(ValueError, match="the module itself drives"):
        verilated_simulation.run_simulation(dut, [drive()], [dut.sum])
