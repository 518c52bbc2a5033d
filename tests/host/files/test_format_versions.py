# SPDX-License-Identifier: BSD-2-Clause
"""Files of every version of every format, as earlier code wrote them, are read or refused with a remedy.

tests/data/formats/manifest.csv lists them; README.md beside it has the formulas of their contents.
"""

import csv
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import litemrc
import numpy as np
import pytest
from litemrc.device.bundle import Bundle
from litemrc.epochs.files import read_epochs
from litemrc.epochs.table import EpochTable
from litemrc.epochs.traffic_files import read_traffic
from litemrc.errors import UserError
from litemrc.feed.history.history import History
from litemrc.feed.history.reading import read_history
from litemrc.feed.history.stream import MAGIC
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import read_hot_lists
from litemrc.ranks.files import read_ranks

from scripts.docs.stability_page import file_formats
from tests.host.paced_device import bank_of, hits_of, misses_of

REPO = Path(__file__).resolve().parents[3]
FOLDER = REPO / "tests/data/formats"
with (FOLDER / "manifest.csv").open() as _file:
    _ROWS = {(row["format"], int(row["version"])): row for row in csv.DictReader(_file)}
STORED = {key: FOLDER / row["file"] for key, row in _ROWS.items()}
READ = [key for key, row in _ROWS.items() if row["read by 1.x"] == "yes"]
FORMATS = {each.name: each for each in file_formats()}
EPOCHS, CONTEXTS, GROUPS = 3, 2, 4
PAIRS = [(epoch, context) for epoch in range(EPOCHS) for context in range(CONTEXTS)]


def hits(epoch: int, context: int) -> list[int]:
    return [100 * (epoch + 1) + 10 * context + group for group in range(GROUPS)]


def misses(epoch: int, context: int) -> int:
    return 7 * (epoch + 1) + context


def check_epochs(path: Path, version: int) -> None:
    table = read_epochs(path)
    assert table.epoch.tolist() == [epoch for epoch, _ in PAIRS]
    assert table.hits.tolist() == [hits(*pair) for pair in PAIRS]
    assert table.misses.tolist() == [misses(*pair) for pair in PAIRS]
    assert table.accesses.tolist() == [sum(hits(*pair)) + misses(*pair) for pair in PAIRS]
    assert table.touched.tolist() == [20 + epoch + context for epoch, context in PAIRS]
    assert table.outside.tolist() == [2 * epoch for epoch, _ in PAIRS]
    assert (table.pages, table.recent_pages, table.page_bytes, table.frames) == (32, 2, 4096, 64)
    (process,) = table.processes
    assert (process.pid, process.comm, process.first_epoch, process.last_epoch) == (40, "zipf", 0, 2)
    assert process.ended_after == (1 if version > 3 else None)  # since a later commit of version 3
    assert table.interrupted and table.system == "Linux 6.1"
    known = version >= 4
    assert table.resident.tolist() == [known * (30 + epoch) * context for epoch, context in PAIRS]
    assert table.tail.tolist() == (
        [[epoch * context, context] for epoch, context in PAIRS] if known else [[]] * 6
    )
    assert not table.split.any()


def check_ranks(path: Path, _: int) -> None:
    table = read_ranks(path)
    assert (table.clock_hz, table.domains, table.part) == (10**8, 2, "MT41K128M16")
    assert table.reads.tolist() == [10 * (epoch + 1) + rank for epoch, rank in PAIRS]
    assert table.self_refresh.tolist() == [100 * rank for _, rank in PAIRS]
    assert table.precharge_standby.tolist() == [1000 - 100 * rank for _, rank in PAIRS]


def check_hot(path: Path, _: int) -> None:
    rows = read_hot_lists(path).rows
    assert [row.accesses for row in rows] == [100, 200, 300]
    assert [row.more for row in rows] == [False, False, True]
    assert [(row.frames, row.counts) for row in rows] == [((7 + e, 5), (60 + e, 30)) for e in range(EPOCHS)]


def check_pages(path: Path, _: int) -> None:
    bitmaps = read_page_bitmaps(path)
    assert bitmaps.shown.ranges == (range(16), range(32, 40))
    assert bitmaps.accessed.tolist() == [[1 << epoch, 0xF0, 3] for epoch in range(EPOCHS)]
    assert bitmaps.written.tolist() == [[1 << epoch, 0, 1] for epoch in range(EPOCHS)]
    assert bitmaps.cycles.tolist() == [1000, 1001, 1002]


def check_traffic(path: Path, _: int) -> None:
    table = read_traffic(path)
    assert table.clock_hz == 1_000_000 and len(table.epochs) == 5
    for epoch, traffic in zip(table.epochs, table.traffic, strict=True):
        for name in ("reads", "writes", "row_hits", "activates", "row_conflicts"):
            assert getattr(traffic, name).tolist() == [bank_of(epoch, bank)[name] for bank in range(2)]


