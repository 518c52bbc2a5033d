# SPDX-License-Identifier: BSD-2-Clause
"""A history takes care of its files: rests of a kill, full disks, retention, and merging of small files."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from litemrc.cli.main import main
from litemrc.epochs.files import read_epochs
from litemrc.feed.history import history as history_module
from litemrc.feed.history.history import History, Retention, sealed_files
from litemrc.feed.history.index import HistoryIndex
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.history.layout import open_files
from litemrc.feed.history.reading import HistoryReader
from litemrc.feed.history.retention import groups, merge

from tests.host.synthetic_epochs import DAY, EVER, START, epoch, keep, parameters, times_kept
from tests.timeouts import wait_until


def sessions(count: int, epochs: int = 2) -> list[list[float]]:
    return [[START + 10 * each + number for number in range(epochs)] for each in range(count)]


def flat(times: list[list[float]]) -> list[float]:
    return [time for each in times for time in each]


def days(first: int, last: int) -> list[list[float]]:
    """A file of half an hour at each noon and midnight."""
    return [[START + half * DAY / 2, START + half * DAY / 2 + 1800] for half in range(2 * first, 2 * last)]


def test_rests_of_a_kill_while_sealing_are_removed(tmp_path: Path) -> None:
    keep(tmp_path, [[START]])
    (path,) = sealed_files(tmp_path, "board", EPOCHS)
    ours = path.with_name(f".{path.name}.4242.partial")
    others = [path.with_name("notes.partial"), tmp_path / "epochs" / f".{path.name}.1.partial"]
    other_device = tmp_path / "epochs" / "device=other" / "date=2026-01-01" / f".{path.name}.9.partial"
    other_device.parent.mkdir(parents=True)
    for file in (ours, *others, other_device):
        file.write_bytes(b"PAR1")
    History(tmp_path, "board").close()
    assert not ours.exists() and all(file.exists() for file in (*others, other_device))
    assert times_kept(tmp_path) == ([START], [])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_stream_that_a_full_disk_kept_from_sealing_is_tried_again(
    small_disk: Path, restarted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "_AGAIN_S", 0.01)
    said: list[str] = []
    times = [START + number for number in range(20)]
    history = keep(small_disk, [times], close=False, say=said.append)
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(4096))
    later = [START + 100 + number for number in range(3)]
    session = round(later[0] * 1000)
    history(parameters(session))  # the first stream is full, and cannot become Parquet
    wait_until(lambda: any("stays as it is" in text for text in said), 20, "a refused file")
    assert any("No space left" in text and "tried again" in text for text in said), said
    assert not sealed_files(small_disk, "board", EPOCHS)
    assert times_kept(small_disk) == (times, [])
    ballast.unlink()
    if restarted:
        history.close()
        history = History(small_disk, "board", say=said.append)
        history(parameters(session))
    for number, arrived in enumerate(later):
        history(epoch(session, number, arrived))
    wait_until(lambda: len(sealed_files(small_disk, "board", EPOCHS)) == 1, 20, "the file once there is room")
    history.close()
    assert times_kept(small_disk) == (times + later, [])
    assert not open_files(small_disk, "board", EPOCHS) and not list(small_disk.rglob("*.partial"))


def kept_days(folder: Path) -> list[int]:
    return sorted({round((time - START) // DAY) for time in times_kept(folder)[0]})


def test_epochs_older_than_the_newest_by_more_than_is_kept_are_removed(tmp_path: Path) -> None:
    keep(tmp_path, days(0, 12), retention=Retention(seconds=5 * DAY))
    # The newest is of day 11.5; older by more than 5 days is all before day 6.5 (half an hour in each file).
    assert kept_days(tmp_path) == [6, 7, 8, 9, 10, 11]
    assert min(times_kept(tmp_path)[0]) == START + 6.5 * DAY


@pytest.mark.parametrize("step_days", [400, -400])
def test_a_clock_that_steps_removes_a_tenth_at_most(tmp_path: Path, step_days: int) -> None:
    said: list[str] = []
    keep(tmp_path, days(0, 4))
    stepped = [[time + step_days * DAY for time in each] for each in days(4, 5)]
    keep(tmp_path, stepped, retention=Retention(seconds=5 * DAY), say=said.append)
    found = [time for time in times_kept(tmp_path)[0] if START <= time < START + 4 * DAY]
    assert len(found) >= 0.9 * 2 * 8, "of 8 files of 2 epochs"
    if step_days > 0:
        assert any("the clock stepped" in text for text in said), said
    # With time what is old goes, on the clock as it is now.
    keep(tmp_path, [[time + step_days * DAY for time in each] for each in days(5, 12)],
         retention=Retention(seconds=5 * DAY))  # fmt: skip
    assert not [time for time in times_kept(tmp_path)[0] if START <= time < START + 4 * DAY]


def test_the_size_limit_removes_what_was_written_first_whatever_the_clock_said(tmp_path: Path) -> None:
    ahead, now = [[START + 400 * DAY]], [[START], [START + 10]]
    keep(tmp_path, ahead)
    keep(tmp_path, now)
    sizes = [path.stat().st_size for path in sealed_files(tmp_path, "board")]
    keep(tmp_path, [[START + 20]], retention=Retention(bytes=round(sum(sizes) * 1.1)))
    assert times_kept(tmp_path)[0] == [START, START + 10, START + 20]


def test_damaged_files_are_not_removed(tmp_path: Path) -> None:
    keep(tmp_path, [[START], [START + 10]])
    path = min(sealed_files(tmp_path, "board", EPOCHS))
    path.write_bytes(path.read_bytes()[:-1])
    keep(tmp_path, [[START + 20]], retention=Retention(bytes=1))
    assert sealed_files(tmp_path, "board") == [path]


def test_small_files_are_merged_and_no_row_is_lost(tmp_path: Path) -> None:
    times = sessions(20)
    keep(tmp_path, times)
    history = History(tmp_path, "board")
    wait_until(lambda: len(sealed_files(tmp_path, "board", EPOCHS)) == 1, 20, "the merged file")
    assert times_kept(tmp_path) == (flat(times), [])
    assert times_kept(tmp_path, START + 50, START + 61)[0] == [START + 50, START + 51, START + 60, START + 61]
    assert times_kept(tmp_path, START + 50.5, START + 50.6) == ([], [])
    extent = history.index.extent()
    assert (extent.first, extent.last, extent.epochs) == (START, START + 191, 40)
    assert extent.bytes == sum(path.stat().st_size for path in sealed_files(tmp_path, "board"))
    history.close()
    (path,) = sealed_files(tmp_path, "board", EPOCHS)
    assert read_epochs(path).epoch.tolist() == [number for number in range(40) for _ in range(2)]


def scanned(folder: Path) -> HistoryIndex:
    """The index of what is on the disk."""
    index = HistoryIndex(folder, "board")
    index.scan()
    return index


@pytest.mark.parametrize("removed", [0, 1, 10, 20])
def test_a_kill_while_merging_neither_loses_nor_doubles_rows(tmp_path: Path, removed: int) -> None:
    times = sessions(20)
    keep(tmp_path, times)
    (group,) = groups(scanned(tmp_path).snapshot().sealed)
    path, taken = merge(group, lambda: False)
    assert [file.path for file in taken] == sorted(set(sealed_files(tmp_path, "board", EPOCHS)) - {path})
    for file in taken[:removed]:  # and then the process is killed
        file.path.unlink()
    assert times_kept(tmp_path) == (flat(times), [])
    History(tmp_path, "board").close()
    assert sealed_files(tmp_path, "board", EPOCHS) == [path]
    assert times_kept(tmp_path) == (flat(times), [])


def test_a_damaged_merge_gives_way_to_the_files_that_are_still_there(tmp_path: Path) -> None:
    times = sessions(9)
    keep(tmp_path, times)
    (group,) = groups(scanned(tmp_path).snapshot().sealed)
    path, _ = merge(group, lambda: False)
    content = bytearray(path.read_bytes())
    content[300] ^= 1
    path.write_bytes(content)
    said: list[str] = []
    history = History(tmp_path, "board", say=said.append)
    wait_until(lambda: any("files it merged are read" in text for text in said), 20, "a message")
    history.close()
    assert times_kept(tmp_path) == (flat(times), [])


def test_a_reader_keeps_the_files_that_it_reads(tmp_path: Path) -> None:
    times = sessions(20)
    keep(tmp_path, times)
    index = scanned(tmp_path)
    reading = HistoryReader(tmp_path, "board", index).parts(EPOCHS, *EVER)
    found = [next(reading).rows.column("arrived")[0].as_py().timestamp()]
    (group,) = groups(index.snapshot().sealed)
    path, taken = merge(group, lambda: False)
    index.change([], [file.path for file in taken])
    found += [part.rows.column("arrived")[0].as_py().timestamp() for part in reading]
    assert found == [each[0] for each in times]
    assert sealed_files(tmp_path, "board", EPOCHS) == [path]


def test_files_of_another_monitor_or_day_are_not_merged(tmp_path: Path) -> None:
    keep(tmp_path, [[START + DAY * day] for day in range(9)])
    assert not list(groups(scanned(tmp_path).snapshot().sealed))


def test_curve_reads_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(tmp_path, sessions(3))
    keep(tmp_path, [[START + 100]], close=False)
    assert main(["curve", str(tmp_path), "--json", "--context", "0"]) == 0
    of_folder = capsys.readouterr()
    assert '"epochs": [0, 1, 2, 3, 4, 5, 6]' in of_folder.out and not of_folder.err
    path = min(sealed_files(tmp_path, "board", EPOCHS))
    path.write_bytes(path.read_bytes().replace(b"PAR1", b"PAR2"))
    assert main(["curve", str(tmp_path / "epochs" / "device=board"), "--json", "--context", "0"]) == 0
    damaged = capsys.readouterr()
    assert '"epochs": [0, 1, 2, 3, 4]' in damaged.out and path.name in damaged.err
    shutil.copytree(tmp_path / "epochs" / "device=board", tmp_path / "epochs" / "device=other")
    assert main(["curve", str(tmp_path)]) == 2
    assert "device=board" in capsys.readouterr().err
    os.mkdir(tmp_path / "empty")
    assert main(["curve", str(tmp_path / "empty")]) == 2
    assert "without a history" in capsys.readouterr().err
