# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of page bitmaps: written an epoch at a time, read whole, or refused."""

import json
from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc.epochs.files import write_epochs
from litemrc.errors import OutputError, UserError
from litemrc.pages.files import (
    PageBitmapWriter,
    holds_page_bitmaps,
    read_page_bitmaps,
    write_page_bitmaps,
)
from litemrc.pages.page_bitmaps import PageBitmaps

from tests.host.bitmaps import bitmaps_of_sets, random_bitmaps, shown


def assert_equal(found: PageBitmaps, wanted: PageBitmaps) -> None:
    for each in fields(PageBitmaps):
        assert np.array_equal(getattr(found, each.name), getattr(wanted, each.name)), each.name


def writer_of(path, pages=10):
    return PageBitmapWriter(path, shown(range(pages)), source="a test")


@pytest.mark.parametrize("epochs", [0, 1, 256, 700])  # a row group has 256 rows
def test_what_was_written_is_read(tmp_path, epochs):
    table = random_bitmaps(epochs, epochs)
    write_page_bitmaps(tmp_path / "b.parquet", table)
    assert_equal(read_page_bitmaps(tmp_path / "b.parquet"), table)


def test_ranges_flags_and_unknown_writes_survive(tmp_path):
    pages = shown(range(10, 14), range(1 << 40, (1 << 40) + 7), base_address=0)
    table = bitmaps_of_sets(pages, [{0, 10}, ()], epochs=[4, 9], writes_known=False, interrupted=True)
    write_page_bitmaps(tmp_path / "b.parquet", table)
    assert_equal(read_page_bitmaps(tmp_path / "b.parquet"), table)


def test_any_program_that_reads_parquet_finds_bits_and_units(tmp_path):
    write_page_bitmaps(tmp_path / "b.parquet", bitmaps_of_sets(shown(range(10)), [{0, 9}], [{9}]))
    data = pq.read_table(tmp_path / "b.parquet")
    assert data.to_pylist() == [
        {"epoch": 0, "cycles": 0, "accesses": 0, "accessed": b"\x01\x02", "written": b"\0\x02"}
    ]
    assert data.schema.field("accessed").type == pa.binary(2)
    described = json.loads(pq.read_metadata(tmp_path / "b.parquet").metadata[b"litemrc"])
    assert (described["page_bytes"], described["base_address"]) == (4096, 0x4000_0000)
    assert described["ranges"] == [[0, 10]]
    assert set(data.column_names) < set(described["units"])


def test_a_writer_gives_the_file_its_name_at_the_end(tmp_path):
    path = tmp_path / "b.parquet"
    path.write_text("what was there")
    with writer_of(path) as writer:
        for epoch in range(300):
            writer.append(epoch, b"\x03\0", b"\x01\0", cycles=7, accesses=9)
        assert path.read_text() == "what was there"
    table = read_page_bitmaps(path)
    assert (table.epoch.size, table.interrupted, table.source) == (300, False, "a test")
    assert (set(table.cycles.tolist()), set(table.accesses.tolist())) == ({7}, {9})
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_writer_keeps_its_epochs(tmp_path):
    path = tmp_path / "b.parquet"
    with pytest.raises(KeyboardInterrupt), writer_of(path) as writer:
        writer.append(5, b"\x03\0", b"\x01\0")
        raise KeyboardInterrupt
    table = read_page_bitmaps(path)
    assert (table.epoch.tolist(), table.interrupted) == ([5], True)


def test_a_writer_without_an_epoch_leaves_no_file(tmp_path):
    with pytest.raises(KeyboardInterrupt), writer_of(tmp_path / "b.parquet"):
        raise KeyboardInterrupt
    with writer_of(tmp_path / "b.parquet"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_writer_may_choose_another_name_at_the_end(tmp_path):
    writer = writer_of(tmp_path / "b.parquet")
    writer.append(0, b"\0\0", b"\0\0")
    writer.close(interrupted=True, path=tmp_path / "b.partial.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["b.partial.parquet"]
    assert read_page_bitmaps(tmp_path / "b.partial.parquet").interrupted


@pytest.mark.parametrize(
    ("epoch", "accessed", "written", "why"),
    [
        (3, b"\0\0", b"\0\0", "epoch 3 after 3"),
        (1 << 32, b"\0\0", b"\0\0", "after 3"),
        (4, b"\0", b"\0\0", "1 bytes of bits for 10 pages"),
        (4, b"\0\0", b"\0\0\0", "3 bytes of bits for 10 pages"),
        (4, b"\0\x04", b"\0\0", "a bit behind page 9"),
        (4, b"\x01\0", b"\x02\0", "epoch 4: a page was written, but not accessed"),
    ],
)
def test_an_epoch_that_contradicts_itself_is_refused_and_the_others_kept(
    tmp_path, epoch, accessed, written, why
):
    with writer_of(tmp_path / "b.parquet") as writer:
        writer.append(3, b"\x01\0", b"\0\0")
        with pytest.raises(ValueError, match=why):
            writer.append(epoch, accessed, written)
    assert read_page_bitmaps(tmp_path / "b.parquet").epoch.tolist() == [3]


def test_a_path_that_cannot_be_written_is_refused_before_the_first_epoch(tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        writer_of(tmp_path / "none" / "b.parquet")
    with pytest.raises(OutputError, match="No space left"), writer_of("/dev/full") as writer:
        writer.append(0, b"\0\0", b"\0\0")


def test_any_wrong_bit_and_any_truncation_is_noticed(tmp_path):
    path = tmp_path / "b.parquet"
    write_page_bitmaps(path, random_bitmaps(2, 3))
    good = path.read_bytes()
    for position in range(len(good)):
        bad = bytearray(good)
        bad[position] ^= 1 << position % 8
        path.write_bytes(bad)
        with pytest.raises(UserError):
            read_page_bitmaps(path)
        path.write_bytes(good[:position])
        with pytest.raises(UserError):
            read_page_bitmaps(path)


def test_files_of_other_kinds_are_told_apart(tmp_path, epoch_table):
    write_epochs(tmp_path / "epochs.parquet", epoch_table)
    write_page_bitmaps(tmp_path / "b.parquet", random_bitmaps(3, 1))
    (tmp_path / "text.parquet").write_text("text")
    held = {path.name: holds_page_bitmaps(path) for path in tmp_path.iterdir()}
    assert held == {"epochs.parquet": False, "b.parquet": True, "text.parquet": False}
    assert not holds_page_bitmaps(tmp_path / "none.parquet")
    with pytest.raises(UserError, match="not a file of page bitmaps"):
        read_page_bitmaps(tmp_path / "epochs.parquet")


def test_a_table_cut_by_epochs_can_be_written(tmp_path):
    table = replace(random_bitmaps(4).between(6, 9), interrupted=True)
    write_page_bitmaps(tmp_path / "b.parquet", table)
    assert_equal(read_page_bitmaps(tmp_path / "b.parquet"), table)
