# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of an epoch table: what was written is read, and nothing else is."""

import json
import re
import zlib
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc.epochs.files import read_epochs, write_epochs
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError

SEAL = re.compile(rb"litemrc-crc32:[0-9a-f]{8}")


@pytest.fixture
def file(tmp_path: Path, epoch_table: EpochTable) -> Path:
    path = tmp_path / "curves.parquet"
    write_epochs(path, epoch_table)
    return path


def reseal(path: Path) -> None:
    """Give a forged file a valid checksum, so that what is wrong must be found by itself."""
    blank = SEAL.sub(b"litemrc-crc32:00000000", path.read_bytes())
    path.write_bytes(SEAL.sub(b"litemrc-crc32:%08x" % zlib.crc32(blank), blank))


def refusal(path: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        read_epochs(path)
    assert caught.value.where == str(path)
    assert caught.value.remedy
    return caught.value


def test_what_was_written_is_read(file, epoch_table):
    table = read_epochs(file)
    for column in fields(EpochTable):
        assert np.array_equal(getattr(table, column.name), getattr(epoch_table, column.name)), column.name
    assert table.hits.dtype == np.uint32


@pytest.mark.parametrize("change", [{"interrupted": True}, {"context_names": {}, "link_statistics": {}}])
def test_flags_and_missing_names_survive(tmp_path, epoch_table, change):
    write_epochs(tmp_path / "t.parquet", replace(epoch_table, **change))
    table = read_epochs(tmp_path / "t.parquet")
    assert {name: getattr(table, name) for name in change} == change


def test_a_table_without_rows_survives(tmp_path, epoch_table):
    write_epochs(tmp_path / "t.parquet", epoch_table.between(9, None))
    assert read_epochs(tmp_path / "t.parquet").hits.shape == (0, 4)


def test_counters_survive_at_their_largest(tmp_path, epoch_table):
    top, row = 2**32 - 1, epoch_table.between(2, 3)
    full = replace(row, hits=[[top] * 4], misses=[top], accesses=[5 * top])
    write_epochs(tmp_path / "t.parquet", full)
    assert read_epochs(tmp_path / "t.parquet").curve(1).accesses == 5 * top


def test_units_stand_in_the_file(file):
    schema = pq.read_schema(file)
    described = json.loads(schema.metadata[b"litemrc"])
    for name in schema.names:
        assert schema.field(name).metadata[b"unit"].decode() == described["units"][name] != ""
    assert schema.field("hits").type == pa.list_(pa.uint32())
    assert (described["pages"], described["context_names"]) == (64, {"1": "zipf", "2": "loop"})


def test_any_single_wrong_bit_is_noticed(file):
    good = file.read_bytes()
    for position in range(len(good)):
        bad = bytearray(good)
        bad[position] ^= 1 << position % 8
        file.write_bytes(bad)
        refusal(file)


def test_any_truncation_is_noticed(file):
    good = file.read_bytes()
    for length in range(0, len(good), 7):
        file.write_bytes(good[:length])
        refusal(file)
    file.write_bytes(good[: len(good) // 2])
    assert "truncated" in refusal(file).what


def test_missing_empty_and_foreign_files_are_named(tmp_path):
    assert "no such file" in refusal(tmp_path / "nowhere.parquet").what
    assert "folder" in refusal(tmp_path).what
    for name, content, what in [
        ("empty.parquet", b"", "empty"),
        ("text.parquet", b"epoch,context\n0,1\n", "not a Parquet file"),
        ("short.parquet", b"PAR1PAR1", "truncated"),
    ]:
        (tmp_path / name).write_bytes(content)
        assert what in refusal(tmp_path / name).what


def test_parquet_of_another_kind_is_named_by_its_columns(tmp_path):
    pq.write_table(pa.table({"cycle": [1], "frame": [2]}), tmp_path / "accesses.parquet")
    assert "not an epoch table: its columns are cycle, frame" in refusal(tmp_path / "accesses.parquet").what


def test_a_newer_version_is_named(file, epoch_table, monkeypatch):
    with monkeypatch.context() as newer:
        newer.setattr("litemrc.epochs.files.VERSION", 9)
        write_epochs(file, epoch_table)
    assert "version 9" in refusal(file).what


@pytest.mark.parametrize(
    "column, values, what",
    [
        (
            "hits",
            [[10, 3, 2, 0], [0, 8, 0], [6, 5, 0, 0], [0, 0, 0, 0]],
            "row 1 has 3 hit counters instead of 4",
        ),
        ("misses", [5, 2, 2, 0], "sum(hits) + misses differs from accesses"),
        ("context", [1, 9, 1, 1], "only 8 contexts"),
    ],
)
def test_counters_that_contradict_each_other_are_named(file, column, values, what):
    data = pq.read_table(file)
    field = data.schema.field(column)
    forged = data.set_column(data.schema.get_field_index(column), field, pa.array(values, field.type))
    pq.write_table(forged, file)
    reseal(file)
    assert what in refusal(file).what


def test_a_file_rewritten_by_another_program_is_refused(file):
    pq.write_table(pq.read_table(file), file)
    assert "rewrote" in refusal(file).what
    data = pq.read_table(file)
    pq.write_table(data.replace_schema_metadata({b"litemrc": data.schema.metadata[b"litemrc"]}), file)
    assert "lost its checksum" in refusal(file).what


def test_pages_carry_checksums_of_their_own(file):
    column = pq.ParquetFile(file).metadata.row_group(0).column(0)
    content = bytearray(file.read_bytes())
    content[column.dictionary_page_offset + column.total_compressed_size - 1] ^= (
        1  # last byte of its last page
    )
    with pytest.raises(OSError, match="CRC"):
        pq.ParquetFile(pa.BufferReader(bytes(content)), page_checksum_verification=True).read()


def test_a_failed_write_leaves_the_old_file_and_no_litter(file, epoch_table, monkeypatch):
    def disk_full(path: Path, content: bytes) -> None:
        path.open("wb").close()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", disk_full)
    with pytest.raises(UserError, match="No space left on device"):
        write_epochs(file, epoch_table.between(0, 1))
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert read_epochs(file).epoch.size == 4


@pytest.mark.parametrize("name", ["no/such/folder.parquet", ".", "file/t.parquet"])
def test_a_path_that_cannot_be_written_is_named(tmp_path, epoch_table, name):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot write") as caught:
        write_epochs(tmp_path / name, epoch_table)
    assert caught.value.where == str(tmp_path / name)
