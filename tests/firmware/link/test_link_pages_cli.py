# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc collect --pages --hot`, `litemrc hot --port` and `litemrc device --split` with a peer."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.hot import HotSettings
from litemrc.device.running import Run
from litemrc.epochs.files import read_epochs, write_epochs
from litemrc.errors import UserError
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import read_hot_lists

from tests.firmware.link.link_messages import accessed_of, hot_of
from tests.host.in_process import litemrc
from tests.timeouts import scaled_timeout

LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]


@pytest.fixture
def port(start_peer):
    return start_peer(pages=1, epochs=2000, period_ms=3).url


def test_collect_writes_the_pages_of_each_epoch_beside_its_counters(port, tmp_path):
    files = {name: tmp_path / f"{name}.parquet" for name in ("epochs", "pages", "hot")}
    done = litemrc(
        *("collect", "--port", port, "--epochs", 7, "-o", files["epochs"], "--json"),
        *("--pages", files["pages"], "--hot", files["hot"]),
    )
    assert done.returncode == 0, done.stderr
    assert "every page is invalid" in done.stderr
    saved = json.loads(done.stdout)
    assert (saved["pages"], saved["hot"]) == (str(files["pages"]), str(files["hot"]))
    table = read_epochs(files["epochs"])
    epochs = list(dict.fromkeys(table.epoch.tolist()))

    bitmaps = read_page_bitmaps(files["pages"])
    assert bitmaps.epoch.tolist() == epochs and len(epochs) == 7
    assert bitmaps.shown.base_address == 1 << 30 and bitmaps.shown.pages == 8192
    for row, epoch in enumerate(epochs):
        assert (bitmaps.accessed[row].tobytes(), bitmaps.written[row].tobytes()) == accessed_of(epoch)
        assert bitmaps.accesses[row] == table.accesses[table.epoch == epoch].sum()
    assert not bitmaps.interrupted and bitmaps.source == port

    lists = read_hot_lists(files["hot"])
    assert list(lists.rows) == [hot_of(epoch) for epoch in epochs]
    assert HotSettings(**lists.settings) == HotSettings(True, True, True, False, 0, 2, 128, 0, 8191, 1)
    assert (lists.page_bytes, lists.base_address, lists.interrupted) == (4096, 1 << 30, False)


def test_litemrc_heatmap_shows_what_collect_wrote(port, tmp_path):
    pages = tmp_path / "pages.parquet"
    litemrc("collect", "--port", port, "--epochs", 4, "-o", tmp_path / "e.parquet", "--pages", pages)
    done = litemrc("heatmap", pages, "--json")
    assert done.returncode == 0, done.stderr
    drawn = json.loads(done.stdout)
    assert drawn["epochs"] == 4 and drawn["addresses"][0] == 1 << 30
    share = np.array([[value for value in row] for row in drawn["share"]])
    widths = np.diff(drawn["page_edges"])[:, None] * np.diff(drawn["epoch_edges"])[None, :]
    bitmaps = read_page_bitmaps(pages)
    assert round((share * widths).sum()) == sum(bitmaps.bits(row).sum() for row in range(4))


