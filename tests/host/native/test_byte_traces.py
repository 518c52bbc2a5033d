"""Curves by bytes of traces: sizes come from oracleGeneral and from chunks."""

import litemrc
import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.chunk import Chunk
from litemrc.traces.formats.oracle_general import RECORD
from litemrc.traces.opening import create_trace


@pytest.fixture
def objects(tmp_path):
    """Objects 1, 2, 1, 2 of 100 and 900 bytes: both come back at 1,000 bytes."""
    records = np.zeros(4, RECORD)
    records["page"], records["size"], records["next"] = [1, 2, 1, 2], [100, 900] * 2, -1
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(records.tobytes())
    return path


def test_objects_of_a_trace_are_measured_by_their_sizes(objects) -> None:
    with pytest.warns(UserWarning, match="100 to 900 bytes"):
        curve = litemrc.mrc(objects, by="bytes")
    assert (curve.page_bytes, curve.at(bytes=999), curve.at(bytes=1000)) == (1, 1, 0.5)


def test_sizes_survive_a_conversion(objects, tmp_path) -> None:
    with open_trace(objects) as trace, create_trace(tmp_path / "u.oracleGeneral.zst") as writer:
        for chunk in trace:
            writer.write(chunk)
    with open_trace(tmp_path / "u.oracleGeneral.zst") as trace:
        assert [chunk.sizes.tolist() for chunk in trace] == [[100, 900, 100, 900]]


def test_chunks_of_several_contexts_keep_their_sizes() -> None:
    """Each context has an object of its own size, accessed twice."""
    chunk = Chunk(
        np.array([1, 2, 1, 2], np.uint64),
        contexts=np.array([5, 6, 5, 6], np.uint32),
        sizes=np.array([100, 900] * 2, np.uint32),
    )
    curves = litemrc.mrc_by_context([chunk], by="bytes")
    assert {name: curve.sizes_pages.tolist() for name, curve in curves.items()} == {
        "context 5": [100],
        "context 6": [900],
    }


def test_pages_without_sizes_are_refused() -> None:
    with pytest.raises(UserError, match="no object sizes"):
        litemrc.mrc([1, 2, 1], by="bytes")
