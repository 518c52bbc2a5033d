# SPDX-License-Identifier: BSD-2-Clause
"""The traffic generator requests the golden model's stream at the configured rate."""

import random
from itertools import islice, pairwise
from pathlib import Path

import litemrc_gateware.refs.traffic_generator as traffic_generator
import pytest
from litedram.common import LiteDRAMNativePort
from litemrc.traces.generators.traffic import Traffic, traffic_stream, xorshift32
from migen import passive, run_simulation

from tests.mutation import mutated_module

ADDRESS_BITS, WORD_BITS = 16, 64
STREAMS = {
    "sequential": Traffic(base=640, words_log2=6, random=False, stride=1, writes=256, seed=7),
    "stride round and round": Traffic(base=0, words_log2=8, random=False, stride=24, writes=0, seed=9),
    "stride backwards": Traffic(base=3, words_log2=5, random=False, stride=2**32 - 1, writes=30, seed=1),
    "random": Traffic(base=4096, words_log2=10, random=True, stride=5, writes=128, seed=0xDEAD_BEEF),
    # The smallest value with which the first access is a write.
    "edge of writes": Traffic(0, 4, random=False, stride=1, writes=(xorshift32(5) >> 24) + 1, seed=5),
    "random everywhere": Traffic(base=0, words_log2=16, random=True, stride=0, writes=200, seed=2),
}


@passive
def serve(port, seen, seed, always=False):
    """Take commands and data in some cycles; record (cycle, address, write) and each (data, byte enables)."""
    dice, clock = random.Random(seed), 0
    commands, data = seen
    while True:
        ready = always or dice.random() < 0.5
        yield port.cmd.ready.eq(ready)
        yield
        clock += 1
        if ready and (yield port.cmd.valid):
            commands.append((clock, (yield port.cmd.addr), (yield port.cmd.we)))
            if commands[-1][2]:
                yield port.wdata.ready.eq(1)
                data.append(((yield port.wdata.data), (yield port.wdata.we)))
                yield port.cmd.ready.eq(0)
                yield
                clock += 1
                yield port.wdata.ready.eq(0)


def set_up(generator, traffic, gap=0, masked=0):
    kind = traffic_generator.Pattern.RANDOM if traffic.random else traffic_generator.Pattern.STRIDE
    yield from generator._base.write(traffic.base)
    yield from generator._range.write(traffic.words_log2)
    yield from generator._stride.write(traffic.stride)
    yield from generator._pattern.write(kind | masked << 1 | traffic.writes << 4 | gap << 16)
    yield from generator._seed.write(traffic.seed)


def run(counts, traffic, generator_module=traffic_generator, always=False, **settings):
    """The port's requests when the generator is started with each count in turn."""
    port = LiteDRAMNativePort("both", ADDRESS_BITS, WORD_BITS)
    generator = generator_module.TrafficGenerator(port)
    seen = [], []

    def control():
        yield from set_up(generator, traffic, **settings)
        for count in counts:
            yield from generator._count.write(count)
            yield
            while (yield generator.busy):
                yield
        for _ in range(3):
            yield

    run_simulation(generator, [control(), serve(port, seen, traffic.seed, always)])
    return seen


def golden(traffic, count):
    return [(address, int(write)) for address, write in islice(traffic_stream(traffic), count)]


def test_the_generator_steps_as_marsaglia_does():
    """x = 1 by hand: 1 ^ 1 << 13 = 0x2001; ^ >> 17 = 0x2001; ^ 0x2001 << 5 = 0x42021."""
    assert xorshift32(1) == 0x42021


@pytest.mark.parametrize("name", STREAMS)
def test_the_stream_is_the_golden_models(name):
    traffic = STREAMS[name]
    commands, _ = run([150], traffic)
    assert [row[1:] for row in commands] == golden(traffic, 150)


def test_a_further_count_goes_on():
    traffic = STREAMS["random"]
    commands, _ = run([10, 1, 40], traffic)
    assert [row[1:] for row in commands] == golden(traffic, 51)


def test_a_gap_is_so_many_clocks():
    commands, _ = run([20], STREAMS["stride round and round"], always=True, gap=7)
    assert {after[0] - before[0] for before, after in pairwise(commands)} == {8}


def test_without_a_gap_there_is_an_access_a_clock():
    commands, _ = run([20], STREAMS["stride round and round"], always=True)
    assert commands[-1][0] - commands[0][0] == 19


def test_writes_number_themselves_and_masked_ones_change_nothing():
    traffic = STREAMS["sequential"]
    _, data = run([30], traffic)
    assert data == [(number << 32 | number, 0xFF) for number in range(30)]
    _, data = run([30], traffic, masked=1)
    assert {enables for _, enables in data} == {0}


MUTANTS = {
    "a shift is another": ("state << 13", "state << 12"),
    "the range is one word short": ("(1 << self._range.storage) - 1", "(1 << self._range.storage) - 2"),
    "the base is left out": ("self._base.storage + word", "word"),
    "one write in 256 is missing": ("drawn[24:] < pattern.writes", "drawn[24:] + 1 < pattern.writes"),
    "the state steps while it waits": ("port.cmd.valid & port.cmd.ready,", "port.cmd.valid,"),
    "a count begins anew": ("If(self._count.re, ", "If(self._count.re, place.eq(0), state.eq(1), "),
    "the gap is a clock short": ("(wait == 0)", "(wait <= 1)"),
    "reads are numbered, too": ("If(port.wdata.ready, ", "If(port.cmd.ready, "),
    "masked writes change bytes": ("Replicate(~pattern.masked,", "Replicate(pattern.masked,"),
    "stride and random are swapped": ("== Pattern.RANDOM", "== Pattern.STRIDE"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_generator_is_caught(mutant):
    module = mutated_module(Path(traffic_generator.__file__), *MUTANTS[mutant])
    differs = False
    for name in ("edge of writes", "sequential", "random", "stride backwards"):
        traffic = STREAMS[name]
        commands, data = run([20, 20], traffic, module)
        writes = sum(write for _, _, write in commands)
        differs |= [row[1:] for row in commands] != golden(traffic, 40)
        differs |= data != [(number << 32 | number, 0xFF) for number in range(writes)]
    commands, _ = run([2], STREAMS["sequential"], module, always=True, gap=7)
    differs |= commands[1][0] - commands[0][0] != 8
    assert differs
