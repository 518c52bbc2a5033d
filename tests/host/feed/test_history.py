# SPDX-License-Identifier: BSD-2-Clause
"""A history keeps every epoch in files that all commands read, whatever ends its process."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from litemrc.epochs.files import read_epochs
from litemrc.epochs.traffic_files import read_traffic
from litemrc.errors import UserError
from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.history.history import History, Retention, sealed_files
from litemrc.feed.history.kinds import EPOCHS, HOT, KINDS, PAGES, RANKS, TRAFFIC
from litemrc.feed.history.reading import HistoryReader
from litemrc.feed.history.stream import OpenStream, read_stream
from litemrc.feed.records import FeedEpoch
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import read_hot_lists
from litemrc.ranks.files import read_ranks
from litemrc.ranks.table import NO_RANKS

from tests.host.epoch_rows import changed
from tests.host.paced_device import CLOCKS, bank_of, hits_of, misses_of, paced
from tests.timeouts import scaled_timeout

EVER = (0.0, 1e10)

# Keeps the history of a device, and says the number of each epoch once it is kept. With one argument more:
# a file may have n bytes.
KEEPER = """
import resource, signal, sys, time
from pathlib import Path
from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.history.history import History
from litemrc.feed.records import FeedEpoch

url, folder, *limit = sys.argv[1:]
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), resource.RLIM_INFINITY))
feed = Feed(url, FeedOptions(pages=True, hot=True))
history = History(Path(folder), "board", say=lambda text: print("said", text, flush=True))
feed.listen(history)
def say(event):
    if isinstance(event, FeedEpoch):
        print("kept", history.kept, event.number, flush=True)
