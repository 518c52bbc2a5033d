# SPDX-License-Identifier: BSD-2-Clause
"""Text and CSV: the forms, chosen columns, and each bad line by its number."""

import subprocess
import sys
from io import BufferedReader, BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces.formats import lines
from litemrc.traces.formats.column_names import ROLES, Column, parse_columns
from litemrc.traces.formats.delimited import DIRECTIONS, DelimitedTrace
from litemrc.traces.formats.lines import Block
from litemrc.traces.formats.streams import ByteSource, open_source
from litemrc.traces.formats.text import TextTrace

from tests.host.trace_columns import columns, joined
from tests.host.traces.recorder_samples import SAMPLES, read


def write(tmp_path, text: str):
    path = tmp_path / "t.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text, pages",
    [
        ("1\n2\n1\n", [1, 2, 1]),
        ("1\n2", [1, 2]),
        ("# made by hand\n\n1\r\n0x1F\n\n", [1, 31]),
        ("  5\n\t6  \n", [5, 6]),
        ("18446744073709551615\n", [2**64 - 1]),
        ("", None),
        ("# nothing\n", None),
    ],
)
def test_page_numbers_are_read(tmp_path, text, pages):
    assert columns(write(tmp_path, text))["pages"] == pages


@pytest.mark.parametrize("text", ["3 10 r\n3 11 W\n4 10 R\n", "3 10 r\n3\t11   W\n\n4 10 R\n"])
def test_times_and_directions_are_read(tmp_path, text):
    read = columns(write(tmp_path, text))
    assert (read["times"], read["pages"]) == ([3, 3, 4], [10, 11, 10])
    assert read["writes"] == [False, True, False]


@pytest.mark.parametrize(
    "text, line, complaint",
    [
        ("1\n2\n-3\n", 3, "page -3 is negative"),
        ("1\n\n# x\ntwo\n", 4, "'two' is not a page number"),
        ("1\n1.5\n", 2, "'1.5' is not a page number"),
        ("1\n18446744073709551616\n", 2, "does not fit into 64 bits"),
        ("1\n2 3\n", 2, "2 words"),
        ("1 2\n", 1, "2 words"),
        ("1 2 r\n2 2\n", 2, "2 words"),
        ("1 2 r\n2 2 x\n", 2, "'x' is not a direction"),
        ("5 2 r\n4 2 r\n", 2, "time 4 comes after time 5"),
        ("-5 2 r\n", 1, "time -5 is negative"),
        ("5 2 r 4294967296\n", 1, "does not fit into 32 bits"),
        ('1\n"2"\n', 2, "is not a page number"),
        ("1\nNA\n", 2, "is not a page number"),
        ("1\n0x\n", 2, "is not a page number"),
    ],
)
@pytest.mark.parametrize("good_lines", [0, 5000])
def test_a_bad_line_is_named(tmp_path, monkeypatch, text, line, complaint, good_lines):
    monkeypatch.setattr(
        lines.blocks, "__defaults__", (1000,)
    )  # so that the bad line is not in the first block
    good = "0 1 r 0\n" if text.split("\n")[0].count(" ") == 3 else "0 1 r\n" if " r" in text else "1\n"
    path = write(tmp_path, good * good_lines + text)
    with pytest.raises(UserError) as caught:
        columns(path)
    assert complaint in caught.value.what
    assert caught.value.where == f"{path}, line {good_lines + line}"
    assert caught.value.remedy


@pytest.mark.parametrize("block_bytes", [1, 6, 7, 12, 100])
def test_time_must_not_fall_from_one_block_to_the_next_either(tmp_path, monkeypatch, block_bytes):
    monkeypatch.setattr(lines.blocks, "__defaults__", (block_bytes,))
    path = write(tmp_path, "5 2 r\n5 2 r\n4 2 r\n")
    with pytest.raises(UserError, match="time 4 comes after time 5") as caught:
        columns(path)
    assert caught.value.where == f"{path}, line 3"


@pytest.mark.parametrize("data", [b"\x01\x00\x00\x00", b"7" * 100_000])
def test_a_binary_file_is_no_text(tmp_path, data):
    (tmp_path / "t.txt").write_bytes(data)
    with pytest.raises(UserError, match="not a text file"):
        columns(tmp_path / "t.txt")


LINE = st.text("0123456789abfxX-+.rwRW \t#\"'NA,", max_size=12) | st.integers(0, 2**65).map(str)


