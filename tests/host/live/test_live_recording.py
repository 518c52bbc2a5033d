# SPDX-License-Identifier: BSD-2-Clause
"""A recording has what arrived: as the device's formulas say, and as litemrc collect has it."""

import asyncio
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from litemrc.epochs.columns import COLUMNS
from litemrc.epochs.files import read_epochs
from litemrc.epochs.processes import Process
from litemrc.epochs.table import EpochTable
from litemrc.epochs.traffic_files import read_traffic
from litemrc.errors import OutputError
from litemrc.feed.recent import Recent
from litemrc.feed.records import FeedLost
from litemrc.live import session_files
from litemrc.live.recorder import Recorder
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import read_hot_lists
from litemrc.ranks.files import read_ranks
from litemrc.ranks.table import COLUMNS as RANK_COLUMNS

from tests.host.live.live_epochs import PARAMETERS, feed_epochs
from tests.host.live.live_sessions import connected, said, shown, until
from tests.host.paced_device import PacedDevice, bank_of, hits_of, misses_of, paced
from tests.timeouts import scaled_timeout, wait_until

EPOCHS = 12


def equal(one: EpochTable, other: EpochTable) -> None:
    """Compare two tables, but not what differs between links."""
    for field in fields(EpochTable):
        if field.name in COLUMNS:
            assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name
        elif field.name != "link_statistics":
            assert getattr(one, field.name) == getattr(other, field.name), field.name


def collect(device: PacedDevice, folder: Path, count: int) -> Path:
    """Have `litemrc collect` write the epochs of a device from about the first one on into a folder."""
    folder.mkdir()
    device.rate, device.epochs = 0, 0
    device.requests.clear()
    command = [sys.executable, "-m", "litemrc.cli.main", "collect", "--quiet", "--port", device.url]
    command += ["--epochs", str(count), "--out", "epochs.parquet"]
    command += [
        word for name in ("ranks", "pages", "hot", "traffic") for word in (f"--{name}", f"{name}.parquet")
    ]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        wait_until(lambda: "monitor" in device.requests, 30, "the collection")
        device.rate = 20
        assert process.wait(scaled_timeout(60)) == 0
    return folder


def test_r_records_what_collect_would_have(tmp_path: Path) -> None:
    async def session() -> None:
        with connected(device, tmp_path / "live") as connection:
            async with shown(connection) as (app, pilot):
                await pilot.press("r")
                await until(lambda: connection.recorder.on, "the recording")
                device.rate = 20
                await until(lambda: connection.recorder.epochs >= EPOCHS, "the epochs")
                await pilot.press("r")
                await until(said(app, " epochs, 0 lost, in "), "the end")

    with paced(system="", hot_on=True, banks=4) as device:
        asyncio.run(session())
        (recorded,) = (tmp_path / "live").glob("live-*")
        collected = collect(device, tmp_path / "collected", EPOCHS)

    table = read_epochs(recorded / "epochs.parquet")
    count = np.unique(table.epoch).size
    assert count >= EPOCHS and table.epoch.tolist() == [number for number in range(count) for _ in range(8)]
    for row, (epoch, context) in enumerate(zip(table.epoch.tolist(), table.context.tolist(), strict=True)):
        assert table.hits[row].tolist() == hits_of(epoch, context)
        assert table.misses[row] == misses_of(epoch, context)
    assert table.link_statistics["epoch_messages"] == count
    assert table.link_statistics["epoch_messages_lost"] == table.link_statistics["lost"] == 0

    # Epochs that ended before the collection listened are not in it.
    by_collect = read_epochs(collected / "epochs.parquet")
    first, stop = int(by_collect.epoch[0]), min(count, int(by_collect.epoch[-1]) + 1)
    assert stop - first >= EPOCHS - 4
    equal(table.between(first, stop), by_collect.between(first, stop))
    ranks = [read_ranks(folder / "ranks.parquet").between(first, stop) for folder in (recorded, collected)]
    for name in RANK_COLUMNS:
        assert np.array_equal(*(getattr(each, name) for each in ranks)), name
    pages = [read_page_bitmaps(f / "pages.parquet").between(first, stop) for f in (recorded, collected)]
    for name in ("epoch", "accesses", "accessed", "written"):
        assert np.array_equal(*(getattr(each, name) for each in pages)), name
    hot = [read_hot_lists(folder / "hot.parquet") for folder in (recorded, collected)]
    rows = [[row for row in each.rows if first <= row.epoch < stop] for each in hot]
    assert rows[0] == rows[1] and hot[0].settings == hot[1].settings and pages[0].shown == pages[1].shown
    for folder in (recorded, collected):
        traffic = read_traffic(folder / "traffic.parquet")
        assert set(range(first, stop)) <= set(traffic.epochs) and traffic.clock_hz == 1_000_000
        for number, each in zip(traffic.epochs, traffic.traffic, strict=True):
            assert each.reads.tolist() == [bank_of(number, bank)["reads"] for bank in range(4)]


