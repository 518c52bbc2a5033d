# SPDX-License-Identifier: BSD-2-Clause
"""Unchanged firmware and Linux in Renode, collected over TCP: counters are the golden model's."""

import dataclasses
import subprocess
from pathlib import Path

import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.device.simulation.recording import read_recording
from litemrc.epochs.files import read_epochs

from tests.renode.renode_machine import FIRMWARE, LINUX, MODEL, ULX3S, RenodeMachine, why_not
from tests.timeouts import scaled_timeout

# The last words of a boot, what is run, contexts that must count then, and accesses of an epoch: on Linux
# more than its daemon needs to read one, about 15,000; on the ULX3S, whose DRAM has 2 bytes an access instead
# of 8, four times as many.
SYSTEMS = {
    "litemrc.resc": ("Switching SDRAM to hardware control", ("loop", "chase", "pair"), 3, 10_000),
    "litemrc_linux.resc": ("litemrcd: serves", ("intr", "linear"), 2, 40_000),
    "litemrc_ulx3s.resc": ("litemrcd: serves", ("intr", "linear"), 2, 160_000),
}
NEEDED = {"litemrc.resc": [FIRMWARE], "litemrc_linux.resc": LINUX, "litemrc_ulx3s.resc": ULX3S}
BOOT_S = 180  # the ULX3S's BIOS reads its card in half a minute


@pytest.fixture(scope="module", params=SYSTEMS)
def collected(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RenodeMachine, Path, int, int]:
    if reason := why_not(MODEL, *NEEDED[request.param]):
        pytest.skip(reason)
    booted, programs, contexts, length = SYSTEMS[request.param]
    run_dir = tmp_path_factory.mktemp("renode")
    epochs = run_dir / "epochs.parquet"
    with RenodeMachine(run_dir, script=request.param) as machine:
        machine.wait_said(machine.console, booted, BOOT_S)
        subprocess.run(
            [
                *("litemrc", "collect", "--port", machine.url, "--epochs", "100", "--out", epochs),
                *("--epoch-length", str(length)),
                *(word for program in programs for word in ("--run", program)),
            ],
            check=True,
            timeout=scaled_timeout(240),
        )
    return machine, epochs, contexts, length


def test_counters_of_every_epoch_and_context_are_the_golden_models(collected: tuple) -> None:
    machine, epochs, contexts, _ = collected
    table = read_epochs(epochs)
    recording = read_recording(machine.record, page_shift=12)
    golden = replay(recording, model_of(table))
    # Linux goes on counting when the host has what it wanted.
    last = int(table.epoch.max()) + 1
    golden = dataclasses.replace(golden, epochs=golden.epochs[:last], scale_log2=golden.scale_log2[:last])
    comparison = compare(table, golden, recording.counts()["access"], first_epoch=int(table.epoch.min()))
    assert comparison.first_difference == ""
    assert len({*table.context.tolist()}) >= contexts
    assert table.epoch.size > 10


def test_epochs_have_their_length_and_nothing_is_lost(collected: tuple) -> None:
    machine, epochs, _, length = collected
    table = read_epochs(epochs)
    whole = {int(epoch): 0 for epoch in table.epoch}
    for epoch, accesses in zip(table.epoch.tolist(), table.accesses.tolist(), strict=True):
        whole[epoch] += accesses
    assert length in whole.values()
    assert not table.dropped.any()
    assert table.link_statistics["epoch_messages_lost"] == 0
    counts = read_recording(machine.record, page_shift=12).counts()
    assert counts["invalidate"] > 0 and counts["dropped"] == 0
