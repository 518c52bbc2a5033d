# SPDX-License-Identifier: BSD-2-Clause
"""A small file that stands for very much is refused with its place and a remedy, in bounded time."""

import bz2
import gzip
import lzma
import resource
import struct
import subprocess
import sys
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc.errors import UserError
from litemrc.traces import bounds, open_trace
from litemrc.traces.formats.byte_accesses import ByteAccesses
from litemrc.traces.sections import Section
from litemrc.traces.shared import SharedChunk, create_shared_trace, open_shared_trace

from tests.timeouts import scaled_timeout

RAW = (
    "base_time_absolute: 0 ns\n\nmonitoring_start: 0 ns\nmonitoring_end: 100 ms\n"
    "target_id: 0\nnr_regions: 1\n{begin:x}-{end:x} (1 B) {accesses} 1\n"
)


def written(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def references(path, **options):
    with open_trace(path, **options) as trace:
        return sum(len(chunk) for chunk in trace)


def json_record(end, samples):
    return (
        '[{"target_id": 0, "intervals": {"sample_us": 1, "aggr_us": 1}, "snapshots": [{"end_time": 1,'
        f' "regions": [{{"start": 0, "end": {end}, "nr_accesses": {{"samples": {samples}}}}}]}}]}}]'
    )


TRACED = "x 1 [0] 1.000000: damon:damon_aggregated: target_id=1 nr_regions=1 0-{end}: {accesses} 0\n"


@pytest.mark.parametrize(
    "record",
    [
        RAW.format(begin=0, end=2**64 - 1, accesses=2**20),
        RAW.format(begin=0, end=2**64 - 1, accesses=1),
        RAW.format(begin=0, end=2**42, accesses=1),  # 2^30 pages of 4 KiB: above 2^28
        RAW.format(begin=0, end=2**30, accesses=2**20),  # few pages, 2^38 references
        json_record(2**64 - 1, 20),
        TRACED.format(end=2**63, accesses=5),
    ],
)
def test_regions_that_stand_for_too_many_references_are_refused_before_the_first(tmp_path, record):
    trace = open_trace(written(tmp_path, "t.damon", record))
    with trace, pytest.raises(UserError, match=r"stand for|accessed regions have") as refused:
        next(iter(trace))
    assert "--unbounded" in refused.value.remedy and "t.damon" in refused.value.where
    with open_trace(tmp_path / "t.damon", bounded=False) as trace:
        assert len(next(iter(trace)))


def test_a_large_region_that_is_not_accessed_and_a_real_one_are_read(tmp_path):
    record = RAW.format(begin=0, end=2**47, accesses=0)
    assert references(written(tmp_path, "idle.damon", record)) == 0
    real = RAW.format(begin=0, end=64 << 20, accesses=20)
    assert references(written(tmp_path, "real.damon", real)) == (64 << 20) // 4096 * 20


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("interval 1\n0 IN 1\n9223372036854775808 OUT 1\n", "stand for 9,223,372,036,854,775,808 references"),
        ("interval " + "9" * 4000 + "\n0 IN 1\n", "the interval length is missing"),
        ("interval 1\n0 IN " + "9" * 5000 + "\n", "is not a record"),
    ],
)
def test_intervals_that_stand_for_too_many_references_are_refused(tmp_path, content, message):
    with pytest.raises(UserError, match=message):
        references(written(tmp_path, "t.inout", content))


@pytest.mark.parametrize(("name", "head"), [("t.csv", "address,size\n"), ("t.din", "")])
def test_accesses_of_very_many_bytes_are_refused_by_their_sum(tmp_path, name, head):
    line = "0,{}\n" if head else "r 0 {:x}\n"
    giant = head + line.format(1 << 44)  # 2^32 pages
    with pytest.raises(UserError, match="stand for") as refused:
        references(written(tmp_path, name, giant))
    assert "after line" in refused.value.where
    large = head + line.format(5 << 30)  # an object of 5 GiB
    assert references(written(tmp_path, name, large)) == (5 << 30) // 4096


def test_long_accesses_are_yielded_in_chunks_of_limited_size():
    addresses = np.array([4000, 0, 10 * 4096], np.uint64)
    sizes = np.array([200, 1 << 31, 1], np.uint64)
    times = np.array([1, 2, 3], np.uint64)
    chunks = list(ByteAccesses(addresses, sizes, times=times).chunks(4096))
    assert max(map(len, chunks)) <= 1 << 18
    # 4000..4199 touches pages 0 and 1; 2 GiB from 0 touch 2^19 pages; a byte touches one.
    assert np.concatenate([chunk.pages for chunk in chunks]).tolist() == [0, 1, *range(1 << 19), 10]
    assert np.concatenate([chunk.times for chunk in chunks]).tolist() == [1, 1, *[2] * (1 << 19), 3]


