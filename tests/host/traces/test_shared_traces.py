# SPDX-License-Identifier: BSD-2-Clause
"""Traces of shared memory: text and Parquet keep all, errors name their place, generators
share."""

import gzip

import numpy as np
import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc.traces.generators.parallel import PAPER_REFERENCES, PARALLEL_PROGRAMS
from litemrc.traces.opening import create_trace, open_trace
from litemrc.traces.shared import SharedChunk, create_shared_trace, open_shared_trace

TEXT = """\
# page_bytes 16
# origin by hand
0 0 5 3 w

0 2 5 0 r
7 1 0 2 r
"""


def columns(path):
    with open_shared_trace(path) as trace:
        chunks = list(trace)
    names = SharedChunk.__slots__
    return {name: np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in names}


def test_text_is_time_processor_page_word_direction(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    read = columns(path)
    assert read["words"].tolist() == [5 * 4 + 3, 5 * 4, 2]  # pages of 16 bytes hold 4 words
    assert read["processors"].tolist() == [0, 2, 1]
    assert read["writes"].tolist() == [True, False, False]
    assert read["times"].tolist() == [0, 0, 7]
    with open_shared_trace(path) as trace:
        list(trace)
        assert (trace.page_bytes, trace.origin) == (16, "by hand")


@pytest.mark.parametrize("name", ["b.txt", "b.txt.gz", "b.parquet"])
@pytest.mark.parametrize("page_bytes", [4, 1024])
def test_what_is_written_is_read_again(tmp_path, name, page_bytes):
    url = "gen:speech?n=300000&processors=16"
    path = tmp_path / name
    with open_shared_trace(url) as source, create_shared_trace(path, page_bytes, url, "turns") as writer:
        for chunk in source:
            writer.write(chunk)
    expected, read = columns(url), columns(path)
    for key, column in expected.items():
        np.testing.assert_array_equal(read[key], column, err_msg=key)


def test_compressed_text_is_read(tmp_path):
    path = tmp_path / "c.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert columns(path)["times"].tolist() == [0, 0, 7]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("0 0 5 4 r", "line 3: the word '4' is not valid"),
        ("0 0 -1 3 r", "line 3: the page '-1' is not valid"),
        ("0 65536 5 3 r", "line 3: the processor '65536' is not valid"),
        ("0 0 5 3 x", "line 3: 'x' is not a direction"),
        ("0 0 5 r", "line 3: 4 words"),
        ("4 0 5 0 r\n3 0 5 0 r", "line 4: time 3 comes after time 4"),
    ],
)
def test_mistakes_in_text_are_reported_with_their_line(tmp_path, line, complaint):
    path = tmp_path / "d.txt"
    path.write_text(f"# page_bytes 16\n0 0 5 3 w\n{line}\n")
    with pytest.raises(UserError) as error:
        columns(path)
    assert complaint in str(error.value)


@pytest.mark.parametrize("page_bytes", ["1000", "0", "x"])
def test_page_sizes_that_are_none_are_refused(tmp_path, page_bytes):
    path = tmp_path / "e.txt"
    path.write_text(f"# page_bytes {page_bytes}\n0 0 5 3 w\n")
    with pytest.raises(UserError, match="line 1: page_bytes"):
        columns(path)


def test_parquet_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "f.parquet"
    with open_trace("gen:zipf?n=10") as source, create_trace(path) as writer:
        for chunk in source:
            writer.write(chunk)
    with pytest.raises(UserError, match="column time is missing"):
        open_shared_trace(path)


@pytest.mark.parametrize(
    "url",
    [
        "gen:zipf",
        "gen:fft?side=100",
        "gen:simple?processors=3",
        "gen:simple?variables=9",
        "gen:speech?words=1000",
    ],
)
def test_urls_that_make_no_sense_are_refused(url):
    with pytest.raises(UserError):
        open_shared_trace(url)


@pytest.mark.parametrize("program", PARALLEL_PROGRAMS)
def test_generators_are_functions_of_the_number_and_the_seed(program):
    refer = PARALLEL_PROGRAMS[program](1)
    processors, turns = np.divmod(np.arange(40_000, 90_000, dtype=np.uint64), np.uint64(1000))
    words, writes = refer(processors % np.uint64(64), turns)
    some = slice(12_345, 23_456)
    again, written = PARALLEL_PROGRAMS[program](1)(processors[some] % np.uint64(64), turns[some])
    np.testing.assert_array_equal(again, words[some])
    np.testing.assert_array_equal(written, writes[some])


# Table 1(a): working sets in MB.
WORKING_SETS = {"fft": 0.25, "simple": 2.5, "weather": 5.4, "speech": 2.1}


@pytest.mark.parametrize("program", PARALLEL_PROGRAMS)
def test_generators_have_the_size_of_the_papers_programs(program):
    refer = PARALLEL_PROGRAMS[program](1)
    most = 0
    for begin in range(0, PAPER_REFERENCES[program], PAPER_REFERENCES[program] // 7):
        numbers = np.arange(begin, begin + 300_000, dtype=np.uint64)
        most = max(most, int(refer(numbers % np.uint64(64), numbers // np.uint64(64))[0].max()))
    assert 0.94 * WORKING_SETS[program] < most * 4 / 1e6 < 1.06 * WORKING_SETS[program]


def test_the_command_stores_in_the_other_format(tmp_path, capsys):
    text, parquet = tmp_path / "a.txt", tmp_path / "a.parquet"
    text.write_text(TEXT)
    assert main(["trace", "shared", str(text), "--out", str(parquet), "--page-size", "4k"]) == 0
    assert "3 references" in capsys.readouterr().out
    with open_shared_trace(parquet) as trace:
        assert (trace.page_bytes, trace.origin) == (4096, "by hand")
    for column, expected in columns(text).items():
        np.testing.assert_array_equal(columns(parquet)[column], expected)


def test_pages_are_first_touched_by_the_processor_whose_part_they_are():
    read = columns("gen:speech?n=60000")
    _, first = np.unique(read["words"] // 8192, return_index=True)  # a part of 524,288 / 64 words each
    assert read["processors"][first].tolist() == list(range(64))
