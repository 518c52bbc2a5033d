# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.mrc` at its edges: what an error or a warning names, and how much is measured at once."""

import argparse
from functools import partial

import litemrc
import numpy as np
import pytest
from litemrc.api import sources
from litemrc.cli.shared.arguments import page_size, page_size_of_file
from litemrc.traces import Chunk
from litemrc.traces.opening import WriteOptions, create_trace
from litemrc.traces.trace import stored_size


def test_an_error_names_the_trace_or_else_the_function(tmp_path):
    (tmp_path / "empty.txt").touch()
    for source, where in (([], "litemrc.mrc"), (tmp_path / "empty.txt", str(tmp_path / "empty.txt"))):
        with pytest.raises(litemrc.UserError) as refused:
            litemrc.mrc(source)
        assert refused.value.where == where
    two = Chunk(np.array([1, 2], np.uint64), contexts=np.array([1, 2], np.uint32))
    with pytest.raises(litemrc.UserError, match="are of contexts 1, 2") as refused:
        litemrc.mrc(iter([two]))
    assert refused.value.where == "litemrc.mrc"


@pytest.mark.parametrize(
    ("page_bytes", "right"),
    [(1, True), (2, True), (1 << 47, True), (0, False), (-4, False), (3, False), (1 << 48, False)],
)
def test_a_page_has_a_power_of_two_of_bytes_for_the_api_the_command_and_a_file(page_bytes, right):
    for read in (page_size_of_file, partial(stored_size, where="t.parquet")):
        if right:
            assert read(str(page_bytes)) == page_bytes
        else:
            with pytest.raises((argparse.ArgumentTypeError, litemrc.UserError)):
                read(str(page_bytes))
    if right:
        assert litemrc.mrc([1, 2], page_bytes=page_bytes).page_bytes == page_bytes
        assert litemrc.mrc([1, 2]).page_bytes == 4096
        return
    with pytest.raises(litemrc.UserError, match="must be a power of two"):
        litemrc.mrc([1, 2], page_bytes=page_bytes)


@pytest.mark.parametrize(
    ("page_bytes", "right"), [(64, True), (1 << 40, True), (32, False), (1 << 41, False)]
)
def test_a_page_of_a_memory_has_a_cache_line_or_more(page_bytes, right):
    if right:
        assert page_size(str(page_bytes)) == page_bytes
    else:
        with pytest.raises(argparse.ArgumentTypeError, match="of at least 64"):
            page_size(str(page_bytes))


def test_numbers_are_measured_in_chunks(monkeypatch):
    monkeypatch.setattr(sources, "CHUNK_REFERENCES", 3)
    for count, sizes in ((10, [3, 3, 3, 1]), (3, [3, 0]), (2, [2])):
        chunks = list(sources._chunks(iter(range(count))))
        assert [len(chunk) for chunk in chunks] == sizes
        assert np.concatenate(chunks).tolist() == list(range(count))


def test_a_warning_names_the_line_that_called(tmp_path):
    with create_trace(tmp_path / "t.inout", options=WriteOptions(interval=100)) as writer:
        writer.write(Chunk(np.array([1, 2, 3, 4] * 2, np.uint64), times=np.arange(8, dtype=np.uint64)))
    with pytest.warns(UserWarning, match="exact from 4 pages on") as warned:
        litemrc.mrc(tmp_path / "t.inout")
    assert warned[0].filename == __file__
