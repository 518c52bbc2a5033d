# SPDX-License-Identifier: BSD-2-Clause
"""The remote window: each load or store is one access of its port, to the word at its address."""

import random
from pathlib import Path

import litemrc_gateware.refs.traffic_generator as remote_window
import pytest
from litedram.common import LiteDRAMNativePort
from migen import passive, run_simulation

from tests.mutation import mutated_module

ORIGIN = 0x9000_0000
ADDRESS_BITS, WORD_BYTES = 10, 8
DRAM_BYTES = WORD_BYTES << ADDRESS_BITS


@passive
def serve(port, memory, commands):
    """A DRAM at the port: takes a command, and some cycles later its data."""
    dice = random.Random(3)
    while True:
        yield port.cmd.ready.eq(dice.random() < 0.4)
        yield
        if not ((yield port.cmd.valid) and (yield port.cmd.ready)):
            continue
        address, write = (yield port.cmd.addr), (yield port.cmd.we)
        commands.append((address, write))
        yield port.cmd.ready.eq(0)
        for _ in range(dice.randrange(1, 4)):
            yield
        place = address * WORD_BYTES
        if write:
            yield port.wdata.ready.eq(1)
            yield
            data, enables = (yield port.wdata.data), (yield port.wdata.we)
            for lane in range(WORD_BYTES):
                if enables >> lane & 1:
                    memory[place + lane] = data >> 8 * lane & 0xFF
            yield port.wdata.ready.eq(0)
        else:
            yield port.rdata.data.eq(int.from_bytes(memory[place : place + WORD_BYTES], "little"))
            yield port.rdata.valid.eq(1)
            yield
            yield port.rdata.valid.eq(0)


def run(module=remote_window, accesses=60):
    """Random loads and stores; returns loaded and expected words, contents and expected contents."""
    port = LiteDRAMNativePort("both", ADDRESS_BITS, 8 * WORD_BYTES)
    window = module.RemoteWindow(port, ORIGIN)
    dice = random.Random(1)
    memory = bytearray(dice.randbytes(DRAM_BYTES))
    expected, commands, loads, asked = bytearray(memory), [], [], []

    def processor():
        for _ in range(accesses):
            offset = dice.randrange(0, DRAM_BYTES, 4)
            write = dice.random() < 0.5
            asked.append((offset // WORD_BYTES, int(write)))
            if write:
                data, sel = dice.randbytes(4), dice.choice((0xF, 0x3, 0x8))
                for lane in range(4):
                    if sel >> lane & 1:
                        expected[offset + lane] = data[lane]
                yield from window.bus.write((ORIGIN + offset) // 4, int.from_bytes(data, "little"), sel)
            else:
                loaded = yield from window.bus.read((ORIGIN + offset) // 4)
                loads.append((loaded, int.from_bytes(expected[offset : offset + 4], "little")))

    run_simulation(window, [processor(), serve(port, memory, commands)])
    return loads, memory == expected, commands == asked


def test_loads_and_stores_are_one_access_each():
    loads, memory_equal, commands_equal = run()
    assert [loaded for loaded, _ in loads] == [expected for _, expected in loads]
    assert memory_equal
    assert commands_equal


MUTANTS = {
    "the window begins elsewhere": ("base_address=origin", "base_address=origin + 64"),
    "narrow words are wide ones": (
        "self.converter = wishbone.Converter(self.bus, wide)",
        "self.comb += self.bus.connect(wide)",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_window_is_caught(mutant):
    loads, memory_equal, commands_equal = run(
        mutated_module(Path(remote_window.__file__), *MUTANTS[mutant]), accesses=20
    )
    assert not (memory_equal and commands_equal and all(loaded == expected for loaded, expected in loads))
