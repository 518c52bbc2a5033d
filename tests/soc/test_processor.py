# SPDX-License-Identifier: BSD-2-Clause
"""The monitor only listens: with it and without, every workload takes the same clocks."""

import re

import pytest
from litemrc.device.simulation.recording import read_recording

from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc


def measure(soc, monitor):
    """({workload: clocks}, recording) of a boot that runs every workload once."""
    with soc(f"measure=1 monitor={monitor}") as simulator:
        said = simulator.wait_console("measure: done", scaled_timeout(600))
    clocks = {name: int(cycles) for name, cycles in re.findall(r"measure: (\w+) (\d+) cycles", said)}
    return clocks, read_recording(simulator.record, page_shift=12)


def test_no_workload_is_slowed_by_a_single_clock(soc):
    on, recording_on = measure(soc, 1)
    off, recording_off = measure(soc, 0)
    # Both runs are real: one counted all accesses, the other none.
    assert recording_on.tap.exact and recording_on.tap.accesses > 500_000
    assert recording_off.tap.accesses == 0
    assert sorted(on) == ["chase", "loop", "matmul", "memtest", "phases", "zipf"]
    assert min(on.values()) > 1_000_000
    assert on == off
