# SPDX-License-Identifier: BSD-2-Clause
"""What commands do, functions do: numbers by hand, and those that the commands print."""

import json
from pathlib import Path

import litemrc
import litemrc_studies
import numpy as np
import pytest
from litemrc.api.results import Result
from litemrc.cli.main import main
from litemrc.pages.files import read_page_bitmaps

ZIPF, LOOP = "gen:zipf?pages=1000&n=20000", "gen:loop?pages=500&n=20000"


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict:
    assert main([*map(str, arguments), "--json"]) in (0, 1)
    document = json.loads(capsys.readouterr().out)
    assert document.pop("interrupted") is False
    return document


@pytest.fixture
def files(tmp_path, capsys) -> list[Path]:
    """Curves of `litemrc mrc --json`."""
    paths = []
    for name, url in (("zipf", ZIPF), ("loop", LOOP)):
        main(["mrc", url, "--json"])
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(capsys.readouterr().out)
    return paths


def loop_of(pages: int, name: str) -> litemrc.Curve:
    """All misses below the size of the loop, 1 cold miss of 10 accesses from it on."""
    return litemrc.Curve([pages], [0.1], 1000, 100, name=name)


def test_allocate_by_hand():
    # 48 pages hold the loops of 16 and 32 pages, but not that of 64: hit ratios 0.9 + 0.9 + 0.
    curves = [loop_of(16, "a"), loop_of(32, "b"), loop_of(64, "c")]
    result = litemrc.allocate(curves, 48, delta=1, method="optimal")
    assert result.pages == {"a": 16, "b": 32, "c": 0}
    assert result.allocation.utility == pytest.approx(1.8)
    # With 64 pages and a weight of 3, c's hit ratio counts 2.7, more than both others.
    result = litemrc.allocate(curves, "256K", delta="4K", method="optimal", weights={"c": 3})
    assert result.pages == {"a": 0, "b": 0, "c": 64}
    # A guarantee of 16 pages for a leaves 48, in which b fits and c does not.
    result = litemrc.allocate(curves, 64, delta=1, method="optimal", weights={"c": 3}, minimums={"a": "64K"})
    assert result.pages == {"a": 16, "b": 32, "c": 0}


def test_allocate_has_the_numbers_of_the_command(files, capsys):
    command = printed(
        capsys,
        "allocate",
        *files,
        "--memory",
        "3M",
        "--delta",
        "64K",
        "--min",
        "loop=1M",
        "--weight",
        "zipf=2",
    )
    result = litemrc.allocate(files, "3M", delta="64K", minimums={"loop": "1M"}, weights={"zipf": 2})
    assert result.document() == command
    assert result.to_pandas()["allocated_pages"].tolist() == list(command["allocation_pages"].values())


def test_allocate_refuses_what_the_command_refuses(files):
    curves = litemrc.Curves([loop_of(16, "a"), loop_of(32, "b")])
    with pytest.raises(litemrc.UserError, match="no curve is named 'd'"):
        litemrc.allocate(curves, 48, weights={"d": 2})
    with pytest.raises(litemrc.UserError, match="without performance"):
        litemrc.allocate(curves, 48, reference_rates={"a": 2})
    with pytest.raises(litemrc.UserError, match="not a whole number of pages"):
        litemrc.allocate(curves, "6K")
    smaller = litemrc.Curve([16], [0.1], 10, 1, 1024, name="small")
    with pytest.raises(litemrc.UserError, match="different sizes"):
        litemrc.allocate([curves, smaller], 48)
    with pytest.warns(UserWarning, match="small: converted to pages of 4096 bytes"):
        # 16 pages of 1 KiB are 4 pages of 4 KiB.
        assert litemrc.allocate([curves, smaller], 4, delta=1, convert=True).pages == {
            "a": 0,
            "b": 0,
            "small": 4,
        }


def test_hot_by_hand():
    result = litemrc.hot([7, 7, 7, 5, 5, 9, 1, 1, 2, 3], epoch=6, exact=True)
    assert [(each.unit.pages.tolist(), each.unit.counts.tolist()) for each in result.epochs] == [
        ([7, 5], [3, 2]),  # 9 has one access, below the threshold of 2
        ([1], [2]),
    ]
    assert [each.recall for each in result.epochs] == [1, 1]
    assert result.rows()[0] == {"epoch": 0, "page": 7, "count": 3, "share": 3 / 6}


def test_hot_has_the_numbers_of_the_command(capsys):
    command = printed(capsys, "hot", ZIPF, "--epoch", 5000, "--k", 8, "--threshold", 20, "--exact")
    assert litemrc.hot(ZIPF, epoch=5000, k=8, threshold=20, exact=True).document() == command | {
        "interrupted": False
    }


def test_heatmap_by_hand():
    # Epoch 0: pages 0, 1, 3. Epoch 1: page 2 alone. Rows of 2 pages: 2 of 2, 1 of 2; 0 of 2, 1 of 2.
    result = litemrc.heatmap([0, 1, 3, 2, 2, 2], epoch=3, rows=2)
    assert result.share.tolist() == [[1, 0], [0.5, 0.5]]
    assert result.to_pandas()["share"].tolist() == [1, 0, 0.5, 0.5]
    assert litemrc.heatmap([0, 1, 3, 2, 2, 2], epoch=3, pages=range(2, 4)).share.tolist() == [[0, 1], [1, 0]]
    assert litemrc.heatmap([0, 1, 3, 2, 2, 2], epoch=3, rows=2, epochs=range(1, 2)).share.tolist() == [
        [0],
        [0.5],
    ]


