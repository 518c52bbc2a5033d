# SPDX-License-Identifier: BSD-2-Clause
"""The parts of traces at their limits: blocks of lines, sizes, times, page sets, writers' defaults."""

import struct
from io import BufferedReader, BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.cache_shape import INSTRUCTIONS, LEVELS, CacheShape, size_of
from litemrc.traces.formats import columnar
from litemrc.traces.formats.lines import LONGEST_LINE, blocks
from litemrc.traces.formats.streams import ByteSource, plain_name
from litemrc.traces.formats.text import TextTrace
from litemrc.traces.opening import create_trace
from litemrc.traces.qemu.monitored import Monitor
from litemrc.traces.recorder.recording import TURN, Recording
from litemrc.traces.summary import PageSet, Summary, space_time
from litemrc.traces.trace import WriteOptions, first_disorder, stored_size

from tests.host.trace_columns import chunk_of, columns, joined


def source(text: bytes, total: int | None = None) -> ByteSource:
    return ByteSource(BufferedReader(BytesIO(text)), "t", total)


@pytest.mark.parametrize("block_bytes", [1, 2, 3, 5, 100])
def test_blocks_are_whole_lines_with_the_number_of_their_first(block_bytes):
    text = b"a\nbb\n\ncccc\ndd"
    found = list(blocks(source(text), block_bytes))
    assert b"".join(block.text for block in found) == text
    assert all(block.text.endswith(b"\n") for block in found[:-1]) and found[-1].text == b"dd"
    assert [block.first_line for block in found] == [
        1 + text[: text.index(block.text)].count(b"\n") if block.text != b"\n" else 3 for block in found
    ]


def test_lines_are_text_of_at_most_64_kib():
    longest = b"7" * LONGEST_LINE
    assert [len(block.text) for block in blocks(source(longest), 1 << 10)] == [1 << 16]
    for wrong in (longest + b"7", b"1\n\0", b"1\0\n"):
        with pytest.raises(UserError, match="not a text file") as refused:
            list(blocks(source(wrong), 1 << 20))
        assert refused.value.where == "t, after line 1"


def test_progress_is_the_share_of_the_stored_bytes():
    half = source(b"1234", 8)
    assert half.fraction == 0.0
    half.read(4)
    assert (half.fraction, half.offset, half.where(3)) == (0.5, 4, "t, byte 3")
    assert source(b"1").fraction is source(b"", 0).fraction is None
    over = source(b"1234", 2)
    over.read(4)
    assert over.fraction == 1.0, "the file grew"
    assert [plain_name(name) for name in ("a.txt.gz", "b.TXT.XZ", "c.txt")] == ["a.txt", "b.TXT", "c.txt"]


def test_disorder_is_the_first_time_below_the_one_before():
    times = [np.array(each, np.uint64) for each in ([], [5, 5], [4, 9], [5, 7, 6, 1])]
    assert [first_disorder(each, 5) for each in times] == [None, None, 0, 2]


def test_writers_have_pages_of_4_kib_and_intervals_of_a_million_by_default():
    assert WriteOptions() == WriteOptions(page_bytes=4096, time_unit="", interval=1_000_000, origin="")
    assert [stored_size(text, "here") for text in ("1", "4096", str(1 << 47))] == [1, 4096, 1 << 47]
    for text in ("0", "3", str(1 << 48), "-4", "\u0664"):
        with pytest.raises(UserError, match="page_bytes is"):
            stored_size(text, "here")


def test_a_memory_is_checked_against_the_smallest_exact_one():
    with open_trace("gen:loop?n=1") as trace:
        trace.check_memory(1)
        trace.minimum_pages = 3
        trace.check_memory(3)
        with pytest.raises(UserError, match="a memory of 2 pages cannot be simulated"):
            trace.check_memory(2)


def test_a_text_without_times_that_starts_later_is_refused_at_its_first_line():
    trace = TextTrace(source(b"4 2 r\n"))
    trace._time = 5
    with pytest.raises(UserError, match="time 4 comes after time 5") as refused:
        list(trace)
    assert refused.value.where == "t, line 1"
    assert joined(list(TextTrace(source(b"0 0x10 w 0xFFFFFFFF\n7 1 r 0\n")))) == {
        "pages": [16, 1], "writes": [True, False], "times": [0, 7], "contexts": [2**32 - 1, 0],
    }  # fmt: skip


def test_times_of_oracle_general_are_numbers_of_references_if_there_are_none(tmp_path):
    path = tmp_path / "t.oracleGeneral"
    with create_trace(path) as writer:
        writer.write(chunk_of([7, 8]))
        writer.write(chunk_of([9]))
    records = list(struct.iter_unpack("<IQIq", path.read_bytes()))
    assert records == [(0, 7, 4096, -1), (1, 8, 4096, -1), (2, 9, 4096, -1)]
    with create_trace(path):
        pass
    assert path.read_bytes() == b""


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_wrong_rows_of_tables_count_from_the_files_first_row(tmp_path, monkeypatch, batch):
    monkeypatch.setattr(columnar, "CHUNK_REFERENCES", batch)
    path = tmp_path / "t.parquet"
    for wrong, why in ((None, "column page is empty"), (-1, "page -1 is negative or too large")):
        pq.write_table(pa.table({"page": pa.array([1, 2, 3, 4, wrong], pa.int64())}), path)
        with pytest.raises(UserError, match=why) as refused:
            columns(path)
        assert refused.value.where == f"{path}, row 4"
    pq.write_table(pa.table({"page": [2**32, 1], "context": [2**32 - 1, 0]}), path)
    assert columns(path)["contexts"] == [2**32 - 1, 0]


