# SPDX-License-Identifier: BSD-2-Clause
"""Records for damo: an unmodified damo draws the bits, and LiteMRC's own reader of DAMON finds them."""

import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from litemrc.pages.damo_record import EPOCH_NS, write_damo_record
from litemrc.traces.formats.recorders.damon_records import parse_snapshots

from tests.host.bitmaps import DRAM, bitmaps_of_sets, random_bitmaps, shown

HEAT = 1e9 / EPOCH_NS  # Hz of a page that is accessed in each epoch of unknown length

DAMO = shutil.which("damo", path=Path(sys.executable).parent) or shutil.which("damo")
needs_damo = pytest.mark.skipif(
    DAMO is None or shutil.which("file") is None, reason="damo (PyPI) or the program `file` is not installed"
)


def damo(*arguments) -> str:
    command = [DAMO, "report", "heatmap", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def drawn(path, epochs, pages, address_range) -> np.ndarray:
    """Return float[epochs, pages], the heat in Hz that damo finds in cells of an epoch and a page."""
    options = (
        "--input",
        path,
        "--output",
        "raw",
        "--resol",
        epochs,
        pages,
        "--address_range",
        *address_range,
    )
    lines = damo(*options).split("\n")
    return np.array([float(line.split("\t")[2]) for line in lines if line]).reshape(epochs, pages)


def all_bits(table, **which) -> np.ndarray:
    return np.stack([table.bits(row, **which) for row in range(table.epoch.size)])


@needs_damo
@pytest.mark.parametrize("written", [False, True])
def test_damo_finds_every_bit(tmp_path, written):
    table = random_bitmaps(3, epochs=12, pages=40)
    # 1,000,000 cycles at 50 MHz are 20 ms: an accessed page has one access in 20 ms, 50 Hz.
    table = bitmaps_of_sets(
        shown(range(40)),
        *([np.flatnonzero(row) for row in all_bits(table, written=each)] for each in (False, True)),
        cycles=[1_000_000] * 12,
        clock_hz=50_000_000,
    )
    done = write_damo_record(tmp_path / "r.damon", table, written=written)
    assert (done.snapshots, done.epoch_ns) == (12, 20_000_000)
    heat = drawn(tmp_path / "r.damon", 12, 40, (DRAM, DRAM + 40 * 4096))
    assert np.allclose(heat, 50 * all_bits(table, written=written))


@needs_damo
def test_damo_finds_the_counts_of_an_aggregation_interval(tmp_path):
    table = random_bitmaps(4, epochs=12, pages=40)
    table = bitmaps_of_sets(shown(range(40)), [np.flatnonzero(row) for row in all_bits(table)])
    assert write_damo_record(tmp_path / "r.damon", table, aggregation=4).snapshots == 3
    heat = drawn(tmp_path / "r.damon", 3, 40, (DRAM, DRAM + 40 * 4096))
    # nr_accesses of 4 epochs, per second.
    counts = all_bits(table).reshape(3, 4, 40).sum(axis=1)
    assert np.allclose(heat, counts / 4 * HEAT)


@needs_damo
def test_the_terminal_map_of_damo_is_hot_where_the_bits_are(tmp_path):
    # A page that moves up in each epoch, beside one that is always hot. damo guesses the ranges itself.
    table = bitmaps_of_sets(shown(range(8)), [{0, 2 + epoch} for epoch in range(6)])
    write_damo_record(tmp_path / "r.damon", table)
    text = re.sub(r"\x1b\[[0-9;]*m", "", damo("--input", tmp_path / "r.damon", "--resol", 6, 8))
    # Of damo's digits, 0 is the lowest heat; the highest, 1,000 Hz, is the 8th of 9 parts of 1,001.
    wanted = ["8" + "".join("8" if page == 2 + epoch else "0" for page in range(1, 8)) for epoch in range(6)]
    assert text.splitlines()[:6] == wanted
    assert "# y-axis: time [0 ns, 6 ms) (6 ms)" in text
    assert "(32.000 KiB)" in text


@needs_damo
def test_damo_draws_each_range_of_pages_apart(tmp_path):
    pages = shown(range(100, 104), range(1 << 35, (1 << 35) + 4), base_address=0)
    table = bitmaps_of_sets(pages, [{1}, {1, 5}, {6}])
    write_damo_record(tmp_path / "r.damon", table)
    for first, bits in ((100, [(0, 1), (1, 1)]), (1 << 35, [(1, 1), (2, 2)])):
        heat = drawn(tmp_path / "r.damon", 3, 4, (first * 4096, (first + 4) * 4096))
        assert list(zip(*np.nonzero(heat), strict=True)) == bits
    guide = damo("--input", tmp_path / "r.damon", "--guide")
    assert f"[{100 * 4096}, {104 * 4096})" in guide and f"[{4096 << 35}, {((1 << 35) + 4) * 4096})" in guide


@needs_damo
@pytest.mark.skipif(shutil.which("gnuplot") is None, reason="gnuplot, which damo runs, is not installed")
def test_damo_draws_a_picture(tmp_path):
    write_damo_record(tmp_path / "r.damon", random_bitmaps(5))
    damo("--input", tmp_path / "r.damon", "--output", tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_our_reader_of_damon_finds_runs_of_equal_pages(tmp_path):
    table = bitmaps_of_sets(shown(range(8)), [{0, 1}, {1, 7}, ()], epochs=[4, 5, 8])
    done = write_damo_record(tmp_path / "r.damon", table, aggregation=2, bits=range(1, 8))
    first, second = parse_snapshots((tmp_path / "r.damon").read_bytes(), "r.damon")
    # Epochs 4 and 5: page 1 twice, 2 to 6 never, 7 once. 6 and 7 are missing. Epoch 8: none.
    page = [DRAM + 4096 * each for each in range(9)]
    assert first.starts.tolist() == [page[1], page[2], page[7]]
    assert first.ends.tolist() == [page[2], page[7], page[8]]
    assert first.accesses.tolist() == [2, 0, 1]
    assert (second.starts.tolist(), second.ends.tolist(), second.accesses.tolist()) == (
        [page[1]],
        [page[8]],
        [0],
    )
    assert (first.end_ns, second.end_ns) == (2 * EPOCH_NS, 5 * EPOCH_NS)
    assert (done.snapshots, done.regions) == (2, 4)


def test_a_record_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "r.damon"
    with pytest.raises(ValueError, match="needs an epoch"):
        write_damo_record(path, random_bitmaps(6).between(0, 1))
    assert list(tmp_path.iterdir()) == []
    write_damo_record(path, random_bitmaps(6))
    assert zlib.decompress(path.read_bytes()).endswith(b"]}]")
    assert list(tmp_path.iterdir()) == [path]
