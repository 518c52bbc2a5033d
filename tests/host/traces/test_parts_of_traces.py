# SPDX-License-Identifier: BSD-2-Clause
"""A trace in many files: which they are, their order, what is missing; and how files are cut."""

from itertools import pairwise
from pathlib import Path

import fsspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import open_trace
from litemrc.traces.chunk import Chunk
from litemrc.traces.opening import create_trace
from litemrc.traces.sections import Section, cut_into_parts, list_sections

PAGES = np.arange(300_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) % np.uint64(5000)


def folder_of(path: Path, names: list[str], size: int = 24) -> str:
    """Make a folder of files of `size` bytes; return its path."""
    path.mkdir(exist_ok=True)
    for name in names:
        (path / name).write_bytes(bytes(size))
    return str(path)


def names_of(sections: list[Section]) -> list[str]:
    return [Path(section.place).name for section in sections]


def pages_of(sections: list[Section]) -> list[int]:
    found = []
    for section in sections:
        with section.open() as trace:
            found += [chunk.pages for chunk in trace]
    return np.concatenate(found).tolist()


def test_a_folders_files_are_in_natural_order_without_hidden_ones(tmp_path: Path) -> None:
    names = [f"part-{number}.oracleGeneral" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)]
    folder = folder_of(tmp_path / "t", [*names[::-1], "_SUCCESS", ".part-1.oracleGeneral.crc"])
    assert names_of(list_sections(folder)) == names
    assert names_of(list_sections(f"{folder}/part-1*")) == [names[0], names[9], names[10]]
    assert [section.size for section in list_sections(folder)] == [24] * 11


def test_a_url_is_listed_as_a_folder_is() -> None:
    memory = fsspec.filesystem("memory")
    for number in (1, 2, 10):
        memory.pipe_file(f"/listed/p{number}.oracleGeneral", bytes(24))
    urls = [f"memory:///listed/p{number}.oracleGeneral" for number in (1, 2, 10)]
    assert [each.place for each in list_sections("memory://listed", allow_gaps=True)] == urls
    assert [each.place for each in list_sections("memory://listed/*.oracleGeneral")] == urls


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (["a-1.parquet", "a-2.parquet", "a-4.parquet"], "1 of the numbered parts 1 to 4 are missing: 3"),
        ([f"x{n:04}.txt" for n in range(30) if n not in (7, 8, 9, 10, 11, 12)], "7, 8, 9, 10, 11, ..."),
        (["h-2026-01.parquet", "h-2026-02.parquet", "h-2026-05.parquet"], "2 of the numbered parts 1 to 5"),
    ],
)
def test_a_missing_number_is_refused_unless_allowed(tmp_path: Path, names: list[str], missing: str) -> None:
    folder = folder_of(tmp_path / "t", names)
    with pytest.raises(UserError) as caught:
        list_sections(folder)
    assert missing in caught.value.what
    assert caught.value.where == folder
    assert names_of(list_sections(folder, allow_gaps=True)) == names


@pytest.mark.parametrize(
    "names",
    [
        ["1690000000.parquet", "1690003600.parquet", "1690007200.parquet"],  # times, not numbers
        ["a-1.parquet", "b-3.parquet", "c-7.parquet"],
        ["part-00000-91ab.parquet", "part-00001-17cd.parquet"],
    ],
)
def test_names_that_are_not_numbered_have_no_gaps(tmp_path: Path, names: list[str]) -> None:
    assert names_of(list_sections(folder_of(tmp_path / "t", names))) == names


