# SPDX-License-Identifier: BSD-2-Clause
"""Compares the tap with the arrays of the memory models behind a target's controller, cycle by cycle.

python -m scripts.targets.tap_check '<JSON of a DRAM>'      the result as JSON
"""

import json
import random
import sys
from dataclasses import dataclass, field
from typing import Any

from migen import passive

from scripts.targets.dram import DRAM
from scripts.targets.masters import marker, master_words, requests
from scripts.targets.model_phy import SPARSE_MEMORY, ArrayPorts
from scripts.targets.tap_bench import PAGE_BYTES, TapBench
from tests.verilated_simulation import run_simulation

ACCESSES = 3600  # of all masters
LEAST_REFRESHES = 3
LEAST_FRAMES = 100
_SHOWN = 3

Accesses = dict[int, tuple[int, int]]  # (frame, write) by the cycle of the command


@dataclass
class Seen:
    """What a run saw.

    Attributes
    ----------
    arrays
        accesses to the arrays.
    taps
        accesses by tap.
    refreshes
        REFRESH commands.
    faults
        sentences on what should not have happened.
    """

    taps: dict[str, Accesses]
    arrays: Accesses = field(default_factory=dict)
    refreshes: int = 0
    faults: list[str] = field(default_factory=list)


def unmodelled(dram: DRAM) -> str:
    """Return why no model can stand for this memory; empty if one can."""
    if dram.phy["memtype"] not in ("SDR", "DDR", "LPDDR", "DDR2", "DDR3", "DDR4", "LPDDR4"):
        return f"LiteDRAM has no model of {dram.phy['memtype']} at the DFI"
    return ""


def simulate(dram: DRAM, accesses: int = ACCESSES) -> Seen:
    """Run masters on a target's controller and return the accesses to the arrays and those of the taps."""
    bench = TapBench(dram)
    arrays, dfi = bench.phy.arrays, bench.phy.dfi
    seen = Seen({name: {} for name in bench.taps})
    phase = dfi.phases[0]
    command = (phase.cs_n, phase.ras_n, phase.cas_n, phase.we_n)
    taps = [tap.source for tap in bench.taps.values()]
    signals = [
        *(signal for master in bench.masters for signal in master.signals),
        *(arrays.reads, arrays.writes, arrays.read_index, arrays.write_index, arrays.data),
        *(signal for source in taps for signal in (source.valid, source.frame, source.write)),
        *command,
        *bench.phy.phases.values(),
    ]
    each = accesses // len(bench.masters)
    drivers = [
        requests(master, dram, number, each, seen.faults) for number, master in enumerate(bench.masters)
    ]
    watchers = [_watch_arrays(arrays, seen), _watch_taps(taps, seen), _count_refreshes(command, seen)]
    run_simulation(
        bench, [*drivers, *watchers, _move_phases(bench.phy.phases), _settle()], signals, SPARSE_MEMORY
    )
    return seen


def _settle():
    """Keep the simulation running until the accesses of the last cycles are seen."""
    for _ in range(64):
        yield


@passive
def _watch_arrays(arrays: ArrayPorts, seen: Seen):
    dram, cycle = arrays.dram, 0
    latency = dram.phy["write_latency"]
    while True:
        for write, lines, index, delay in (
            (0, arrays.reads, arrays.read_index, arrays.delay),
            (1, arrays.writes, arrays.write_index, latency),
        ):
            if banks := (yield lines):
                address = arrays.address(banks.bit_length() - 1, (yield index))
                if banks & banks - 1 or cycle - delay in seen.arrays:
                    seen.faults.append(f"two accesses in cycle {cycle - delay}")
                seen.arrays[cycle - delay] = (address // PAGE_BYTES, write)
                if write:
                    word, data = address // dram.word_bytes, (yield arrays.data)
                    if data != marker(word, len(arrays.data)):
                        seen.faults.append(
                            f"word {word:#x} was written with the data of another one: {data:#x}"
                        )
        yield
        cycle += 1


@passive
def _watch_taps(sources: list, seen: Seen):
    cycle = 0
    lists = list(zip(sources, seen.taps.values(), strict=True))
    while True:
        for source, accesses in lists:
            if (yield source.valid):
                accesses[cycle - 1] = ((yield source.frame), (yield source.write))
        yield
        cycle += 1


@passive
def _count_refreshes(command: tuple, seen: Seen):
    select, row, column, write = command
    while True:
        if not (yield column) and not (yield row) and (yield write) and not (yield select):
            seen.refreshes += 1
        yield


@passive
def _move_phases(phases: dict):
    """As the BIOS does while it trains a PHY: any phase at any time."""
    dice = random.Random("phases")
    while True:
        for _ in range(60):
            yield
        for phase in phases.values():
            yield phase.eq(dice.getrandbits(len(phase)))


def check(dram: DRAM, accesses: int = ACCESSES) -> dict[str, Any]:
    """Return `tap_equal`, `tap_note` (what was compared, or why it fails) and `tap_accesses`.

    `tap_equal` is None if there is no model. It is true if the tap reports exactly the accesses to the
    arrays, each in the cycle after its command, the data of masters are where they belong, and each
    mutant of the tap differs.
    """
    if reason := unmodelled(dram):
        return {"tap_equal": None, "tap_note": reason, "tap_accesses": 0}
    seen = simulate(dram, accesses)
    faults = seen.faults[:_SHOWN] + _differences(seen.arrays, seen.taps.pop("tap"))
    faults += [f"mutant not caught: {name}" for name, found in seen.taps.items() if found == seen.arrays]
    frames = len({frame for frame, _ in seen.arrays.values()})
    if seen.refreshes < LEAST_REFRESHES or frames < LEAST_FRAMES:
        faults.append(f"too little happened: {seen.refreshes} refreshes, {frames} frames")
    writes = sum(write for _, write in seen.arrays.values())
    note = (
        f"{len(seen.arrays)} accesses ({writes} writes) to {frames} frames, "
        f"masters: {len(master_words(dram))}, refreshes: {seen.refreshes}, mutants caught: {len(seen.taps)}"
    )
    return {
        "tap_equal": not faults,
        "tap_note": "; ".join(faults) or note,
        "tap_accesses": len(seen.arrays),
    }


def _differences(arrays: Accesses, tap: Accesses) -> list[str]:
    cycles = sorted(cycle for cycle in arrays.keys() | tap.keys() if arrays.get(cycle) != tap.get(cycle))
    return [
        f"command in cycle {cycle}: arrays {arrays.get(cycle)}, tap {tap.get(cycle)}"
        for cycle in cycles[:_SHOWN]
    ]


if __name__ == "__main__":
    print(json.dumps(check(DRAM(**json.loads(sys.argv[1])))))
