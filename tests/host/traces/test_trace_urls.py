# SPDX-License-Identifier: BSD-2-Clause
"""Traces at URLs of fsspec are read as files are, and their failures name the URL."""

from pathlib import Path
from types import SimpleNamespace

import fsspec
import numpy as np
import pyarrow.parquet as pq
import pytest
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.columnar import ColumnarTrace
from litemrc.traces.formats.oracle_general import RECORD, OracleGeneralTrace
from litemrc.traces.formats.streams import open_section
from litemrc.traces.generators.urls import GeneratedTrace
from litemrc.traces.opening import create_trace

PAGES = np.arange(3_000_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) % np.uint64(5000)


@pytest.fixture(params=["a.oracleGeneral", "a.oracleGeneral.zst", "a.parquet", "a.txt.gz"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> SimpleNamespace:
    """A trace as a file, and its copy in fsspec's memory."""
    path = tmp_path / request.param
    with create_trace(path) as writer:
        writer.write(Chunk(PAGES[:200_000]))
    url = f"memory://{tmp_path.name}/{request.param}"
    fsspec.filesystem("memory").pipe_file(url, path.read_bytes())
    return SimpleNamespace(path=path, url=url)


def pages_of(trace: object) -> np.ndarray:
    return np.concatenate([chunk.pages for chunk in trace])


def test_a_url_is_read_as_the_file_is(stored: SimpleNamespace) -> None:
    with open_trace(stored.url) as there, open_trace(stored.path) as here:
        assert there.name == stored.url
        assert np.array_equal(pages_of(there), pages_of(here))
        assert there.fraction == 1.0


def test_a_truncated_url_is_refused_with_its_name(stored: SimpleNamespace) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe_file(stored.url, memory.cat_file(stored.url)[:-5])
    with pytest.raises(UserError) as caught, open_trace(stored.url) as trace:
        pages_of(trace)
    assert caught.value.where.startswith(stored.url)


@pytest.mark.parametrize(
    ("url", "what", "remedy"),
    [
        ("memory://no/such.parquet", "cannot read: No such file or directory", "check the name"),
        ("memory://no/such.oracleGeneral", "cannot read: No such file or directory", "check the name"),
        ("nonesuch://bucket/a.parquet", "cannot read such URLs", "check the URL"),
        ("s3://bucket/a.parquet", "cannot read such URLs", "pip install s3fs"),
        ("memory://a.unknown", "suffix belongs to no format", "--format"),
    ],
)
def test_what_is_not_there_is_refused_by_its_url(url: str, what: str, remedy: str) -> None:
    if url.startswith("s3") and "s3fs" in fsspec.available_protocols():
        pytest.skip("s3fs is installed")
    with pytest.raises(UserError, match=what) as caught, open_trace(url) as trace:
        pages_of(trace)
    assert caught.value.where == url
    assert remedy in caught.value.remedy


def test_a_failure_in_the_middle_of_a_url_is_an_error_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "memory://breaks/a.oracleGeneral"
    records = np.zeros(400_000, RECORD)
    fsspec.filesystem("memory").pipe_file(url, records.tobytes())
    trace = open_trace(url)
    chunks = iter(trace)
    next(chunks)

    class ConnectionLostError(Exception):
        """As of a client of a network: no OSError."""

    def lost(buffer: object) -> int:
        raise ConnectionLostError("the server has gone")

    monkeypatch.setattr(trace._source._raw.raw._file, "readinto", lost)
    with pytest.raises(UserError, match="the server has gone") as caught:
        list(chunks)
    assert caught.value.where == f"{url}, byte {(1 << 17) * 24}"
    trace.close()


def test_sections_of_a_file_are_its_references_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.oracleGeneral"
    with create_trace(path) as writer:
        writer.write(Chunk(PAGES))
    size, found = RECORD.itemsize, []
    for start, stop in ((0, 7), (7, 200_000), (200_000, 200_000), (200_000, PAGES.size)):
        with OracleGeneralTrace(open_section(path, start * size, stop * size)) as trace:
            found += [chunk.pages for chunk in trace]
            assert stop == start or trace.fraction == 1.0
    assert np.array_equal(np.concatenate(found), PAGES)


def test_an_error_in_a_section_has_its_place_in_the_file(tmp_path: Path) -> None:
    records = np.zeros(1000, RECORD)
    records["time"] = np.arange(1000)
    records["time"][700] = 3
    path = tmp_path / "a.oracleGeneral"
    path.write_bytes(records.tobytes())
    with (
        OracleGeneralTrace(open_section(path, 600 * 24, 900 * 24)) as trace,
        pytest.raises(UserError) as caught,
    ):
        list(trace)
    assert caught.value.where == f"{path}, byte {700 * 24}"


def test_row_groups_of_a_file_are_its_references_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with create_trace(path) as writer:
        for part in np.array_split(PAGES, 30):
            writer.write(Chunk(part))
    groups = pq.ParquetFile(path).num_row_groups
    assert groups > 2
    with ColumnarTrace(path, range(2)) as first, ColumnarTrace(path, range(2, groups)) as rest:
        assert np.array_equal(np.r_[pages_of(first), pages_of(rest)], PAGES)
        assert first.fraction == rest.fraction == 1.0


def test_sections_of_a_generated_trace_are_its_references_in_order() -> None:
    url = "gen:zipf?pages=1000&n=400000&writes=0.3"
    whole = pages_of(GeneratedTrace(url))
    parts = [GeneratedTrace(url, range(a, b)) for a, b in ((0, 5), (5, 250_000), (250_000, 400_000))]
    assert np.array_equal(np.concatenate([pages_of(part) for part in parts]), whole)
    assert [part.fraction for part in parts] == [1.0, 1.0, 1.0]
