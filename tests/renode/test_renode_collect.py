"""The unchanged firmware in Renode, collected over TCP: counters are the golden model's over the record."""

import subprocess
from pathlib import Path

import pytest
from litemrc.device.recording import read_recording
from litemrc.epochs import read_epochs
from litemrc.golden_check import compare, model_of
from litemrc.golden_replay import replay
from renode_machine import FIRMWARE, MODEL, RenodeMachine, why_not

pytestmark = pytest.mark.skipif(bool(why_not(MODEL, FIRMWARE)), reason=str(why_not(MODEL, FIRMWARE)))

EPOCH_ACCESSES = 10_000


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> tuple[RenodeMachine, Path]:
    run_dir = tmp_path_factory.mktemp("renode")
    epochs = run_dir / "epochs.parquet"
    with RenodeMachine(run_dir) as machine:
        subprocess.run(
            [
                *("litemrc", "collect", "--port", machine.url, "--epochs", "100", "--out", epochs),
                *("--epoch-length", str(EPOCH_ACCESSES), "--run", "loop", "--run", "chase", "--run", "pair"),
            ],
            check=True,
            timeout=240,
        )
    return machine, epochs


def test_counters_of_every_epoch_and_context_are_the_golden_models(collected: tuple) -> None:
    machine, epochs = collected
    table = read_epochs(epochs)
    recording = read_recording(machine.record, page_shift=12)
    golden = replay(recording, model_of(table))
    comparison = compare(table, golden, recording.counts()["access"], first_epoch=int(table.epoch.min()))
    assert comparison.first_difference == ""
    assert len({*table.context.tolist()}) >= 3  # those of the programs
    assert table.epoch.size > 10


def test_epochs_have_their_length_and_nothing_is_lost(collected: tuple) -> None:
    machine, epochs = collected
    table = read_epochs(epochs)
    whole = {int(epoch): 0 for epoch in table.epoch}
    for epoch, accesses in zip(table.epoch.tolist(), table.accesses.tolist(), strict=True):
        whole[epoch] += accesses
    assert EPOCH_ACCESSES in whole.values()
    assert not table.dropped.any()
    assert table.link_statistics["epoch_messages_lost"] == 0
    counts = read_recording(machine.record, page_shift=12).counts()
    assert counts["invalidate"] > 0 and counts["dropped"] == 0