def bomb(folder, name, fill, mebibytes):
    """Return a file of a few KB that holds as many MiB of one byte."""
    path = folder / f"{name}.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as sink:
        for _ in range(mebibytes):
            sink.write(fill * (1 << 20))
    assert path.stat().st_size < 1 << 18
    return path


@pytest.mark.parametrize(("name", "fill"), [("t.txt", b"\n"), ("t.oracleGeneral", b"\0"), ("t.csv", b"\n")])
def test_a_compressed_file_that_expands_without_end_is_refused(tmp_path, monkeypatch, name, fill):
    monkeypatch.setattr(bounds, "ALWAYS_BYTES", 8 << 20)
    path = bomb(tmp_path, name, fill, 42)  # a multiple of 24 bytes
    with pytest.raises(UserError, match="hold more than") as refused:
        references(path)
    assert refused.value.remedy == bounds.REMEDY and "byte" in refused.value.where
    assert references(path, bounded=False) == (42 * 2**20 // 24 if name == "t.oracleGeneral" else 0)


def test_a_record_that_is_read_as_a_whole_is_refused_in_limited_memory(tmp_path):
    path = bomb(tmp_path, "t.damon", b" ", 2000)
    script = "import sys; from litemrc.cli.main import main; sys.exit(main(sys.argv[1:]))"
    limit = 1 << 30
    ran = subprocess.run(
        [sys.executable, "-c", script, "trace", "info", str(path)],
        capture_output=True,
        text=True,
        timeout=scaled_timeout(60),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
    )
    assert ran.returncode == 2, ran.stderr[-2000:]
    assert "--unbounded" in ran.stderr and path.name in ran.stderr


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)],
)
def test_a_regular_trace_that_compresses_well_is_read(tmp_path, suffix, compress):
    text = b"".join(b"%d\n" % page for page in range(1000)) * 200
    path = written(tmp_path, f"t.txt{suffix}", compress(text) + compress(b"7\n"))  # two streams are one file
    assert path.stat().st_size < len(text) // 50 or suffix == ".gz"
    assert references(path) == 200_001
    path.write_bytes(compress(text)[:-20])
    with pytest.raises(UserError, match="truncated or damaged"):
        references(path)


def test_an_xz_file_that_asks_for_too_much_memory_is_refused(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    path = tmp_path / "t.txt.xz"
    # The encoder takes 10 times the dictionary, so only the header of a small file states the large one.
    plain = bytearray(lzma.compress(b"1\n", filters=[filters[0] | {"dict_size": 1 << 16}]))
    size = plain[14 + 2]
    header = plain[12 : 12 + 8]
    assert header[4] == size  # the byte of the dictionary's size in the block's header
    header[4] = 36  # 2^30 bytes: (2 | 36 & 1) << (36 // 2 + 11)
    plain[12:20] = header
    plain[20:24] = zlib.crc32(bytes(plain[12:20])).to_bytes(4, "little")
    path.write_bytes(plain)
    with pytest.raises(UserError, match="truncated or damaged"):
        references(path)


def test_a_column_of_equal_values_may_not_state_a_trillion_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "ALWAYS_BYTES", 4 << 20)
    pq.write_table(pa.table({"page": np.zeros(1 << 20, np.uint64)}), tmp_path / "t.parquet")  # 8 MiB
    assert (tmp_path / "t.parquet").stat().st_size < 4 << 10
    with pytest.raises(UserError, match="hold more than"), open_trace(tmp_path / "t.parquet") as trace:
        next(iter(trace))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("t.perf", b"a" * 60_000),
        ("t.memtrace", b"1: W0.T1 read 8 byte(s) @ 0x10\nW 1" + b"1" * 60_000),
        ("t.memtrace", b"1: W0.T1 read 8 byte(s) @ 0x10\nW 1 " + b"12 " * 20_000 + b"x"),
        ("t.damon", b"monitoring_end: 1\ntarget_id: " + b" " * 60_000 + b"x"),
        ("t.damon", b'[{"snapshots": [{"end_time": "1s' + b"1" * 60_000 + b'", "regions": []}]}]'),
        ("t.txt", b"9" * 60_000),
        ("t.lackey", b" L ffffffffffffffff,8"),
        ("t.csv", b'page\n"' + b"1" * 60_000),
    ],
    ids=["event", "digits", "code", "blanks", "time", "number", "border", "quote"],
)
def test_hostile_lines_take_no_more_than_linear_time(tmp_path, name, line):
    path = written(tmp_path, name, (line + b"\n") * 20)
    try:
        references(path)
    except UserError as error:
        assert len(str(error)) < 1000


def test_a_section_of_a_trace_keeps_the_bounds(tmp_path):
    path = written(tmp_path, "t.damon", RAW.format(begin=0, end=2**63, accesses=9))
    with Section(str(path)).open() as trace, pytest.raises(UserError, match="stand for"):
        next(iter(trace))