def test_heatmap_has_the_numbers_of_the_command_and_reads_its_files(tmp_path, capsys):
    command = printed(capsys, "heatmap", LOOP, "--epoch", 700, "--cells", "20x10")
    result = litemrc.heatmap(LOOP, epoch=700, columns=20, rows=10)
    assert result.document() == command | {"interrupted": False}
    result.save_pages(tmp_path / "pages.parquet")
    again = litemrc.heatmap(tmp_path / "pages.parquet", columns=20, rows=10)
    assert again.share.tolist() == result.share.tolist()
    assert litemrc.heatmap(read_page_bitmaps(tmp_path / "pages.parquet")).share.size
    with pytest.raises(litemrc.UserError, match="epoch is for traces"):
        litemrc.heatmap(tmp_path / "pages.parquet", epoch=5)


def test_compare_by_hand():
    # At 16 pages 0.1 and 1, at 32 pages equal: 0.9, at 64 KiB.
    result = litemrc.compare(
        litemrc.Curve([16, 32], [0.1, 0.1], 1000, 100), litemrc.Curve([16, 32], [1.0, 0.1], 1000, 100)
    )
    assert result.largest == pytest.approx(0.9)
    assert result.pairs[0][2].largest_at_bytes == 16 * 4096
    assert result.above_tolerance == []


def test_compare_has_the_numbers_of_the_command(files, capsys):
    command = printed(capsys, "compare", files[0], LOOP, "--tolerance", "0.5")
    document = litemrc.compare(files[0], LOOP, tolerance=0.5).document()
    assert command["curves"][0].pop("other_name") == "loop", "a command shortens names of traces"
    assert document["curves"][0].pop("other_name") == LOOP
    assert document == command
    assert litemrc.compare(files[0], files[1], tolerance=0.5).above_tolerance == ["zipf"]
    assert not litemrc.compare(ZIPF, files[0], tolerance=0).above_tolerance, "the trace is measured exactly"


@pytest.mark.parametrize("suffix", [".txt.gz", ".oracleGeneral", ".parquet"])
def test_a_trace_that_is_written_is_that_of_the_command(tmp_path, capsys, suffix):
    ours, theirs = tmp_path / f"ours{suffix}", tmp_path / f"theirs{suffix}"
    written = litemrc.write_trace("gen:zipf?pages=1000&n=20000", ours)
    assert main(["trace", "generate", "zipf", "pages=1000", "n=20000", "--out", str(theirs)]) == 0
    assert (written.references, written.page_bytes) == (20000, 4096)
    assert litemrc.compare(ours, theirs, tolerance=0).above_tolerance == []
    if suffix != ".txt.gz":  # gzip stores the time
        assert ours.read_bytes() == theirs.read_bytes()


def test_arrays_are_written_and_formats_name_what_they_lose(tmp_path):
    assert litemrc.write_trace([3, 1, 3], tmp_path / "trace.txt").references == 3
    assert litemrc.mrc(tmp_path / "trace.txt").misses == 2
    (tmp_path / "directions.txt").write_text("1 5 w\n2 6 r\n")  # oracleGeneral has no column for directions
    written = litemrc.write_trace(tmp_path / "directions.txt", tmp_path / "lost.oracleGeneral")
    assert written.lost == ("writes",)
    with pytest.raises(litemrc.UserError, match="interval writes IN/OUT records"):
        litemrc.write_trace([1], tmp_path / "trace.txt", interval=5)
    with pytest.raises(litemrc.UserError, match="read only"):
        litemrc.write_trace([1], tmp_path / "trace.npy")
    assert not (tmp_path / "trace.npy").exists()


def test_replace_by_hand():
    # Loop of 3 pages in 2: LRU misses every time; OPT keeps one page each turn: 1, 2, 3 cold, then 1 hits,
    # 2 faults, 3 hits.
    result = litemrc_studies.replace([1, 2, 3, 1, 2, 3], [2, 3], ["lru", "opt"])
    faults = {(row["policy"], row["memory_pages"]): row["faults"] for row in result.rows()}
    assert faults == {("lru", 2): 6, ("lru", 3): 3, ("opt", 2): 4, ("opt", 3): 3}


def test_replace_has_the_numbers_of_the_command(capsys):
    command = printed(capsys, "replace", LOOP, "--memory", "1M,2M", "--seq", "length=30")
    result = litemrc_studies.replace(LOOP, ["1M", "2M"], seq=litemrc_studies.Seq(length=30))
    assert result.document() == command
    with pytest.raises(litemrc.UserError, match="unknown policy 'fifo'"):
        litemrc_studies.replace(LOOP, "1M", "fifo")


def test_every_result_has_a_table_a_picture_and_a_short_text(tmp_path):
    results = [
        litemrc.allocate([loop_of(16, "<a>"), loop_of(32, "b")], 48),
        litemrc.hot(ZIPF, epoch=5000),
        litemrc.heatmap(ZIPF, epoch=5000),
        litemrc.compare(ZIPF, LOOP),
        litemrc_studies.replace(LOOP, [100, 500], ["lru", "opt"]),
    ]
    assert {type(each) for each in results} == set(Result.__subclasses__())
    for result in results:
        name = type(result).__name__
        assert len(result.to_pandas()) == len(result.rows()) > 0
        assert result.plot().axes
        result.save(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert repr(result).startswith(f"<{name} ") and len(repr(result)) < 200 and "\n" not in repr(result)
        html = result._repr_html_()
        assert "<a>" not in html and html.count("<tr>") <= 11 and "<table>" in html
        with pytest.raises(AttributeError):
            result.rows = None
    with pytest.raises(litemrc.UserError, match="must end in"):
        results[0].save(tmp_path / "picture.txt")


def test_numbers_of_numpy_are_sizes():
    assert litemrc.allocate(loop_of(16, "a"), np.int64(32), delta=1).pages == {"a": 16}
