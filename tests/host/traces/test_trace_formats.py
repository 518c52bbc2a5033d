# SPDX-License-Identifier: BSD-2-Clause
"""All formats: what is written is what is read, whatever the compression; nothing bad is read or written."""

import gzip
import lzma
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import Chunk, open_trace
from litemrc.traces.opening import FORMATS, create_trace, format_of

from tests.host.trace_columns import chunk_of, columns, joined
from tests.timeouts import scaled_timeout

COMPRESSIONS = ["", ".gz", ".zst", ".xz"]
HEAD = "# page_bytes 4096\n"  # of a text trace
WORD = st.integers(0, 2**64 - 1)
SMALL = st.integers(0, 2**32 - 1)


@st.composite
def traces(draw, time=WORD, everything: bool = False) -> list[Chunk]:
    """A trace as chunks; with all columns or some."""
    count = draw(st.integers(0, 40))
    has = (True, True, True) if everything else draw(st.tuples(*[st.booleans()] * 3))
    sized = {"min_size": count, "max_size": count}
    whole = (
        draw(st.lists(WORD, **sized)),
        draw(st.lists(st.booleans(), **sized)) if has[0] else None,
        sorted(draw(st.lists(time, **sized))) if has[1] else None,
        draw(st.lists(SMALL, **sized)) if has[2] else None,
    )
    cut = draw(st.integers(0, count))
    return [chunk_of(*(c and c[part] for c in whole)) for part in (slice(cut), slice(cut, None))]


def store(path: Path, chunks: list[Chunk]) -> None:
    with create_trace(path) as writer:
        for chunk in chunks:
            writer.write(chunk)


anything = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@anything
@given(chunks=traces())
def test_parquet_keeps_all_columns(tmp_path, chunks):
    store(tmp_path / "t.parquet", chunks)
    expected = joined(chunks)
    if not expected["pages"]:
        expected = dict.fromkeys(expected)  # no chunk is read where nothing was referenced
        assert list(open_trace(tmp_path / "t.parquet")) == []
    else:
        assert columns(tmp_path / "t.parquet") == expected


@pytest.mark.parametrize("compression", COMPRESSIONS)
@anything
@given(chunks=traces(everything=True))
def test_text_keeps_all_columns(tmp_path, compression, chunks):
    path = tmp_path / f"t.txt{compression}"
    store(path, chunks)
    expected = joined(chunks)
    assert columns(path) == (expected if expected["pages"] else dict.fromkeys(expected))


@pytest.mark.parametrize("compression", COMPRESSIONS)
@anything
@given(chunks=traces(time=SMALL, everything=True))
def test_oracle_general_keeps_times_and_pages(tmp_path, compression, chunks):
    path = tmp_path / f"t.oracleGeneral{compression}"
    store(path, chunks)
    expected = joined(chunks)
    read = columns(path)
    assert (read["pages"], read["times"]) == (expected["pages"] or None, expected["times"] or None)
    assert read["writes"] is read["contexts"] is None


def test_text_of_pages_alone_stays_pages_alone(tmp_path):
    store(tmp_path / "t.txt", [chunk_of([7, 2**64 - 1]), chunk_of([0])])
    assert (tmp_path / "t.txt").read_text() == HEAD + "7\n18446744073709551615\n0\n"


def test_text_without_times_counts_references_and_without_directions_reads(tmp_path):
    store(tmp_path / "t.txt", [chunk_of([5, 6], contexts=[1, 2]), chunk_of([7], contexts=[1])])
    assert (tmp_path / "t.txt").read_text() == HEAD + "0 5 r 1\n1 6 r 2\n2 7 r 1\n"


@pytest.mark.parametrize("compression, command", [(".gz", "gzip"), (".xz", "xz"), (".zst", "zstd")])
def test_the_compression_is_that_of_the_common_tools(tmp_path, compression, command):
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")
    pages = np.arange(200_000, dtype=np.uint64)
    store(tmp_path / f"t.txt{compression}", [Chunk(pages)])
    done = subprocess.run(
        [command, "-dc", tmp_path / f"t.txt{compression}"], capture_output=True, timeout=scaled_timeout(60)
    )
    assert done.stdout == (HEAD + "".join(f"{page}\n" for page in range(200_000))).encode()


