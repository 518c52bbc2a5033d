#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes host/litemrc/checks/selftest_counts.json: the counts that `litemrc selftest` expects of every board.

    make sim firmware && python -m scripts.boards.selftest_counts
    python -m scripts.boards.selftest_counts --check    # exit code 1 if the file differs

It runs the programs on the simulated SoC, whose record has every access to the DRAM; the golden model of each
board's monitor counts them. On boards a line of the L2 is another number of accesses, all of one page, so one
of each line is kept.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from litemrc.checks.counters import replay
from litemrc.checks.selftest import COUNTS, KNOWN, run_known
from litemrc.device.device import Device
from litemrc.device.simulation.recording import OPS, Recording, read_recording
from litemrc.device.simulation.simulator import Simulator
from litemrc.golden.monitor.engines import ENGINES
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.golden.monitor.positions import PositionKind

COLUMNS = ("cycle", "op", "frame", "write", "context", "frozen", "epoch", "epoch_end", "setting")
ROOT = Path(__file__).resolve().parents[2]
MONITORS = (  # engine, frames, groups
    ("bucket_stack", 8192, 64),  # ULX3S, make sim, Renode
    ("bucket_stack", 32768, 64),  # ECP5 Versa, OrangeCrab
    ("bucket_stack", 65536, 32),  # Arty A7-35T
    ("bucket_stack", 65536, 64),  # Arty A7-100T
    ("group_stack", 8192, 64),  # ENGINE=group_stack
    ("group_stack", 131072, 256),  # make sim-ranks
)


BURST = 2  # accesses for a line of 128 bits on the simulated SoC's memory of 64


def lines_of(recording: Recording) -> Recording:
    """Return the events since the last clear, with one access for each line of the L2.

    Raises
    ------
    ValueError
        accesses were dropped, or are no bursts.
    """
    events = slice(np.flatnonzero(recording.op == OPS.index("clear"))[-1], None)
    columns = {name: getattr(recording, name)[events] for name in COLUMNS}
    accesses = np.flatnonzero(columns["op"] == OPS.index("access"))
    bursts = np.stack([columns[name][accesses].reshape(-1, BURST) for name in ("frame", "write")])
    if (bursts != bursts[:, :, :1]).any() or (columns["op"] == OPS.index("dropped")).any():
        raise ValueError(f"not bursts of {BURST} accesses")
    kept = np.delete(np.arange(columns["op"].size), accesses[np.arange(accesses.size) % BURST > 0])
    return replace(recording, **{name: column[kept] for name, column in columns.items()})


def counts_of(record: Path, page_shift: int) -> dict[str, Any]:
    """Return the contents of the file from the record of a run of `run_known`."""
    recording = lines_of(read_recording(record, page_shift))
    lines, misses, monitors = {}, {}, []
    for engine, frames, groups in MONITORS:
        found = replay(recording, MonitorModel(frames, groups, engine=engine))
        hits = {}
        for context, name in enumerate(KNOWN, 1):
            own = found.context == context
            hit, miss = own & (found.kind == PositionKind.HIT), own & (found.kind == PositionKind.MISS)
            per_group = np.bincount(found.group[hit])
            hits[name] = {str(group): int(per_group[group]) for group in np.flatnonzero(per_group)}
            lines[name], misses[name] = int(hit.sum() + miss.sum()), int(miss.sum())
        recent = min(ENGINES[engine].recent_pages, frames // groups)
        key = {"engine": engine, "frames": frames, "groups": groups, "recent_pages": recent}
        monitors.append(key | {"hits": hits})
    return {
        "written_by": "scripts/boards/selftest_counts.py",
        "lines": lines,
        "misses": misses,
        "monitors": monitors,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    args = parser.parse_args()
    build, firmware = ROOT / "build/sim", ROOT / "build/firmware/firmware.bin"
    with tempfile.TemporaryDirectory() as folder:
        with (
            Simulator(build, firmware, Path(folder)) as simulator,
            Device(simulator.wait_ready().url, timeout_s=60) as device,
        ):
            _, wrong = run_known(device)
        if wrong:
            sys.exit(f"selftest_counts.py: {'; '.join(wrong)}")
        text = json.dumps(counts_of(simulator.record, device.hello.page_shift), indent=1) + "\n"
    if args.check:
        return int(text != COUNTS.read_text())
    COUNTS.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
