"""Text: the forms, and each bad line by its number."""

from io import BufferedReader, BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces.formats import lines
from litemrc.traces.formats.lines import Block
from litemrc.traces.formats.streams import ByteSource
from litemrc.traces.formats.text import TextTrace

from tests.host.trace_columns import columns, joined


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