def test_compression_is_seen_in_the_bytes_not_in_the_name(tmp_path):
    (tmp_path / "t.txt").write_bytes(gzip.compress(b"1\n") + gzip.compress(b"2\n"))
    assert columns(tmp_path / "t.txt")["pages"] == [1, 2]


@pytest.mark.parametrize("name", ["t.txt", "t.oracleGeneral"])
@pytest.mark.parametrize(
    "compress", [gzip.compress, lzma.compress, lambda data: pa.compress(data, "zstd", asbytes=True)]
)
def test_a_truncated_archive_is_an_error_with_its_place(tmp_path, name, compress):
    rng = np.random.default_rng(1)
    pages = rng.integers(0, 1 << 40, 50_000, dtype=np.uint64)
    store(tmp_path / name, [Chunk(pages)])
    whole = compress((tmp_path / name).read_bytes())
    path = tmp_path / f"cut.{name}"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="truncated or damaged") as caught:
        columns(path)
    assert str(path) in caught.value.where and "byte" in caught.value.where and caught.value.remedy


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_a_truncated_table_is_an_error_with_its_file(tmp_path, name):
    with create_trace(tmp_path / "t.parquet") as writer:
        writer.write(Chunk(np.arange(1000, dtype=np.uint64)))
    if name == "t.arrow":
        table = pa.table({"page": pa.array(range(100_000), pa.uint64())})
        with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as sink:
            sink.write_table(table)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError) as caught:
        columns(tmp_path / name)
    assert name in caught.value.where and caught.value.remedy


@pytest.mark.parametrize("name", ["t.txt", "t.oracleGeneral.zst", "t.parquet", "t.inout.gz"])
def test_a_failed_write_leaves_nothing_and_keeps_what_was_there(tmp_path, name):
    (tmp_path / name).write_bytes(b"old")

    def fail_half_way():
        with create_trace(tmp_path / name) as writer:
            writer.write(chunk_of([1, 2], times=[1, 2]))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == b"old"


@pytest.mark.parametrize(
    "name, expected",
    [
        ("w.oracleGeneral.bin.zst", "oracleGeneral"),
        ("a.TXT", "text"),
        ("a.trace.xz", "text"),
        ("a.lackey.gz", "lackey"),
        ("a.feather", "arrow"),
        ("a.inout.zst", "intervals"),
    ],
)
def test_the_format_follows_from_the_name(name, expected):
    assert format_of(name) is FORMATS[expected]


@pytest.mark.parametrize(
    "name, complaint",
    [
        ("missing.txt", "No such file"),
        ("folder.txt", "Is a directory"),
        ("a.bin", "suffix belongs to no format"),
    ],
)
def test_what_cannot_be_opened_is_refused(tmp_path, name, complaint):
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(UserError, match=complaint) as caught:
        columns(tmp_path / name)
    assert name in caught.value.where and caught.value.remedy


@pytest.mark.parametrize(
    "name, complaint",
    [("a.lackey", "read only"), ("a.arrow", "read only"), ("a.parquet.gz", "has its own compression")],
)
def test_what_cannot_be_written_is_refused(tmp_path, name, complaint):
    with pytest.raises(UserError, match=complaint) as caught, create_trace(tmp_path / name):
        pass
    assert name in caught.value.where and caught.value.remedy
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "pages, writes",
    [(np.zeros(3, dtype=np.int64), None), (np.zeros(3, dtype=np.uint64), np.zeros(2, dtype=bool))],
)
def test_a_chunk_refuses_columns_of_other_types_and_lengths(pages, writes):
    with pytest.raises(ValueError, match="column"):
        Chunk(pages, writes)


def test_a_memory_of_no_pages_is_refused():
    with open_trace("gen:loop?n=10") as trace, pytest.raises(UserError, match=r"at least 1 page \(got 0\)"):
        trace.check_memory(0)