def recording(tmp_path: Path) -> tuple[Recorder, Recent, list[tuple[str, bool]]]:
    """A recorder without a program, after the first epoch of a session."""
    reports: list[tuple[str, bool]] = []
    recent = Recent()
    recorder = Recorder(tmp_path, recent, "socket://x", lambda text, wrong: reports.append((text, wrong)))
    return recorder, recent, reports


def give(recorder: Recorder, recent: Recent, *events: object) -> None:
    for event in events:
        recent(event)
        recorder(event)


def test_long_recordings_are_written_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_files, "_PIECE_EPOCHS", 4)
    recorder, recent, _ = recording(tmp_path)
    give(recorder, recent, PARAMETERS)
    recorder.start()
    give(recorder, recent, *feed_epochs(11))
    recorder.stop()
    table = read_epochs(recorder.folders[0] / "epochs.parquet")
    assert table.epoch.tolist() == [number for number in range(11) for _ in range(8)]
    assert table.hits[-1].tolist() == hits_of(10, 7)
    assert read_ranks(recorder.folders[0] / "ranks.parquet").epochs.tolist() == list(range(11))


def test_lost_epochs_and_messages_are_counted_from_the_start_of_the_recording(tmp_path: Path) -> None:
    recorder, recent, _ = recording(tmp_path)
    epochs = feed_epochs(6)
    counts = [replace(epoch.link, lost=3 + (epoch.number > 2)) for epoch in epochs]
    epochs = [
        replace(e, lost=5 + 2 * (e.number > 2), link=link) for e, link in zip(epochs, counts, strict=True)
    ]
    give(recorder, recent, PARAMETERS, epochs[0])
    recorder.start()
    give(recorder, recent, epochs[1], epochs[3], epochs[5])
    assert recorder.stop().startswith("recorded 3 epochs, 2 lost, in ")
    link = read_epochs(recorder.folders[0] / "epochs.parquet").link_statistics
    assert (link["epoch_messages"], link["epoch_messages_lost"], link["lost"]) == (3, 2, 1)
    assert link["frames"] == 22 * 5


def test_a_lost_link_saves_the_session_and_the_next_one_has_its_own_folder(tmp_path: Path) -> None:
    recorder, recent, reports = recording(tmp_path)
    give(recorder, recent, PARAMETERS)
    recorder.start()
    give(recorder, recent, *feed_epochs(3), FeedLost(1.0, "gone"))
    assert any("recorded 3 epochs, 0 lost" in text and wrong for text, wrong in reports)
    give(
        recorder, recent, replace(PARAMETERS, session=2), *feed_epochs(2)
    )  # numbers begin anew: it was reset
    assert recorder.stop().startswith("recorded 5 epochs")
    first, second = (read_epochs(folder / "epochs.parquet") for folder in recorder.folders)
    assert (first.interrupted, second.interrupted) == (True, False)
    assert (first.epoch.tolist()[-1], second.epoch.tolist()[-1]) == (2, 1)


def test_without_an_epoch_nothing_is_left(tmp_path: Path) -> None:
    recorder, recent, _ = recording(tmp_path)
    give(recorder, recent, PARAMETERS)
    recorder.start()
    assert recorder.stop() == "nothing was recorded"
    assert not list(tmp_path.iterdir())


def test_a_write_that_fails_ends_the_recording_and_not_the_feed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OutputError("cannot write: no space left", where="x", remedy="check that the folder has room")

    recorder, recent, reports = recording(tmp_path)
    give(recorder, recent, PARAMETERS)
    recorder.start()
    give(recorder, recent, *feed_epochs(3))
    monkeypatch.setattr(session_files.SessionFiles, "append", full)
    give(recorder, recent, *feed_epochs(2, first=3))
    assert not recorder.on
    assert [wrong for text, wrong in reports if "no space left" in text] == [True]
    saved = read_epochs(recorder.folders[0] / "epochs.parquet")
    assert saved.interrupted and saved.epoch[-1] == 2


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    recorder, recent, _ = recording(tmp_path / "file")
    give(recorder, recent, PARAMETERS)
    with pytest.raises(OutputError, match="cannot make a folder"):
        recorder.start()
    assert not recorder.on


def test_processes_have_the_epochs_that_were_recorded(tmp_path: Path) -> None:
    """Sort was followed before the recording began and ended in epoch 3; gzip was freed after epoch 4."""

    def followed(number: int) -> dict[int, Process]:
        sort = Process(1, 57, "sort", 0, number, None if number < 3 else 3)
        return {1: sort} | ({2: Process(2, 58, "gzip", 2, number)} if 2 <= number < 5 else {})

    recorder, recent, _ = recording(tmp_path)
    epochs = [replace(epoch, followed=followed(epoch.number)) for epoch in feed_epochs(7)]
    give(recorder, recent, PARAMETERS, epochs[0])
    recorder.start()
    give(recorder, recent, *epochs[1:])
    recorder.stop()
    table = read_epochs(recorder.folders[0] / "epochs.parquet")
    assert table.processes == (Process(1, 57, "sort", 1, 6, 3), Process(2, 58, "gzip", 2, 4, 4))
    assert table.context_names[0] == "kernel" and 1 not in table.context_names
