# SPDX-License-Identifier: BSD-2-Clause
"""The port taps report every access of every master once, with any number of ports served at a time."""

import random
from pathlib import Path

import litemrc_gateware.tap.port_taps as port_taps
import pytest
from litedram.common import LiteDRAMNativePort
from litex.gen import LiteXModule
from migen import passive, run_simulation

from tests.gateware.dram_bench import DRAMBench, drive
from tests.mutation import mutated_module

PAGE_SHIFT = 10
MASTERS = 3


@passive
def listen(taps, seen):
    while True:
        yield
        if (yield taps.valid):
            seen.append(((yield taps.master), (yield taps.page), (yield taps.write), (yield taps.context)))


def run_dram(taps_class=port_taps.PortTaps, accesses=40):
    """Three masters on a LiteDRAM core: their requests, and the taps' reports, as (page, write)."""
    bench = DRAMBench("SDR", ports=MASTERS)
    bench.taps = taps = taps_class(bench.ports, PAGE_SHIFT)
    asked, seen = [[] for _ in bench.ports], []
    drivers = [
        drive(port, random.Random(number), accesses, asked[number]) for number, port in enumerate(bench.ports)
    ]
    run_simulation(bench, [*drivers, listen(taps, seen)])
    expected = [[(address >> PAGE_SHIFT, write) for address, write in row] for row in asked]
    told = [[(page, write) for master, page, write, _ in seen if master == each] for each in range(MASTERS)]
    return expected, told


class BarePorts(LiteXModule):
    """Ports of 8-byte words whose commands the test takes, and taps on them."""

    def __init__(self, depth, taps_class=port_taps.PortTaps):
        self.ports = [LiteDRAMNativePort("both", 12, 64) for _ in range(MASTERS)]
        self.taps = taps_class(self.ports, PAGE_SHIFT, depth=depth)


def burst(bench, clocks, taken):
    """Serve all ports at once in 3 of 4 cycles, like banks with empty queues; record the commands taken."""
    for clock in range(clocks):
        yield bench.taps.running.eq(clock % 8)
        for number, port in enumerate(bench.ports):
            yield port.cmd.valid.eq(1)
            yield port.cmd.ready.eq(clock % 4 != 3)
            yield port.cmd.addr.eq(128 * clock)
            yield port.cmd.we.eq((clock + number) % 2)
            if clock % 4 != 3:
                taken.append((number, clock % (1 << 5), (clock + number) % 2, clock % 8))
        yield
    for port in bench.ports:
        yield port.cmd.valid.eq(0)
    for _ in range(MASTERS * clocks):
        yield


def run_burst(clocks, depth, taps_class=port_taps.PortTaps):
    """(taken, seen, lost) of a burst of three masters at once."""
    bench, taken, seen, lost = BarePorts(depth, taps_class), [], [], []

    def count():
        yield from burst(bench, clocks, taken)
        lost.append((yield bench.taps.lost))

    run_simulation(bench, [count(), listen(bench.taps, seen)])
    return taken, seen, lost[0]


def right_order(taken, seen):
    """Each master's accesses come in order; while all masters have accesses they alternate."""
    return all(
        [row for row in seen if row[0] == each] == [row for row in taken if row[0] == each]
        for each in range(MASTERS)
    ) and all({row[0] for row in seen[at : at + 3]} == {0, 1, 2} for at in range(0, 48, 3))


def test_every_master_is_seen_access_by_access():
    """On a LiteDRAM core, which serves several of them in one cycle."""
    asked, told = run_dram()
    assert [len(row) for row in asked] == [40] * MASTERS
    assert told == asked


def test_masters_served_in_one_clock_come_one_after_the_other():
    """18 times 3 accesses in 24 cycles: 30 wait at the end, 10 of each master."""
    taken, seen, lost = run_burst(clocks=24, depth=12)
    assert (len(taken), lost) == (54, 0)
    assert right_order(taken, seen)


def test_what_finds_no_room_is_counted():
    taken, seen, lost = run_burst(clocks=40, depth=4)
    assert lost > 0
    assert len(seen) + lost == len(taken) == 90


MUTANTS = {
    "masters are mixed up": ("self.master.eq(chosen)", "self.master.eq(last)"),
    "one master is always first": ("last.eq(chosen))", "last.eq(0))"),
    "an access is not taken from its FIFO": (
        "fifo.source.ready.eq(chosen == number)",
        "fifo.source.ready.eq(1)",
    ),
    "asked for is taken": ("port.cmd.valid & port.cmd.ready", "port.cmd.valid"),
    "losses of one clock count once": ("max=count + 1", "max=2"),
    "reads are writes": ("fifo.sink.write.eq(port.cmd.we)", "fifo.sink.write.eq(~port.cmd.we)"),
    "the context is that of the end": ("fifo.sink.context.eq(self.running)", "fifo.sink.context.eq(0)"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_taps_is_caught(mutant):
    taps_class = mutated_module(Path(port_taps.__file__), *MUTANTS[mutant]).PortTaps
    taken, seen, lost = run_burst(24, 12, taps_class)
    full_taken, full_seen, full_lost = run_burst(40, 4, taps_class)
    assert lost or not right_order(taken, seen) or len(full_seen) + full_lost != len(full_taken)


def test_pages_smaller_than_a_word_are_refused():
    with pytest.raises(ValueError, match=r"page_shift must be at least .*\(got 2\)"):
        port_taps.PortTaps([LiteDRAMNativePort("both", 12, 64)], page_shift=2)
