# SPDX-License-Identifier: BSD-2-Clause
"""Lackey's text: a sample as Valgrind 3.19 prints it, and parsing many lines against one by one."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.formats import lackey
from litemrc.traces.formats.lackey import LARGEST_ACCESS, parse
from litemrc.traces.formats.lines import Block

from tests.host.trace_columns import columns

SAMPLE = """\
==13702== Lackey, an example Valgrind tool
==13702== Command: /bin/ls
==13702==
I  0401ab70,3
I  0401ab73,5
 S 1fff000648,8
I  0401b770,1
 L 1ffeffffff,2
 M 0421c7cc,4
--13702-- warning: something
==13702== Exit code:       0
"""


def test_a_sample_gives_its_page_references(tmp_path):
    (tmp_path / "t.lackey").write_text(SAMPLE)
    read = columns(tmp_path / "t.lackey")
    # 4 KiB pages: the last three digits go. The load at ..fff of 2 bytes is of two pages.
    assert read["pages"] == [0x401A, 0x401A, 0x1FFF000, 0x401B, 0x1FFEFFF, 0x1FFF000, 0x421C]
    assert read["writes"] == [False, False, True, False, False, False, True]
    assert read["times"] == [1, 2, 2, 3, 3, 3, 3]  # instructions begun


def test_the_size_of_a_page_may_be_chosen(tmp_path):
    (tmp_path / "t.lackey").write_text("I  00012345,3\n L 00012fff,2\n")
    with open_trace(tmp_path / "t.lackey", page_bytes=256) as trace:
        (chunk,) = trace
    assert chunk.pages.tolist() == [0x123, 0x12F, 0x130]


def test_an_access_up_to_the_end_of_a_page_is_of_that_page(tmp_path):
    (tmp_path / "t.lackey").write_text(" L 00001ff8,8\n S 00001ff9,8\n L 00002000,1\n L 00002800,4096\n")
    # ..ff8 + 8 bytes end at the page's end; one byte further is the next page.
    assert columns(tmp_path / "t.lackey")["pages"] == [1, 1, 2, 2, 2, 3]


ACCESS = st.tuples(
    st.sampled_from("ILSM"),
    st.integers(0, 2**64 - 1) | st.integers(0, 2**36 - 1),
    st.integers(1, 999),
)


def text_of(accesses) -> str:
    return "".join(
        f"{'I ' if kind == 'I' else ' ' + kind} {address:08x},{size}\n" for kind, address, size in accesses
    )


@settings(max_examples=200, deadline=None)
@given(accesses=st.lists(ACCESS, max_size=30))
def test_many_lines_at_once_are_the_lines_one_by_one(accesses):
    parsed = lackey._parse_fast(text_of(accesses).encode())
    rows = zip(*(column.tolist() for column in parsed), strict=True)
    assert [(chr(kind), address, size) for kind, address, size in rows] == accesses


@settings(max_examples=300, deadline=None)
@given(
    accesses=st.lists(ACCESS, min_size=1, max_size=5),
    place=st.integers(0),
    damage=st.text("0123456789abcdef,ILSM \nxX=-", max_size=3),
    length=st.integers(0, 3),
)
def test_damaged_lines_are_read_as_they_stand_or_refused(accesses, place, damage, length):
    text = text_of(accesses)
    place %= len(text)
    text = text[:place] + damage + text[place + length :]
    if not text.endswith("\n"):
        text += "\n"
    expected = []
    for line in text[:-1].split("\n"):
        match = re.fullmatch("(I  | [LSM] )([0-9a-f]{1,16}),([0-9]{1,4})", line)
        if not match or not 1 <= int(match[3]) <= LARGEST_ACCESS:
            with pytest.raises(UserError, match="not a line of lackey"):
                parse(Block(text.encode(), 1), "t")
            return
        expected.append((match[1].strip(), int(match[2], 16), int(match[3])))
    rows = zip(*(column.tolist() for column in parse(Block(text.encode(), 1), "t")), strict=True)
    assert [(chr(kind), address, size) for kind, address, size in rows] == expected


@pytest.mark.parametrize(
    "text, line",
    [
        ("I  0401ab70,3\n L 0401ab7z,4\n", 2),
        (SAMPLE + "hello\n", 12),
        ("I  0401ab70,0\n", 1),
        ("I  -401ab70,3\n", 1),
        ("I  0401ab70,3\nI  0401ab", 2),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, line):
    path = tmp_path / "t.lackey"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        columns(path)
    assert caught.value.where == f"{path}, line {line}" and caught.value.remedy
