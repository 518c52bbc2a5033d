# SPDX-License-Identifier: BSD-2-Clause
"""Traces of shared memory: values at and beyond their limits, in text, Parquet and URLs."""

from io import BufferedReader, BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces.formats.lines import Block
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.shared import SharedChunk, columnar, create_shared_trace, open_shared_trace
from litemrc.traces.shared.chunk import words_of_page
from litemrc.traces.shared.columnar import TYPES
from litemrc.traces.shared.text import SharedTextTrace

ROWS = {"time": [0, 2, 2], "processor": [0, 65535, 1], "page": [0, 2**56 - 1, 7], "word": [0, 255, 3]}


def stored(path, metadata=None, **changed):
    """A Parquet file of `ROWS`, of which some columns are changed; None leaves a column out."""
    columns = ROWS | {"write": [False, True, False]} | changed
    schema = pa.schema([(name, TYPES[name]) for name, values in columns.items() if values is not None])
    values = {name: columns[name] for name in schema.names}
    pq.write_table(pa.table(values, schema=schema.with_metadata(metadata)), path)
    return path


def lines(chunk: SharedChunk) -> list[tuple]:
    columns = (chunk.times, chunk.processors, chunk.words, chunk.writes)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_parquet_at_the_limits_of_its_columns_is_read(tmp_path):
    with open_shared_trace(stored(tmp_path / "a.parquet")) as trace:
        assert (trace.page_bytes, trace.time_unit, trace.origin, trace.fraction) == (1024, "", "", 0.0)
        (chunk,) = trace
        assert lines(chunk) == [(0, 0, 0, False), (2, 65535, 2**64 - 1, True), (2, 1, 7 * 256 + 3, False)]
        assert trace.fraction == 1.0
    empty = {name: [] for name in TYPES}
    said = {"page_bytes": "16", "time_unit": "turns", "origin": "by hand"}
    with open_shared_trace(stored(tmp_path / "b.parquet", said, **empty)) as trace:
        assert (trace.page_bytes, trace.time_unit, trace.origin) == (16, "turns", "by hand")
        assert (list(trace), trace.fraction) == ([], None)


@pytest.mark.parametrize(
    ("changed", "row", "why"),
    [
        ({"word": [0, 0, 256]}, 2, "word beyond the page's 256"),
        ({"page": [0, 2**56, 0]}, 1, "page number too large"),
        ({"time": [0, 2, 1]}, 2, "time is below the previous one"),
        ({"page": [None, 0, 0]}, 0, "column page is empty"),
    ],
)
@pytest.mark.parametrize("ahead", [0, 4])
def test_wrong_rows_of_parquet_are_refused_with_their_number(tmp_path, monkeypatch, changed, row, why, ahead):
    monkeypatch.setattr(columnar, "CHUNK_REFERENCES", 4)  # a batch of parquet
    rows = {name: [0] * ahead + changed.get(name, values) for name, values in ROWS.items()}
    path = stored(tmp_path / "a.parquet", **rows, write=[False] * (ahead + 3))
    with open_shared_trace(path) as trace, pytest.raises(UserError, match=why) as refused:
        list(trace)
    assert refused.value.where == f"{path}, row {ahead + row}"


def test_time_must_not_fall_between_the_batches_of_parquet(tmp_path, monkeypatch):
    monkeypatch.setattr(columnar, "CHUNK_REFERENCES", 2)
    path = stored(tmp_path / "a.parquet", time=[1, 2, 1])
    with (
        open_shared_trace(path) as trace,
        pytest.raises(UserError, match="below the previous one") as refused,
    ):
        list(trace)
    assert refused.value.where == f"{path}, row 2"