@settings(max_examples=500, deadline=None)
@given(texts=st.lists(LINE, min_size=1, max_size=4), fields=st.sampled_from([1, 3, 4]))
def test_many_lines_at_once_are_the_lines_one_by_one(texts, fields):
    text = "".join(f"{line}\n" for line in texts).encode()
    trace = TextTrace(ByteSource(BufferedReader(BytesIO(b"")), "t", None))
    trace._fields = fields
    fast = trace._parse_fast(text)
    if fast is not None:
        assert joined([fast]) == joined([trace._parse_lines(Block(text, 1))])


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 2**64 - 1), st.sampled_from("rwRW")), min_size=1
    )
)
def test_plain_lines_take_the_fast_way(rows):
    rows.sort(key=lambda row: row[0])
    text = "".join(f"{time} {page} {way}\n" for time, page, way in rows).encode()
    trace = TextTrace(ByteSource(BufferedReader(BytesIO(b"")), "t", None))
    trace._fields = 3
    assert joined([trace._parse_fast(text)]) == {
        "pages": [page for _, page, _ in rows],
        "writes": [way in "wW" for _, _, way in rows],
        "times": [time for time, _, _ in rows],
        "contexts": None,
    }


def written(folder, text: str, name: str = "t.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_csv_file_has_the_columns_that_its_header_names(tmp_path) -> None:
    text = "time,op,page,extra,pid\n1,read,7,x,3\n2,WRITE,0x10,y,4\n"
    chunk, notes = read(written(tmp_path, text))
    assert (chunk.pages.tolist(), chunk.writes.tolist()) == ([7, 16], [False, True])
    assert (chunk.times.tolist(), chunk.contexts.tolist(), notes) == ([1, 2], [3, 4], [])


def test_addresses_reference_every_page_that_they_touch(tmp_path) -> None:
    text = "address,size\n0x1fff,1\n0x1fff,2\n4096,8193\n"
    chunk, _ = read(written(tmp_path, text))
    assert (chunk.pages.tolist(), chunk.sizes) == ([1, 1, 2, 1, 2, 3], None)


def test_an_access_at_the_end_of_the_address_space_does_not_wrap(tmp_path) -> None:
    chunk, _ = read(written(tmp_path, f"address,size\n{2**64 - 1},8\n"))
    assert chunk.pages.tolist() == [2**52 - 1]


def test_the_size_of_a_page_is_that_of_its_object() -> None:
    chunk, _ = read(SAMPLES / "sizes.csv", columns="page=key")
    assert (chunk.pages.tolist(), chunk.sizes.tolist()) == ([7, 8, 7], [1000, 300000, 1000])
    assert chunk.writes.tolist() == [False, False, True]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_are_named_with_the_option(tmp_path, delimiter: str) -> None:
    text = "ts,addr,rw\n5,7fff,r\n6,1000,w\n".replace(",", delimiter)
    chunk, _ = read(written(tmp_path, text), columns="address=addr:hex,write=rw,time=ts")
    assert (chunk.pages.tolist(), chunk.writes.tolist(), chunk.times.tolist()) == (
        [7, 1],
        [False, True],
        [5, 6],
    )


def test_a_file_without_header_has_columns_by_number(tmp_path) -> None:
    chunk, _ = read(written(tmp_path, "r,4096,8\nw,8192,8\n"), columns="address=2,write=1")
    assert (chunk.pages.tolist(), chunk.writes.tolist()) == ([1, 2], [False, True])


@pytest.mark.parametrize(
    ("text", "columns", "pages"),
    [
        ("0x1000\n8192\n# comment\n\n0x3fff\n", "address", [1, 2, 3]),
        ("1000\nffff\n", "address:hex", [1, 15]),
        ("1 0x1000 r\n2 8192 w\n", "address", [1, 2]),
        ("r  4096\t8\n w 12288 8 \n", "address=2,write=1", [1, 3]),
    ],
)
def test_text_may_hold_byte_addresses(tmp_path, text: str, columns: str, pages: list[int]) -> None:
    chunk, _ = read(written(tmp_path, text, "t.txt"), columns=columns)
    assert chunk.pages.tolist() == pages


def test_times_with_decimals_become_nanoseconds(tmp_path) -> None:
    chunk, notes = read(written(tmp_path, "time,page\n0.5,1\n1.000000001,2\n3,4\n"))
    assert chunk.times.tolist() == [500_000_000, 1_000_000_001, 3_000_000_000]
    assert "multiplied by 10^9" in notes[0]


def test_traces_come_through_pipes() -> None:
    program = (
        "from litemrc.traces import open_trace\n"
        "with open_trace('-', 'csv', columns='page=key') as trace:\n"
        "    print([chunk.pages.tolist() for chunk in trace])"
    )
    text = (SAMPLES / "sizes.csv").read_bytes()
    done = subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, check=True)
    assert done.stdout == b"[[7, 8, 7]]\n"


