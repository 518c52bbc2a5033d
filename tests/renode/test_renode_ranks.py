# SPDX-License-Identifier: BSD-2-Clause
"""Ranks in Renode, by the unchanged firmware: metered each epoch, asleep by command, awake by accesses."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from litemrc.device.device import Device
from litemrc.device.rank_commands import set_state
from litemrc.device.simulation.recording import OPS, read_recording
from litemrc.ranks.activity import PowerState
from litemrc.ranks.files import read_ranks
from litemrc.ranks.table import RankTable

from tests.renode.renode_machine import MODEL, RANKS_FIRMWARE, RenodeMachine, why_not
from tests.timeouts import scaled_timeout

DOMAINS, SLEEPING, RUNNING = 4, (1, 3), 1  # the program runs in one of those that sleep


@pytest.fixture(scope="module")
def metered(tmp_path_factory: pytest.TempPathFactory) -> tuple[RankTable, Path]:
    if reason := why_not(MODEL, RANKS_FIRMWARE):
        pytest.skip(reason)
    run_dir = tmp_path_factory.mktemp("renode")
    ranks = run_dir / "ranks.parquet"
    with RenodeMachine(run_dir, script="litemrc_ranks.resc", firmware=RANKS_FIRMWARE) as machine:
        machine.wait_said(machine.console, "Switching SDRAM to hardware control")
        with Device(machine.url) as device:
            for domain in SLEEPING:
                set_state(device, domain, "self_refresh")
        subprocess.run(
            [
                *("litemrc", "collect", "--port", machine.url, "--epochs", "5", "--epoch-length", "5000"),
                *("--run", "loop", "--out", run_dir / "epochs.parquet", "--ranks", ranks),
            ],
            check=True,
            timeout=scaled_timeout(120),
        )
    return read_ranks(ranks), machine.record


def column(table: RankTable, name: str) -> np.ndarray:
    """[epoch][domain]"""
    return getattr(table, name).reshape(-1, DOMAINS)


def test_reads_and_writes_of_each_domain_are_those_recorded(metered: tuple) -> None:
    table, record = metered
    recording = read_recording(record, page_shift=12)
    frames_each = (512 << 20 >> 12) // DOMAINS
    for row, epoch in enumerate(np.unique(table.epoch)):
        seen = (recording.epoch == epoch) & (recording.op == OPS.index("access"))
        for name, writes in (("reads", False), ("writes", True)):
            frames = recording.frame[seen & (recording.write == writes)]
            expected = np.bincount(frames // frames_each, minlength=DOMAINS)
            assert column(table, name)[row].tolist() == expected.tolist()
    assert column(table, "reads").sum() > 0


def test_an_access_wakes_a_domain_and_the_others_sleep_on(metered: tuple) -> None:
    table, _ = metered
    assert column(table, "wake_ups").sum(axis=0).tolist() == [0, 1, 0, 0]
    assert column(table, "state")[-1].tolist() == [0, 0, 0, PowerState.SELF_REFRESH]
    asleep = column(table, "self_refresh")
    assert (asleep[:, 3] == column(table, "clocks")[:, 3])[1:].all()
    assert not asleep[:, (0, 2)].any()


def test_the_working_set_lies_where_the_program_runs(metered: tuple) -> None:
    table, _ = metered
    assert column(table, "working")[-1].tolist() == [domain == RUNNING for domain in range(DOMAINS)]
    assert (column(table, "top_pages")[-1] > 0).tolist() == column(table, "working")[-1].tolist()