def test_progress_of_tables_is_the_share_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(columnar, "CHUNK_REFERENCES", 2)
    with create_trace(tmp_path / "t.parquet") as writer:
        writer.write(chunk_of([1, 2, 3, 4]))
    with open_trace(tmp_path / "t.parquet") as trace:
        assert trace.fraction == 0.0
        assert [(len(chunk), trace.fraction) for chunk in trace] == [(2, 0.5), (2, 1.0)]
        assert (trace.notes, trace.time_unit, trace.origin) == ([], "", "")
    with create_trace(tmp_path / "e.parquet"):
        pass
    with open_trace(tmp_path / "e.parquet") as trace:
        assert (list(trace), trace.fraction) == ([], None)


def test_row_groups_of_parquet_have_a_million_rows(tmp_path):
    with create_trace(tmp_path / "t.parquet") as writer:
        for number in range(3):
            writer.write(chunk_of([number] * (1 << 19)))
    stored = pq.ParquetFile(tmp_path / "t.parquet").metadata
    assert [stored.row_group(n).num_rows for n in range(stored.num_row_groups)] == [1 << 20, 1 << 19]


def test_cache_shapes_are_powers_of_two_and_written_with_the_largest_unit():
    for text, shape in {
        "16k:4:32": CacheShape(16 << 10, 4, 32), "2m:8:64": CacheShape(2 << 20, 8, 64),
        "96:3:32": CacheShape(96, 3, 32), "1k:1:1": CacheShape(1 << 10, 1, 1),
        "4k:1:32:wt": CacheShape(4 << 10, 1, 32, write_through=True),
    }.items():  # fmt: skip
        assert CacheShape.parse(text) == shape and str(shape) == text
    assert CacheShape.parse("48k:3:32").sets == 512, "3 ways"
    for wrong in ("48k:4:32", "96k:2:48", "100:1:32", "1:1:1:1", "4k:1:32:wb"):
        with pytest.raises(UserError):
            CacheShape.parse(wrong)
    for wrong in ("", "0", "k", "1g", "-1", "1" * 16):
        with pytest.raises(UserError, match="is not a size"):
            size_of(wrong)
    assert size_of("9" * 15) == 10**15 - 1


def test_lines_of_lower_caches_do_not_get_shorter():
    Monitor(4096, [CacheShape(64, 1, 16), CacheShape(64, 1, 32)], CacheShape(64, 1, 32))
    third = [CacheShape(64, 1, 16), CacheShape(64, 1, 32), CacheShape(64, 1, 16)]
    for levels, code in ((third, None), (third[:1] * 2, CacheShape(64, 1, 32))):
        with pytest.raises(UserError, match="shorter lines"):
            Monitor(4096, levels, code)
    with pytest.raises(UserError, match="longer than a page"):
        Monitor(64, [CacheShape(256, 1, 128)], None)
    assert [str(shape) for shape in (INSTRUCTIONS, *LEVELS)] == ["16k:1:32", "16k:4:32", "256k:4:64"]


def test_page_sets_keep_pages_on_both_sides_of_the_map():
    pages = PageSet()
    edge = [2**26 - 1, 2**26, 2**64 - 1]
    for part in ([], [3], edge, [0], [2**26], [2**26 - 1]):
        pages.add(np.array(part, np.uint64))
    assert pages.numbers().tolist() == [0, 3, *edge]
    assert pages._map.size == 1 << 26


def test_summaries_of_nothing_and_of_pages_alone():
    summary = Summary()
    summary.add(chunk_of([], writes=[], times=[], contexts=[]))
    assert (summary.references, summary.writes, summary.first_time, summary.contexts) == (0, None, None, {})
    summary.add(chunk_of([7], times=[0]))
    summary.add(chunk_of([7], times=[4]))
    assert (summary.references, summary.first_time, summary.last_time) == (2, 0, 4)


def test_graphs_have_600_by_1200_cells_at_most():
    chunks = [chunk_of(list(range(1300)))]
    summary = Summary()
    summary.add(chunks[0])
    assert space_time(chunks, summary).referenced.shape == (600, 1200)


def test_recorded_words_of_the_heap_follow_the_largest_static_data():
    """A record holds the address, a write in bit 44 and the thread above; the heap begins at 2^40."""
    recording = Recording([])
    assert (TURN, recording._turn, recording._arguments, recording.exit_code) == (16, 16, [], None)
    records = np.array([2 << 45 | 1 << 44 | (1 << 40) + 8, (1 << 32) - 4], np.uint64)
    for first in (0, 2):
        chunk = recording._chunk(records)
        assert chunk.words.tolist() == [(2**32 + 8) // 4, 2**30 - 1]
        assert (chunk.processors.tolist(), chunk.writes.tolist()) == ([2, 0], [True, False])
        assert chunk.times.tolist() == [first, first + 1]
    assert recording.references == 4
