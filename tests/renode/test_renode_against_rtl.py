# SPDX-License-Identifier: BSD-2-Clause
"""The same firmware in the RTL and in Renode: its accesses reach the DRAM alike, and count alike."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from litemrc.device.simulation.simulator import Simulator
from litemrc.epochs.files import read_epochs

from tests.renode.renode_machine import FIRMWARE, MODEL, REPO, RenodeMachine, why_not
from tests.timeouts import scaled_timeout

BUILD = REPO / "build/sim"
PROGRAMS = ("loop", "chase")


def counters(url: str, out: Path) -> dict[int, tuple[int, int, list[int]]]:
    """By context, over all epochs: accesses, misses, hits of each group."""
    subprocess.run(
        [
            *("litemrc", "collect", "--port", url, "--epochs", "1000", "--epoch-length", "20000"),
            *(word for program in PROGRAMS for word in ("--run", program)),
            *("--out", out),
        ],
        check=True,
        timeout=scaled_timeout(240),
    )
    table = read_epochs(out)
    rows = {context: table.context == context for context in np.unique(table.context).tolist()}
    return {
        context: (
            int(table.accesses[of].sum()),
            int(table.misses[of].sum()),
            table.hits[of].sum(axis=0).tolist(),
        )
        for context, of in rows.items()
    }


def test_programs_count_as_in_the_rtl(tmp_path: Path) -> None:
    if reason := why_not(MODEL, FIRMWARE, BUILD / "gateware/obj_dir/Vsim"):
        pytest.skip(reason)
    with RenodeMachine(tmp_path) as machine:
        machine.wait_said(machine.console, "Switching SDRAM to hardware control")
        found = counters(machine.url, tmp_path / "renode.parquet")
    with Simulator(BUILD, FIRMWARE, tmp_path / "rtl") as simulator:
        expected = counters(simulator.wait_ready().url, tmp_path / "rtl.parquet")
    assert found.keys() == expected.keys() and len(found) == len(PROGRAMS)
    for context, (accesses, misses, hits) in expected.items():
        # A few more may be those of lines that the caches of the RTL held when the program began.
        assert abs(found[context][0] - accesses) <= 8
        assert found[context][1] == misses
        assert sum(abs(a - b) for a, b in zip(found[context][2], hits, strict=True)) <= 16
