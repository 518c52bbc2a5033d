# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc hot --rows` on the simulated SoC, against every ACTIVATE that the simulator recorded."""

import json
from collections import Counter

import numpy as np
import pytest
from litemrc.cli.main import main
from litemrc.device.device import Device
from litemrc.device.hot import get_hot
from litemrc.device.simulation.recording import raw_events, read_recording

from tests.timeouts import scaled_timeout

BANKS_LOG2 = 2  # below the row in LiteDRAM's mapping
EPOCHS = 4

pytestmark = pytest.mark.soc


@pytest.fixture(scope="module")
def watched(soc, tmp_path_factory):
    """The lists that the command printed, by epoch; the settings before and after it; the recorder's file."""
    import contextlib
    import io

    with soc() as simulator:
        simulator.wait_ready(scaled_timeout(60))
        with Device.open_booting(simulator.url, boot_timeout_s=scaled_timeout(120)) as device:
            before, page_shift = get_hot(device), device.hello.page_shift
        out = io.StringIO()
        arguments = ["hot", "--port", simulator.url, "--rows", "--window", "4", "--json", "--threshold", "1"]
        with contextlib.redirect_stdout(out):
            assert main([*arguments, "--epochs", str(EPOCHS), "--run", "zipf"]) == 0
        with Device(simulator.url, timeout_s=scaled_timeout(60)) as device:
            after = get_hot(device)
            device.request("monitor", on=False)
    lists = {each["epoch"]: each for each in map(json.loads, out.getvalue().splitlines())}
    return lists, before, after, simulator.record, page_shift


def test_the_largest_counts_are_those_of_the_recorded_activates(watched):
    lists, _, _, record, page_shift = watched
    raw, recording = raw_events(record), read_recording(record, page_shift)
    activates = raw[raw["source"] == b"A"]
    ends = recording.cycle[recording.epoch_end].astype(np.int64)
    cycle = activates["cycle"].astype(np.int64) + recording.tap.clocks
    row = activates["value"].astype(np.int64) << BANKS_LOG2 | activates["context"]
    assert len(lists) >= EPOCHS - 1
    for epoch, found in lists.items():
        # The first epoch restarted when the settings changed: only later ones are from end to end.
        if epoch == min(lists):
            continue
        here = (cycle > ends[epoch - 1]) & (cycle <= ends[epoch])
        counts = Counter(row[here].tolist())
        assert found["activates"] == here.sum() > 0
        assert not found["saturated"]
        largest = max(counts.values())
        assert found["rows"][0][1] == largest
        assert counts[found["rows"][0][0]] == largest
        assert all(count <= counts[row] for row, count in found["rows"])


def test_the_settings_are_as_before(watched):
    _, before, after, *_ = watched
    assert after == before
