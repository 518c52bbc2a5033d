# SPDX-License-Identifier: BSD-2-Clause
"""Parquet and Arrow: tables of others, the accesses of a simulation, and rows that are wrong."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc.device.simulation.recording import Recording, TapCheck
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.formats import columnar
from litemrc.traces.opening import WriteOptions, create_trace

from tests.host.trace_columns import chunk_of, columns


def parquet(tmp_path, **data):
    pq.write_table(pa.table(data), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_other_integers_and_column_orders_are_taken(tmp_path):
    path = parquet(
        tmp_path,
        write=[True, False],
        label=["a", "b"],
        page=pa.array([5, 6], pa.int32()),
        time=pa.array([1, 1], pa.int64()),
        context=pa.array([3, 4], pa.uint8()),
    )
    assert columns(path) == {"pages": [5, 6], "writes": [True, False], "times": [1, 1], "contexts": [3, 4]}


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow_files_and_streams_are_read(tmp_path, kind):
    table = pa.table({"page": pa.array([5, 6], pa.uint64()), "write": [True, False]})
    opened = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with opened(tmp_path / "t.arrow", table.schema) as sink:
        sink.write_table(table)
    assert columns(tmp_path / "t.arrow") == {
        "pages": [5, 6], "writes": [True, False], "times": None, "contexts": None,
    }  # fmt: skip


def test_a_recording_gives_the_references_that_reached_memory(tmp_path):
    # access, invalidate, dropped (the monitor lost it, the memory saw it), clear
    Recording(
        cycle=np.array([10, 12, 12, 20], dtype=np.uint64),
        op=np.array([0, 1, 4, 2], dtype=np.uint8),
        frame=np.array([7, 7, 8, 0], dtype=np.uint32),
        write=np.array([True, False, False, False]),
        context=np.array([1, 0, 2, 0], dtype=np.uint8),
        frozen=np.zeros(4, dtype=bool),
        epoch=np.zeros(4, dtype=np.uint32),
        epoch_end=np.zeros(4, dtype=bool),
        settings=[],
        setting=np.zeros(4, dtype=np.uint32),
        tap=TapCheck(2, 0, 0, 1),
    ).save(tmp_path / "accesses.parquet", page_bytes=2048)
    assert columns(tmp_path / "accesses.parquet") == {
        "pages": [7, 8], "writes": [True, False], "times": [10, 12], "contexts": [1, 2],
    }  # fmt: skip
    with open_trace(tmp_path / "accesses.parquet") as trace:
        list(trace)
        assert (trace.time_unit, trace.page_bytes) == ("cycles", 2048)
        assert "2 events" in trace.notes[0]


def test_origin_and_unit_are_kept(tmp_path):
    options = WriteOptions(time_unit="instructions", origin="ls -l")
    with create_trace(tmp_path / "t.parquet", options=options) as writer:
        writer.write(chunk_of([1], times=[2]))
    with open_trace(tmp_path / "t.parquet") as trace:
        assert (trace.time_unit, trace.origin) == ("instructions", "ls -l")


@pytest.mark.parametrize(
    "data, where, complaint",
    [
        ({"page": pa.array([1, 2, -3])}, ", row 2", "page -3 is negative"),
        ({"page": pa.array([1, None])}, ", row 1", "column page is empty"),
        ({"page": pa.array([1.0])}, "", "column page has type double"),
        ({"page": [1], "write": [1]}, "", "column write has type int64"),
        ({"page": [1, 1], "time": [5, 4]}, ", row 1", "time 4 comes after time"),
        ({"page": [1], "context": [2**32]}, ", row 0", "context 4294967296 is negative or too large"),
        ({"sheet": [1]}, "", "no column page"),
    ],
)
def test_what_is_wrong_is_named_by_its_row(tmp_path, data, where, complaint):
    path = parquet(tmp_path, **data)
    with pytest.raises(UserError) as caught:
        columns(path)
    assert complaint in caught.value.what
    assert caught.value.where == f"{path}{where}" and caught.value.remedy


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_time_must_not_fall_from_one_batch_to_the_next_either(tmp_path, monkeypatch, batch):
    monkeypatch.setattr(columnar, "CHUNK_REFERENCES", batch)
    path = parquet(
        tmp_path,
        frame=[1, 2, 3, 4, 5],
        cycle=[10, 12, 11, 13, 12],
        op=["access", "access", "invalidate", "dropped", "access"],
    )
    with pytest.raises(UserError, match="time 12 comes after time 13") as caught:
        columns(path)
    assert caught.value.where == f"{path}, row 4"  # row 2 is no reference


def test_what_is_no_table_is_refused(tmp_path):
    (tmp_path / "t.parquet").write_text("1\n2\n")
    with pytest.raises(UserError, match="cannot be read as Parquet or Arrow"):
        columns(tmp_path / "t.parquet")
