# SPDX-License-Identifier: BSD-2-Clause
"""oracleGeneral: bytes made by struct, by hand; numbers of next references against a search by hand."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import Chunk
from litemrc.traces.formats import oracle_general
from litemrc.traces.opening import create_trace
from litemrc.traces.trace import WriteOptions

from tests.host.trace_columns import chunk_of, columns

RECORD = "<IQIq"  # packed: 4 + 8 + 4 + 8 bytes


def test_bytes_are_those_of_the_format(tmp_path):
    with create_trace(tmp_path / "t.oracleGeneral", options=WriteOptions(page_bytes=8192)) as writer:
        writer.write(chunk_of([10, 2**64 - 1], times=[3, 3]))
        writer.write(chunk_of([10, 10], times=[3, 2**32 - 1]))
    # References are numbered from 1: page 10 is referenced as number 1, 3 and 4.
    records = [(3, 10, 8192, 3), (3, 2**64 - 1, 8192, -1), (3, 10, 8192, 4), (2**32 - 1, 10, 8192, -1)]
    expected = b"".join(struct.pack(RECORD, *record) for record in records)
    assert len(expected) == 4 * 24
    assert (tmp_path / "t.oracleGeneral").read_bytes() == expected


def test_sizes_and_next_references_are_not_looked_at(tmp_path):
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(struct.pack(RECORD, 1, 7, 0, -2) + struct.pack(RECORD, 2, 9, 123, 2**63 - 1))
    assert columns(path) == {"pages": [7, 9], "times": [1, 2], "writes": None, "contexts": None}


@settings(max_examples=200, deadline=None)
@given(pages=st.lists(st.integers(0, 6), max_size=60), stretch=st.integers(1, 9))
def test_next_references_are_found_across_stretches(pages, stretch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracle_general, "CHUNK_REFERENCES", stretch)
        records = np.zeros(len(pages), dtype=oracle_general.RECORD)
        records["page"] = pages
        oracle_general._link(records)
    expected = [
        next((later + 1 for later in range(number + 1, len(pages)) if pages[later] == page), -1)
        for number, page in enumerate(pages)
    ]
    assert records["next"].tolist() == expected


def test_a_cut_record_is_named_by_its_first_byte(tmp_path):
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(struct.pack(RECORD, 1, 7, 4096, -1) * 3 + b"12345")
    with pytest.raises(UserError, match="the last record has 5 of 24 bytes") as caught:
        columns(path)
    assert caught.value.where == f"{path}, byte 72"


@pytest.mark.parametrize("before", [3, oracle_general.CHUNK_REFERENCES])
def test_a_record_out_of_time_order_is_named_by_its_byte(tmp_path, before):
    path = tmp_path / "t.oracleGeneral"
    path.write_bytes(struct.pack(RECORD, 5, 7, 4096, -1) * before + struct.pack(RECORD, 4, 7, 4096, -1))
    with pytest.raises(UserError, match="time 4 comes after time 5") as caught:
        columns(path)
    assert caught.value.where == f"{path}, byte {24 * before}"


def test_times_beyond_32_bits_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(UserError, match="32 bits"), create_trace(tmp_path / "t.oracleGeneral") as writer:
        writer.write(Chunk(np.zeros(1, dtype=np.uint64), times=np.array([2**32], dtype=np.uint64)))
    assert list(tmp_path.iterdir()) == []