ROW = st.tuples(
    st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 1), st.sampled_from(sorted(DIRECTIONS)), st.booleans()
)


@settings(deadline=None)
@given(st.lists(ROW, min_size=1, max_size=30))
def test_many_lines_at_once_are_read_as_one_by_one(tmp_path_factory, rows) -> None:
    path = tmp_path_factory.mktemp("d") / "t.csv"
    lines = [f"{hex(page) if is_hex else page},{size},{op}\n" for page, size, op, is_hex in rows]
    path.write_text("page,size,op\n" + "".join(lines))
    chunk, _ = read(path)
    trace = DelimitedTrace(open_source(path), {}, is_csv=True)
    body = trace._begin(Block(path.read_bytes(), 1))
    assert trace._parse_fast(body.text) is not None
    slow = trace._parse_lines(body)
    trace.close()
    assert chunk.pages.tolist() == slow["page"].tolist() == [row[0] for row in rows]
    assert chunk.sizes.tolist() == slow["size"].tolist()
    assert chunk.writes.tolist() == slow["write"].tolist()


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("page\n1\n-2\n", None, "line 3.*the page '-2' is not a number|the page '-2' is not a number"),
        ("page\n1\n1.5\n", None, "the page '1.5' is not a number"),
        ("page\n1\nnan\n", None, "the page 'nan' is not a number"),
        ("page\n1\n18446744073709551616\n", None, "the page .* is not a number"),
        ("page\n1\n" + "9" * 5000 + "\n", None, "the page .* is not a number"),
        ("page,time\n1,0.5\n1,1e999999\n", None, "the time .* is not a number"),
        ("page,op\n1,r\n2\n", None, "1 columns in a line of a trace of 2"),
        ("page,op\n1,jump\n", None, "'jump' is not a direction"),
        ("page,time\n1,5\n1,4\n", None, "time 4 comes after time 5"),
        ("page,time\n1,5.5\n1,4\n", None, "time 4000000000 comes after time 5500000000"),
        ("address,size\n1,0\n", None, "the size '0' is not a number"),
        ("address,size\n1,99999999999999\n", None, "the size '99999999999999' is not a number"),
        ("page,pid\n1,4294967296\n", None, "the context .* is not a number"),
        ("a,b\n1,2\n", None, "no column page or address among a, b"),
        ("a,b\n1,2\n", "page=c", "no column c among a, b"),
        ("1,2\n1,2\n", "page=3", "no column 3 in a line of 2 columns"),
        ("1,2\n1,2\n", "write=1", "neither page nor address"),
        ("a\n1\n", "pages=a", "'pages=a' names no column"),
        ("a\n1\n", "page=a,page=b", "page is given twice"),
        ("a\n1\n", "page=a,address=b", "page and address are both given"),
        ("a\n1\n", "page=a:octal", "names no column"),
        ("page\n1\n\0\n", None, "not a text file"),
    ],
)
def test_malformed_files_are_refused_with_the_value(tmp_path, text: str, columns: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(written(tmp_path, text), columns=columns)


def test_errors_name_the_line(tmp_path) -> None:
    with pytest.raises(UserError) as error:
        read(written(tmp_path, "# head\npage,op\n\n1,r\n2,?\n"))
    assert "line 5" in str(error.value)


def test_an_empty_file_has_no_reference(tmp_path) -> None:
    assert len(read(written(tmp_path, ""))[0]) == len(read(written(tmp_path, "page\n"))[0]) == 0


def test_columns_are_for_text_and_csv_only(tmp_path) -> None:
    with pytest.raises(UserError, match="text and CSV only"):
        read(written(tmp_path, "", "t.lackey"), columns="address")


@given(st.text(max_size=30))
def test_any_text_is_columns_or_refused(text: str) -> None:
    try:
        columns = parse_columns(text)
    except UserError:
        return
    assert columns and columns.keys() <= ROLES.keys()
    assert all(isinstance(column, Column) for column in columns.values())