def test_files_without_a_column_or_that_are_no_parquet_are_refused(tmp_path):
    with pytest.raises(UserError, match="column word is missing"):
        open_shared_trace(stored(tmp_path / "a.parquet", word=None))
    table = pa.table({name: pa.array([1], pa.int64()) for name in TYPES})
    pq.write_table(table, tmp_path / "b.parquet")
    with pytest.raises(UserError, match="column time is int64"):
        open_shared_trace(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_text("text")
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        open_shared_trace(tmp_path / "c.parquet")
    with pytest.raises(UserError, match="suffix belongs to no format"):
        open_shared_trace(tmp_path / "a.bin")


def test_many_small_chunks_are_one_row_group_of_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    with create_shared_trace(path) as writer:
        for number in range(3):
            words = np.full(1 << 19, number, np.uint64)
            processors, writes = np.zeros(words.size, np.uint16), np.zeros(words.size, bool)
            writer.write(SharedChunk(words, processors, writes, words))
    file = pq.ParquetFile(path).metadata
    assert [file.row_group(n).num_rows for n in range(file.num_row_groups)] == [1 << 20, 1 << 19]
    assert file.metadata[b"page_bytes"] == b"1024"


@pytest.mark.parametrize(("page_bytes", "words"), [(4, 1), ("8", 2), (1 << 20, 1 << 18)])
def test_a_page_is_a_power_of_two_of_words(page_bytes, words):
    assert words_of_page(page_bytes, "here") == words


@pytest.mark.parametrize("page_bytes", [0, 2, -4, 12, "x"])
def test_other_pages_are_refused(page_bytes):
    with pytest.raises(UserError, match=f"page_bytes is {page_bytes}"):
        words_of_page(page_bytes, "here")


def text_trace(text: bytes = b"") -> SharedTextTrace:
    return SharedTextTrace(ByteSource(BufferedReader(BytesIO(text)), "t", len(text)))


FIELD = st.integers(0, 2**57).map(str) | st.text("0123456789rwxRW-+.# ", max_size=3)
EDGES = st.sampled_from(["0", "3", "255", "256", "65535", "65536", str(2**56 - 1), str(2**56), str(2**64)])


@settings(max_examples=400)
@example([["0", "0", "0", "0x0"]], 0)
@example([["0X0", "0", "0", "0"]], 0)
@given(st.lists(st.lists(FIELD | EDGES, min_size=4, max_size=4), min_size=1, max_size=3), st.integers(0, 300))
def test_many_lines_at_once_are_the_lines_one_by_one(rows, time):
    text = "".join(" ".join([*fields, "w"]) + "\n" for fields in rows).encode()
    fast, slow = text_trace(), text_trace()
    fast._time = slow._time = time
    if (chunk := fast._parse_fast(text)) is not None:
        assert lines(chunk) == lines(slow._parse_lines(Block(text, 1)))


def test_plain_lines_take_the_fast_way():
    text = f"# any\n#\n7 65535 {2**56 - 1} 255 W\n7 0 1 2 r\n".encode()
    expected = [(7, 65535, 2**64 - 1, True), (7, 0, 258, False)]
    trace = text_trace()
    trace._time = 7
    assert lines(trace._parse_fast(text)) == lines(trace._parse_lines(Block(text, 1))) == expected


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{2**64} 0 0 0 r", f"is not valid: give a number from 0 to {2**64 - 1}"),
        ("0 65536 0 0 r", "is not valid: give a number from 0 to 65535"),
        (f"0 0 {2**56} 0 r", f"is not valid: give a number from 0 to {2**56 - 1}"),
        ("0 0 0 256 r", "is not valid: give a number from 0 to 255"),
        ("0 0 0 \u0663 r", "is not valid"),
        ("0 0 0 0 r 0", "6 words in a line"),
    ],
)
def test_a_line_beyond_a_limit_is_refused_with_the_limit(line, why):
    with pytest.raises(UserError) as refused:
        list(text_trace(f"0 0 0 0 r\n{line}\n".encode()))
    assert refused.value.where == "t, line 2"
    assert why in f"{refused.value.what}: {refused.value.remedy}"


def test_time_must_not_fall_between_the_blocks_of_text(monkeypatch):
    trace = text_trace(b"5 0 0 0 r\n")
    assert trace.fraction == 1.0
    trace._blocks = iter([Block(b"4 0 0 0 r\n", 2)])
    with pytest.raises(UserError, match="time 4 comes after time 5") as refused:
        list(trace)
    assert refused.value.where == "t, line 2"
    assert list(text_trace()) == []


def test_a_head_is_read_up_to_the_first_reference():
    trace = text_trace(b"\n# page_bytes 16\n#  origin  by hand \n0 0 0 3 r\n# page_bytes 64\n")
    assert (trace.page_bytes, trace.origin) == (16, "by hand")
    assert lines(next(iter(trace))) == [(0, 0, 3, False)]


@pytest.mark.parametrize(("origin", "head"), [("", ""), ("by hand", "# origin by hand\n")])
def test_text_is_written_with_its_page_size_and_origin(tmp_path, origin, head):
    with create_shared_trace(tmp_path / "a.txt", origin=origin) as writer:
        words, processors = np.array([259], np.uint64), np.array([3], np.uint16)
        writer.write(SharedChunk(words, processors, np.array([True]), np.array([7], np.uint64)))
    assert (tmp_path / "a.txt").read_text() == f"# page_bytes 1024\n{head}7 3 1 3 w\n"


SPEECH = "speech?words=4096&focus=4096&boards=4096"


@pytest.mark.parametrize(
    "url",
    [
        *("fft?processors=4&side=4", "fft?processors=4096&side=128", "fft?side=2048&processors=2"),
        *("simple?variables=10", "simple?variables=64", SPEECH),
        f"{SPEECH}&share=0.5&own=0.25&consult=0.25",
    ],
)
def test_programs_at_their_limits_are_generated(url):
    with open_shared_trace(f"gen:{url}&n=300000") as trace:
        assert (trace.fraction, trace.time_unit, trace.origin) == (0.0, "turns", f"gen:{url}&n=300000")
        assert sum(len(chunk) for chunk in trace) == 300_000
        assert trace.fraction == 1.0


@pytest.mark.parametrize(
    ("url", "why"),
    [
        *(("fft?processors=1", "processors=1"), ("fft?processors=8192&side=2048", "processors=8192")),
        *(("fft?processors=6", "processors=6"), ("fft?processors=8&side=4", "side=4")),
        *(("fft?side=4096", "side=4096"), ("fft?side=96", "side=96")),
        *(("simple?variables=9", "variables=9"), ("simple?variables=65", "variables=65")),
        *(("speech?words=4160", "words=4160"), (f"speech?words={(1 << 24) + 4096}", "words=16781312")),
        *((f"{SPEECH}&focus=4097", "words=4096"), (f"{SPEECH}&boards=4097", "words=4096")),
        *((f"{SPEECH}&share=0.76&own=0.22", "sum to more than 1"), ("weather?table=16777217", "table=")),
        ("simple?table=16777217", "table="),
        *(("fft?seed=x", "seed=x is not a whole number"), ("fft?sides=8&wide=1", "no parameter sides, wide")),
    ],
)
def test_programs_beyond_their_limits_are_refused(url, why):
    with pytest.raises(UserError, match=why) as refused:
        open_shared_trace(f"gen:{url}")
    assert refused.value.where == f"gen:{url}" and refused.value.remedy
