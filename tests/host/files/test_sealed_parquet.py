# SPDX-License-Identifier: BSD-2-Clause
"""Sealed Parquet files: each damage is found by the check that is meant for it."""

import json
import re
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc.errors import UserError
from litemrc.files.sealed_parquet import FileKind, read_sealed, whole_column, write_sealed

KIND = FileKind("a list of numbers", "name another file")
SEAL = re.compile(rb"litemrc-crc32:[0-9a-f]{8}")


def decode(data, described):
    return whole_column(data, "n").to_pylist(), described["of"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "n.parquet"
    write_sealed(path, KIND, 2, {"n": pa.array([7, 8, 9] * 100)}, {"n": "pages"}, {"of": "tests"})
    return path


def reseal(path):
    blank = SEAL.sub(b"litemrc-crc32:00000000", path.read_bytes())
    path.write_bytes(SEAL.sub(b"litemrc-crc32:%08x" % zlib.crc32(blank), blank))


def refusal(path, decode=decode, version=2, kind=KIND):
    with pytest.raises(UserError) as refused:
        read_sealed(path, kind, version, decode)
    return refused.value.what


def test_what_was_written_is_read(file):
    assert read_sealed(file, KIND, 2, decode) == ([7, 8, 9] * 100, "tests")
    schema = pq.read_schema(file)
    assert not schema.field("n").nullable and schema.field("n").metadata == {b"unit": b"pages"}
    assert json.loads(schema.metadata[b"litemrc"]) == {
        "kind": "list of numbers", "version": 2, "units": {"n": "pages"}, "of": "tests",
    }  # fmt: skip


@pytest.mark.parametrize("version", [1, 3])
def test_another_version_or_kind_is_named(file, version):
    assert (
        refusal(file, version=version)
        == f"a list of numbers of version 2; this LiteMRC reads version {version}"
    )
    assert "not a set of words: its columns are n" in refusal(file, kind=FileKind("a set of words", ""))


def test_a_page_has_a_checksum_beside_that_of_the_file(file):
    column = pq.ParquetFile(file).metadata.row_group(0).column(0)
    content = bytearray(file.read_bytes())
    content[column.dictionary_page_offset + column.total_compressed_size - 1] ^= 1  # its last byte
    file.write_bytes(content)
    assert "do not match its checksum" in refusal(file)
    reseal(file)
    assert "the file is damaged: " in refusal(file) and "CRC" in refusal(file)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"text", "not a Parquet file"),
        (b"PAR1xyzPAR1", "truncated: its 11 bytes"),
        (b"PAR1" + bytes(9), "truncated: its 13 bytes"),
        (b"PAR1\0\0\0\0PAR1", "damaged"),  # magic, length of no description, magic
    ],
)
def test_what_is_no_file_of_ours_is_named(tmp_path, content, what):
    (tmp_path / "x.parquet").write_bytes(content)
    assert what in refusal(tmp_path / "x.parquet")


def test_a_file_without_a_description_or_a_seal_is_refused(file):
    data = pq.read_table(file)
    pq.write_table(data.replace_schema_metadata(None), file)
    assert "not a list of numbers" in refusal(file)
    pq.write_table(data.replace_schema_metadata({b"litemrc": data.schema.metadata[b"litemrc"]}), file)
    assert "lost its checksum" in refusal(file)


def test_contents_that_contradict_the_format_are_damage(file):
    for error in (ValueError, TypeError, AttributeError):

        def fail(data, described, error=error):
            raise error("row 3\nin detail")

        assert refusal(file, fail) == "the file is damaged: row 3"


def test_empty_fields_are_refused():
    assert whole_column(pa.table({"n": [1, 2]}), "n").to_pylist() == [1, 2]
    with pytest.raises(ValueError, match="column n has empty fields"):
        whole_column(pa.table({"n": [1, None]}), "n")


def test_a_folder_and_a_file_that_may_not_be_read_are_named(tmp_path, monkeypatch):
    assert refusal(tmp_path) == "is a folder, not a file"
    assert refusal(tmp_path / "none") == "no such file"

    def forbid(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "read_bytes", forbid)
    assert refusal(tmp_path / "n.parquet") == "cannot read: Permission denied"