feed.listen(say)
feed.start()
time.sleep(600)
"""


@contextmanager
def kept(url: str, folder: Path, epochs: int, **retention: int) -> Iterator[list[FeedEpoch]]:
    """Keep at least n epochs; yield those that were kept."""
    feed = Feed(url, FeedOptions(timeout_s=scaled_timeout(3), pages=True, hot=True))
    history, heard = History(folder, "board", Retention(**retention)), []
    feed.listen(history)
    feed.listen(lambda event: heard.append(event) if isinstance(event, FeedEpoch) else None)
    feed.start()
    deadline = time.monotonic() + scaled_timeout(20)
    while len(heard) < epochs:
        assert time.monotonic() < deadline, len(heard)
        time.sleep(0.01)
    feed.close()
    feed.check()
    yield heard
    history.close()


def epoch_numbers(folder: Path) -> list[int]:
    numbers: list[int] = []
    for part in HistoryReader(folder, "board").parts(EPOCHS, *EVER):
        numbers += dict.fromkeys(part.rows.column("epoch").to_pylist())
    return numbers


def check_rows(rows: pa.Table) -> None:
    for row in rows.to_pylist():
        assert row["hits"] == hits_of(row["epoch"], row["context"])
        assert row["misses"] == misses_of(row["epoch"], row["context"])
        assert row["accesses"] == sum(row["hits"]) + row["misses"]


def test_files_are_those_of_collect(tmp_path: Path) -> None:
    with paced(rate=50, banks=4) as device, kept(device.url, tmp_path, 12) as heard:
        pass
    (epochs,), (ranks,), (hot,), (pages,), (traffic,) = (
        sealed_files(tmp_path, "board", kind) for kind in KINDS
    )
    table = read_epochs(epochs)
    numbers = [epoch.number for epoch in heard]
    assert sorted(set(table.epoch.tolist())) == numbers
    assert table.hits.tolist()[9] == hits_of(numbers[1], 1)
    assert table.link_statistics == {"epoch_messages": len(heard), "epoch_messages_lost": 0}
    check_rows(next(HistoryReader(tmp_path, "board").parts(EPOCHS, *EVER)).rows)
    assert read_ranks(ranks).epoch.tolist() == [number for number in numbers for _ in range(4)]
    assert set(read_ranks(ranks).clocks.tolist()) == {CLOCKS}
    assert [row.epoch for row in read_hot_lists(hot).rows] == numbers
    assert read_hot_lists(hot).base_address == 0x40000 << 12
    assert (read_traffic(traffic).epochs, read_traffic(traffic).clock_hz) == (numbers, 1_000_000)
    for number, each in zip(numbers, read_traffic(traffic).traffic, strict=True):
        assert each.row_conflicts is not None and each.reads is not None
        assert each.reads.tolist() == [bank_of(number, bank)["reads"] for bank in range(4)]
        assert each.row_conflicts.tolist() == [100, 200, 300, 400]
    assert read_page_bitmaps(pages).epoch.tolist() == numbers
    assert [bytes(row) for row in read_page_bitmaps(pages).accessed] == [
        each.accessed.accessed for each in heard
    ]


def test_other_tools_read_a_folder_with_its_partitions(tmp_path: Path) -> None:
    with paced(rate=50) as device:
        for _ in range(2):
            with kept(device.url, tmp_path, 3):
                pass
    rows = ds.dataset(tmp_path / "epochs", partitioning="hive").to_table()
    assert set(rows.column("device").to_pylist()) == {"board"}
    assert len(set(rows.column("session").to_pylist())) == 2
    assert {"date", "arrived", "group_bytes", "name"} <= set(rows.column_names)
    check_rows(rows)


def test_what_is_written_now_is_read(tmp_path: Path) -> None:
    with paced(rate=50, banks=4, rows_observed=False) as device, kept(device.url, tmp_path, 10) as heard:
        assert not sealed_files(tmp_path, "board")
        reader = HistoryReader(tmp_path, "board")
        assert epoch_numbers(tmp_path) == [each.number for each in heard]
        extent = reader.extent()
        assert extent.epochs == len(heard) and extent.bytes > 0
        assert (extent.first, extent.last) == pytest.approx((heard[0].arrived, heard[-1].arrived), abs=1e-5)
        middle = (heard[3].arrived - 1e-6, heard[6].arrived + 1e-6)
        for kind, per_epoch in ((EPOCHS, 8), (RANKS, 4), (HOT, 1), (PAGES, 1), (TRAFFIC, 1)):
            (part,) = reader.parts(kind, *middle)
            assert part.rows.column("epoch").to_pylist() == [
                n for n in range(heard[3].number, heard[6].number + 1) for _ in range(per_epoch)
            ]
    (part,) = reader.parts(EPOCHS, *middle)
    assert len(part.rows) == 4 * 8
    assert reader.extent().epochs == len(heard)


@pytest.mark.parametrize("seconds", [0.4, 0.9, 1.7])
def test_a_killed_process_loses_no_epoch_that_it_had_kept(tmp_path: Path, seconds: float) -> None:
    with paced(rate=100) as device:
        with subprocess.Popen(
            [sys.executable, "-c", KEEPER, device.url, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            said = [process.stdout.readline()]
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
            said += process.stdout.readlines()
        last = int([line for line in said if line.startswith("kept") and line.endswith("\n")][-1].split()[2])
        killed = epoch_numbers(tmp_path)
        assert killed == list(range(killed[0], killed[0] + len(killed)))
        assert killed[-1] >= last  # the one in flight may be there
        with kept(device.url, tmp_path, 2) as heard:
            pass
    assert epoch_numbers(tmp_path) == killed + [each.number for each in heard]
    assert not list(tmp_path.glob("open/*/*/*.arrows"))


def test_every_cut_of_a_stream_leaves_its_whole_batches(tmp_path: Path) -> None:
    schema = pa.schema([("hits", pa.list_(pa.uint32()))])
    stream, ends = OpenStream(tmp_path / "a" / "cut.arrows", schema), [0]
    for number in range(3):
        stream.append(pa.RecordBatch.from_pylist([{"hits": [number] * 50}], schema))
        ends.append(stream.size)
    stream.close()
    content = stream.path.read_bytes()
    for cut in range(len(content) + 1):
        stream.path.write_bytes(content[:cut])
        read = read_stream(stream.path)
        whole = sum(1 for end in ends[1:] if end <= cut)
        assert (0 if read.table is None else len(read.table)) == whole
        assert read.torn == cut - ends[whole] and not read.damages


def test_epochs_that_do_not_fit_are_counted_and_the_others_kept(tmp_path: Path) -> None:
    with (
        paced(rate=100) as device,
        subprocess.Popen(
            [sys.executable, "-c", KEEPER, device.url, str(tmp_path), "60000"],
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stdout
        said = []
        while len(said) < 200 and not any("kept again" in line for line in said):
            said.append(process.stdout.readline())
        process.kill()
        process.stdout.read()
    assert any("is not kept: File too large" in line for line in said), said
    numbers = epoch_numbers(tmp_path)
    missing = set(range(numbers[0], numbers[-1] + 1)) - set(numbers)
    assert missing and len(missing) < len(numbers)
    for part in HistoryReader(tmp_path, "board").parts(EPOCHS, *EVER):
        check_rows(part.rows)


def test_the_oldest_files_are_removed(tmp_path: Path) -> None:
    with paced(rate=50) as device:
        for _ in range(3):
            with kept(device.url, tmp_path, 3):
                pass
        files = sorted(sealed_files(tmp_path, "board", EPOCHS))
        with kept(device.url, tmp_path, 3, seconds=1000):
            pass
        assert set(files) < set(sealed_files(tmp_path, "board", EPOCHS))
        with kept(device.url, tmp_path, 3, seconds=0.001):
            pass
        assert len(sealed_files(tmp_path, "board", EPOCHS)) == 1
        with kept(device.url, tmp_path, 3, bytes=1):
            pass
    assert not sealed_files(tmp_path, "board")


def test_one_process_keeps_a_device(tmp_path: Path) -> None:
    history = History(tmp_path, "board")
    with pytest.raises(UserError, match="another process keeps the history of board"):
        History(tmp_path, "board")
    History(tmp_path, "other").close()
    history.close()
    History(tmp_path, "board").close()


def test_names_that_change_are_each_kept(tmp_path: Path) -> None:
    with paced(rate=50) as device, kept(device.url, tmp_path, 2) as heard:
        pass
    history = History(tmp_path / "named", "board")
    history(next(HistoryReader(tmp_path, "board").parts(EPOCHS, *EVER)).parameters)
    for number, name in enumerate(("sort (pid 7)", "sort (pid 7)", "cat (pid 8)")):
        rows = changed(heard[0].rows, epoch=number)
        names = {0: "kernel", 1: name}
        counted = {"number": number, "rows": rows, "names": names}
        history(replace(heard[0], **counted, ranks=NO_RANKS, hot=None, accessed=None))
    history.close()
    (path,) = sealed_files(tmp_path / "named", "board", EPOCHS)
    assert dict(read_epochs(path).context_names) == {0: "kernel"}
    (part,) = HistoryReader(tmp_path / "named", "board").parts(EPOCHS, *EVER)
    names = zip(part.rows.column("context").to_pylist(), part.rows.column("name").to_pylist(), strict=True)
    assert [name for context, name in names if context == 1] == [
        "sort (pid 7)",
        "sort (pid 7)",
        "cat (pid 8)",
    ]


def test_a_range_of_one_epoch_has_it_whatever_the_digits_of_its_time(tmp_path: Path) -> None:
    with paced(rate=50) as device, kept(device.url, tmp_path, 2) as heard:
        pass
    history = History(tmp_path / "times", "board")
    history(next(HistoryReader(tmp_path, "board").parts(EPOCHS, *EVER)).parameters)
    times = [1795711631.0000004, 1795711632.0000006]
    for number, arrived in enumerate(times):
        rows = changed(heard[0].rows, epoch=number)
        counted = {"number": number, "arrived": arrived, "rows": rows}
        history(replace(heard[0], **counted, ranks=NO_RANKS, hot=None, accessed=None))
    for _ in ("open", "sealed"):
        reader = HistoryReader(tmp_path / "times", "board")
        for number, arrived in enumerate(times):
            (part,) = reader.parts(EPOCHS, arrived, arrived)
            assert set(part.rows.column("epoch").to_pylist()) == {number}
        history.close()