def test_an_interrupted_collection_keeps_every_whole_epoch_and_replaces_nothing(port, tmp_path):
    kept = tmp_path / "pages.parquet"
    kept.write_text("another file")
    arguments = ("collect", "--port", port, "--epochs", 100_000, "-o", tmp_path / "e.parquet")
    with subprocess.Popen(
        [*LITEMRC, *map(str, arguments), "--pages", kept, "--hot", tmp_path / "hot.parquet"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        shown = (line for line in process.stderr if " of 100000 epochs" in line)
        assert next(shown), "ended too early"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=scaled_timeout(30))
    assert process.returncode == 130
    assert kept.read_text() == "another file"
    bitmaps = read_page_bitmaps(tmp_path / "pages.partial.parquet")
    lists = read_hot_lists(tmp_path / "hot.parquet")
    table = read_epochs(tmp_path / "e.parquet")
    assert bitmaps.interrupted and lists.interrupted and table.interrupted
    epochs = set(table.epoch.tolist())
    assert len(bitmaps.epoch) >= len(epochs) - 1 and set(bitmaps.epoch.tolist()) <= epochs
    for row, epoch in enumerate(bitmaps.epoch.tolist()):
        assert bitmaps.accessed[row].tobytes() == accessed_of(epoch)[0]


def test_collect_says_what_a_device_lacks(start_peer, tmp_path):
    for option, part in (("--pages", "page bitmap"), ("--hot", "hot pages")):
        out = ("-o", tmp_path / "e.parquet", option, tmp_path / "p.parquet")
        done = litemrc("collect", "--port", start_peer(epochs=9).url, "--epochs", 1, *out)
        assert done.returncode != 0
        assert f"the device has no {part}" in done.stderr and "make sim" in done.stderr
    assert not list(tmp_path.iterdir())


def test_hot_prints_an_object_for_each_epoch_of_a_device(port):
    done = litemrc("hot", "--port", port, "--k", 60, "--epochs", 6, "--json")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 6
    for row in rows:
        golden = hot_of(row["epoch"], 60)
        assert row["pages"] == [list(pair) for pair in zip(golden.frames, golden.counts, strict=True)]
        assert (row["accesses"], row["more"], row["saturated"]) == (
            golden.accesses, golden.more, golden.saturated,
        )  # fmt: skip
    assert {row["more"] for row in rows} == {True, False}


def test_hot_prints_a_line_for_each_epoch_where_there_is_no_terminal(port):
    done = litemrc("hot", "--port", port, "--epochs", 3, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    assert head.split()[:2] == ["epoch", "accesses"] and len(lines) == 3
    first = next(line.split() for line in lines if ":" in line)
    golden = hot_of(int(first[0]))
    assert first[1] == f"{golden.accesses:,}" and first[4] == f"{golden.frames[0]}:{golden.counts[0]}"


def test_on_a_terminal_hot_fills_the_screen_with_the_hottest_pages(port, monkeypatch, capsys):
    from litemrc.cli.main import main

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("LINES", "16")
    assert main(["hot", "--port", port, "--epochs", "3", "--quiet"]) == 0
    screens = capsys.readouterr().out.split("\033[H\033[J")[1:]
    assert len(screens) == 3
    for screen in screens:
        golden = hot_of(int(screen.split()[1].rstrip(":")))
        assert f"{len(golden.frames)} hot pages" in screen
        shown = [line.split() for line in screen.splitlines() if " 0x4" in line]
        assert [int(row[0]) for row in shown] == list(golden.frames[:10])
        assert all(int(row[1], 16) == (1 << 30) + 4096 * int(row[0]) for row in shown)


def test_hot_ends_with_the_programs_that_it_runs(start_peer):
    port = start_peer(pages=1, period_ms=3).url
    done = litemrc("hot", "--port", port, "--run", "zipf:1:2", "--run", "loop", "--json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3 * (2 + 1), "EPOCHS_OF_RUN of the peer, times scale"


def test_device_sets_split_and_hot_pages_and_shows_them(port):
    options = (
        "--split",
        "--hot",
        "--hot-k",
        9,
        "--hot-only",
        "writes",
        "--hot-sample",
        2,
        "--hot-threshold",
        50,
    )
    more = ("--hot-range", "16:", "--hot-queue", "--hot-watermark", 3)
    done = litemrc("device", "--port", port, *options, *more, "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["split"] is True and shown["page_bitmap"] is True and shown["hot_pages"] == 128
    assert HotSettings(**shown["hot"]) == HotSettings(True, False, True, True, 2, 50, 9, 16, 8191, 3)


def test_device_describes_split_and_hot_pages_in_words(start_peer):
    done = litemrc("device", "--port", start_peer(pages=1).url, "--split", "--hot", "--hot-sample", 4)
    facts = dict(line.split("  ", 1) for line in done.stdout.splitlines() if "  " in line)
    assert facts["reads and writes"].strip() == "counted apart (--no-split)"
    assert facts["hot pages"].strip() == (
        "128 listed at most, from 2 reads and writes on, frames 0 to 8191, 1 access of 16 counted"
    )
    plain = litemrc("device", "--port", start_peer().url).stdout
    assert "hot pages         none" in plain and "page bitmap       none" in plain


def test_curve_shows_reads_and_writes_of_a_program_below_their_sum(start_peer, tmp_path):
    out = tmp_path / "e.parquet"
    with Device(start_peer(pages=1, period_ms=3).url) as device:
        device.request("set_split", on=True)
        collector = Collector(device)
        list(collector.collect(runs=[Run("zipf"), Run("loop")]))
    write_epochs(out, collector.table())
    done = litemrc("curve", out)
    rows = [line.split() for line in done.stdout.splitlines() if line[:2] in ("1 ", "2 ")]
    assert [row[:3] if row[2] in ("reads", "writes") else row[:2] for row in rows] == [
        ["1", "zipf"], ["1", "zipf", "reads"], ["1", "zipf", "writes"],
        ["2", "loop"], ["2", "loop", "reads"], ["2", "loop", "writes"],
    ]  # fmt: skip
    only = {}
    for which in (("--only", "reads"), ("--only", "writes"), ()):
        found = litemrc("curve", out, "--context", "zipf", "--json", *which)
        only[which[-1:]] = json.loads(found.stdout)["accesses"]
    assert only[("reads",)] + only[("writes",)] == only[()] and only[("reads",)] != only[("writes",)]


def test_only_reads_of_a_table_without_split_are_refused(port, tmp_path):
    litemrc("collect", "--port", port, "--epochs", 2, "-o", tmp_path / "e.parquet")
    done = litemrc("curve", tmp_path / "e.parquet", "--only", "reads")
    assert done.returncode == 2 and "no reads were counted apart" in done.stderr


def test_a_program_gets_a_context_that_owns_pages(start_peer):
    with Device(start_peer().url) as device:
        device.request("set_split", on=True)
        with pytest.raises(UserError, match="no context 4 that owns pages"):
            list(Collector(device).collect(runs=[Run("zipf", 4)]))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "neither a trace nor a device"),
        (["gen:zipf?pages=9&n=9", "--port", "loop://"], "a trace and a device"),
        (["--port", "loop://", "--exact"], "--exact is for traces"),
        (["--port", "loop://", "--context", "0"], "--context is for traces"),
        (["--port", "loop://", "--column", "page"], "--column is for traces"),
        (["gen:zipf?pages=9&n=9", "--epochs", "3"], "--epochs is for devices"),
        (["gen:zipf?pages=9&n=9", "--run", "zipf"], "--run is for devices"),
    ],
)
def test_what_is_of_the_other_kind_is_refused(arguments, said):
    done = litemrc("hot", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