def test_what_is_no_trace_of_parts_is_refused_with_its_place(tmp_path: Path) -> None:
    empty = folder_of(tmp_path / "empty", [])
    mixed = folder_of(tmp_path / "mixed", ["a1.parquet", "a2.oracleGeneral"])
    other = folder_of(tmp_path / "other", ["a1.parquet", "notes.md"])
    deep = folder_of(tmp_path / "deep", ["a1.parquet"])
    (tmp_path / "deep" / "day=1").mkdir()
    truncated = folder_of(tmp_path / "truncated", ["a1.parquet"])
    folder_of(tmp_path / "truncated", ["a2.parquet"], size=0)
    intervals = folder_of(tmp_path / "intervals", ["a1.inout", "a2.inout"])
    for trace, what, where in (
        (empty, "the folder has no file", empty),
        (f"{empty}/*.parquet", "no file matches", f"{empty}/*.parquet"),
        (f"{empty}/none.parquet", "cannot read: No such file", f"{empty}/none.parquet"),
        (mixed, "several formats: a1.parquet and a2.oracleGeneral", f"{mixed}/a2.oracleGeneral"),
        (other, "suffix belongs to no format", f"{other}/notes.md"),
        (deep, "subfolder: day=1", deep),
        (truncated, r"the part is empty \(0 bytes\)", f"{truncated}/a2.parquet"),
        (intervals, "IN/OUT records of several files", f"{intervals}/a1.inout"),
        ("-", "stdin cannot be read by workers", "-"),
    ):
        with pytest.raises(UserError, match=what) as caught:
            list_sections(trace)
        assert caught.value.where == where


@settings(deadline=None, max_examples=200)
@given(
    sizes=st.lists(st.integers(1, 10_000), min_size=1, max_size=20),
    wanted=st.integers(1, 30),
)
def test_files_are_neither_lost_nor_moved_by_joining_them(sizes: list[int], wanted: int) -> None:
    sections = [Section(f"{number}.txt", size=size) for number, size in enumerate(sizes)]
    parts = cut_into_parts(sections, wanted)
    assert [section for part in parts for section in part] == sections
    assert len(parts) <= wanted
    # A part is the files whose middles lie in its share of the bytes, so that half of a file may stand out.
    share = sum(sizes) / wanted
    assert all(sum(s.size for s in part) <= share + max(s.size for s in part) + 1 for part in parts)


@pytest.mark.parametrize("wanted", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("name", ["a.oracleGeneral", "a.parquet", "a.txt", "a.oracleGeneral.zst"])
def test_a_cut_file_has_its_references_in_order(tmp_path: Path, name: str, wanted: int) -> None:
    with create_trace(tmp_path / name) as writer:
        writer.write(Chunk(PAGES))
    if name == "a.parquet":  # of 12 row groups
        import pyarrow.parquet as pq

        pq.write_table(pq.read_table(tmp_path / name), tmp_path / name, row_group_size=25_000)
    parts = cut_into_parts(list_sections(str(tmp_path / name)), wanted)
    assert pages_of([section for part in parts for section in part]) == PAGES.tolist()
    assert len(parts) == {"a.oracleGeneral": wanted, "a.parquet": min(wanted, 12)}.get(name, 1)


def test_a_generated_trace_is_cut_anywhere() -> None:
    url = "gen:loop?pages=100&n=1001"
    parts = cut_into_parts(list_sections(url), 4)
    borders = [0, 250, 500, 750, 1001]  # 1001 k / 4
    assert [part[0].only for part in parts] == [range(a, b) for a, b in pairwise(borders)]
    with open_trace(url) as whole:
        pages = np.concatenate([chunk.pages for chunk in whole]).tolist()
    assert pages_of([section for part in parts for section in part]) == pages
    assert str(parts[1][0]) == f"{url}, references 250 to 499"


def test_an_incomplete_last_record_is_refused_at_its_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.oracleGeneral"
    path.write_bytes(bytes(24 * 100 + 5))
    *whole, (last,) = cut_into_parts(list_sections(str(path)), 4)
    assert len(pages_of([section for part in whole for section in part])) == 75  # of 101 records begun
    with pytest.raises(UserError, match="the last record has 5 of 24 bytes") as caught:
        pages_of([last])
    assert caught.value.where == f"{path}, byte 2400"


def test_only_a_section_that_begins_its_file_settles_the_page_size(tmp_path: Path) -> None:
    records = np.zeros(200, np.dtype([("time", "<u4"), ("page", "<u8"), ("size", "<u4"), ("next", "<i8")]))
    records["size"] = np.repeat([4096, 8192], 100)
    path = tmp_path / "a.oracleGeneral"
    path.write_bytes(records.tobytes())
    (first,), (second,) = cut_into_parts(list_sections(str(path)), 2)
    assert (first.begins, second.begins) == (True, False)
    with first.open(4096) as trace:
        assert trace.page_bytes == 4096
    with pytest.raises(UserError, match="the trace has pages of 4096 bytes"):
        first.open(8192)
    second.open(4096).close()