FLIPS = """
import sys
from pathlib import Path
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.formats.columnar import row_group_bytes
whole, path, ended = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), 0
for at in range(8 * len(whole)):
    data = bytearray(whole)
    data[at // 8] ^= 1 << at % 8
    path.write_bytes(data)
    for read in (lambda: row_group_bytes(path), lambda: sum(map(len, open_trace(path)))):
        try:
            read()
        except UserError:
            ended += 1
print(ended)
"""


def test_no_wrong_bit_of_a_parquet_file_ends_the_process(tmp_path):
    """pyarrow ends it where statistics of a column do not fit, unless they are left alone."""
    columns = {"time": np.arange(2, dtype=np.uint64), "page": np.arange(2, dtype=np.uint64)}
    pq.write_table(pa.table(columns), tmp_path / "whole.parquet")
    command = [sys.executable, "-c", FLIPS, tmp_path / "whole.parquet", tmp_path / "t.parquet"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(100))
    assert ran.returncode == 0 and int(ran.stdout) > 1000, ran.stderr[-2000:]


def arrow(path, pages, *, compression="zstd", stream=False):
    table = pa.table({"page": pages})
    writer = pa.ipc.new_stream if stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with writer(str(path), table.schema, options=options) as sink:
        sink.write_table(table)
    return path


@pytest.mark.parametrize("stream", [False, True])
def test_an_arrow_file_that_expands_without_end_is_refused_before_it_is_expanded(
    tmp_path, monkeypatch, stream
):
    monkeypatch.setattr(bounds, "ALWAYS_BYTES", 4 << 20)
    path = arrow(tmp_path / "t.arrow", np.zeros(1 << 20, np.uint64), stream=stream)  # 8 MiB
    assert path.stat().st_size < 4 << 10
    before = pa.total_allocated_bytes()
    with open_trace(path) as trace, pytest.raises(UserError, match="hold more than") as refused:
        next(iter(trace))
    assert refused.value.remedy == bounds.REMEDY and "t.arrow, message 1" in refused.value.where
    assert pa.total_allocated_bytes() - before < 1 << 20
    assert references(path, bounded=False) == 1 << 20


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("stream", [False, True])
def test_arrow_files_of_any_compression_are_read(tmp_path, compression, stream):
    pages = np.arange(100_000, dtype=np.uint64)
    path = arrow(tmp_path / "t.arrow", pages, compression=compression, stream=stream)
    with open_trace(path) as trace:
        assert np.array_equal(np.concatenate([chunk.pages for chunk in trace]), pages)


def test_a_shared_trace_of_equal_values_may_not_state_a_trillion_rows(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    rows = 1 << 19
    with create_shared_trace(path) as writer:
        zeros = np.zeros(rows, np.uint64)
        writer.write(SharedChunk(zeros, zeros.astype(np.uint16), zeros.astype(bool), zeros))
    with open_shared_trace(path) as trace:
        assert sum(len(chunk.words) for chunk in trace) == rows
    monkeypatch.setattr(bounds, "ALWAYS_BYTES", 1 << 19)
    monkeypatch.setattr(bounds, "BYTES_PER_BYTE", 100)
    with pytest.raises(UserError, match="hold more than"), open_shared_trace(path) as trace:
        next(iter(trace))


@pytest.mark.parametrize("stream", [False, True])
def test_no_wrong_bit_of_an_arrow_file_ends_otherwise_than_by_an_error_of_the_user(tmp_path, stream):
    whole = arrow(tmp_path / "whole.arrow", np.arange(40, dtype=np.uint64), stream=stream).read_bytes()
    path, refused = tmp_path / "t.arrow", 0
    for at in range(8 * len(whole)):
        data = bytearray(whole)
        data[at // 8] ^= 1 << at % 8
        path.write_bytes(data)
        try:
            references(path)
        except UserError:
            refused += 1
    assert refused > len(whole)


def test_a_message_whose_body_ends_before_its_header_is_refused(tmp_path):
    """It would be the next message again and again."""
    path = arrow(tmp_path / "t.arrow", np.arange(40, dtype=np.uint64), stream=True)
    data = path.read_bytes()
    (schema,) = struct.unpack_from("<I", data, 4)
    at = 8 + schema + 8  # of the batch's header
    (table,) = struct.unpack_from("<I", data, at)
    fields = at + table - struct.unpack_from("<i", data, at + table)[0]
    body = at + table + struct.unpack_from("<H", data, fields + 4 + 2 * 3)[0]
    path.write_bytes(data[:body] + struct.pack("<q", at - 8 - len(data)) + data[body + 8 :])
    with pytest.raises(UserError, match="damaged"):
        references(path)