def check_bundle(path: Path, _: int, folder: Path) -> None:
    zipfile.ZipFile(path).extractall(folder)
    bundle = Bundle.read(folder / "bundle-1")
    assert (bundle.board, bundle.device, bundle.identifier) == ("ulx3s", "45F", "litemrc ulx3s 0123abcd")
    assert bundle.bitstream().read_bytes() == b"bits"
    assert bundle.boot_files() == folder / "bundle-1/boot"


def check_kept(table: EpochTable) -> None:
    pairs = list(zip(table.epoch.tolist(), table.context.tolist(), strict=True))
    assert len(pairs) == 2 * 5
    assert np.unique(np.diff(table.epoch)).tolist() == [0, 1]
    assert table.hits.tolist() == [hits_of(*pair) for pair in pairs]
    assert table.misses.tolist() == [misses_of(*pair) for pair in pairs]


def check_history(path: Path, _: int) -> None:
    table, damages = read_history(path)
    check_kept(table)
    assert not damages


def check_stream(path: Path, _: int, folder: Path) -> None:
    """A history whose process was killed is whole once `litemrc serve` has started on it again."""
    shutil.copytree(path, folder / "history")
    History(folder / "history", "board").close()
    check_history(folder / "history", 0)
    assert not list((folder / "history").rglob("*.damaged"))


def check_curve(path: Path, version: int) -> None:
    """Context 1: 630 + 3 g hits of group g and 45 misses in three epochs; groups of 16, then of 8 pages."""
    accesses = 4 * 630 + 3 * (0 + 1 + 2 + 3) + 45
    if version == 1:
        with pytest.raises(UserError, match="page"):
            litemrc.read(path)
    (curve,) = litemrc.read(path, page_bytes=4096 if version == 1 else None).values()
    group_pages = 16 if version == 1 else 8
    for groups in range(1, GROUPS + 1):
        missed = accesses - sum(630 + 3 * group for group in range(groups))
        assert curve.at(pages=groups * group_pages) == pytest.approx(missed / accesses)


CHECKS: dict[str, Callable[..., None]] = {
    "epoch table": check_epochs,
    "rank table": check_ranks,
    "file of hot pages": check_hot,
    "file of page bitmaps": check_pages,
    "traffic table": check_traffic,
    "bundle": check_bundle,
    "history": check_history,
    "open stream": check_stream,
    "curve as JSON": check_curve,
}


@pytest.mark.parametrize(("name", "version"), READ, ids=lambda each: str(each).replace(" ", "-"))
def test_a_file_of_each_version_that_is_read_has_the_values_written(name, version, tmp_path):
    check = CHECKS[name]
    more = {"folder": tmp_path} if "folder" in check.__annotations__ else {}
    check(STORED[name, version], version, **more)


@pytest.mark.parametrize(("name", "version"), [key for key in STORED if key not in READ])
def test_a_file_of_an_older_version_is_refused_with_version_place_and_remedy(name, version):
    path = STORED[name, version]
    with pytest.raises(UserError) as refused:
        CHECKS[name](path, version)
    assert f"of version {version}; this LiteMRC reads version {FORMATS[name].oldest} to" in refused.value.what
    assert refused.value.where == str(path)
    assert refused.value.remedy


def test_the_oldest_version_that_is_read_is_the_promised_one():
    for name, each in FORMATS.items():
        assert each.oldest == min(version for known, version in READ if known == name), name


def missing(formats) -> list[tuple[str, int]]:
    """Return the versions of which no file is stored."""
    versions = {(each.name, version) for each in formats for version in range(1, each.version + 1)}
    return sorted(versions - set(STORED))


def test_a_file_of_every_version_is_stored():
    assert not missing(FORMATS.values()), (
        "write a file by each of these versions: tests/data/formats/README.md"
    )
    assert {name for name, _ in STORED} == set(CHECKS)


def test_a_raised_version_without_a_file_is_found():
    raised = [replace(each, version=each.version + 1) for each in FORMATS.values()]
    assert missing(raised) == sorted((each.name, each.version) for each in raised)


def test_every_kind_of_sealed_file_is_listed():
    sources = (path.read_text("utf-8") for path in (REPO / "host/litemrc").rglob("*.py"))
    kinds = [name for source in sources for name in re.findall(r'FileKind\("an? ([^"]+)"', source)]
    assert sorted(kinds) == sorted(set(FORMATS) - {"bundle"})


def test_streams_begin_as_the_last_stored_one():
    """The header of a stream has no version: one that changes needs a file, and a reader of this one."""
    (path,) = STORED["open stream", 2].rglob("*.arrows")
    assert path.read_bytes().startswith(MAGIC)
