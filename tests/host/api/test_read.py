# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.read`: the curves in files of the commands, and what a collection of curves answers."""

import json
import re
from dataclasses import replace

import litemrc
import numpy as np
import pytest
from litemrc.cli import main as cli
from litemrc.epochs.files import write_epochs
from litemrc.epochs.table import EpochTable
from matplotlib.figure import Figure

from tests.host.epoch_rows import PARAMETERS, row


@pytest.fixture
def table_file(tmp_path):
    """Two contexts, 4 groups of 16 pages of 4 KiB; their sums are written beside the tests."""
    rows = [
        row(epoch=0, context=1, accesses=20, misses=5, touched=9, dropped=3, hits=(10, 3, 2, 0)),
        row(epoch=0, context=2, accesses=10, misses=2, touched=4, dropped=3, hits=(0, 8, 0, 0)),
        row(epoch=1, context=1, accesses=12, misses=1, touched=5, dropped=0, hits=(6, 5, 0, 0)),
    ]
    path = tmp_path / "curves.parquet"
    write_epochs(path, EpochTable.from_rows(rows, **PARAMETERS, context_names={1: "zipf", 2: "loop"}))
    return path


def test_an_epoch_table_gives_a_curve_for_each_context(table_file):
    curves = litemrc.read(table_file)
    assert list(curves) == ["zipf", "loop"] and len(curves) == 2
    zipf = curves["zipf"]
    assert (zipf.accesses, zipf.misses, zipf.dropped, zipf.page_bytes) == (32, 6, 3, 4096)
    # hits 16, 8, 2, 0 of 32 accesses
    assert zipf.miss_ratio.tolist() == [16 / 32, 8 / 32, 6 / 32, 6 / 32]
    assert zipf.at("64K") == zipf.at(pages=16) == 16 / 32
    assert curves["loop"].size_within(0) == 32


def test_json_of_commands_and_of_other_tools_is_read(tmp_path):
    path = tmp_path / "app.json"
    points = {"sizes_pages": [1, 2], "miss_ratio": [0.75, 0.5]}
    path.write_text(json.dumps({"accesses": 4, "cold_misses": 2, "page_bytes": 1024, **points}))
    curve = litemrc.read(path)["app"]
    assert (curve.accesses, curve.misses, curve.page_bytes, curve.at("2K")) == (4, 2, 1024, 0.5)
    path.write_text(json.dumps({"name": "bare", "accesses": 8, **points}))
    curve = litemrc.read(path, page_bytes=512)["bare"]
    assert (curve.misses, curve.page_bytes) == (0.5 * 8, 512)


def test_a_page_size_is_never_guessed(tmp_path, table_file):
    path = tmp_path / "app.json"
    described = {"accesses": 8, "sizes_pages": [1], "miss_ratio": [0.5]}
    path.write_text(json.dumps(described))
    with pytest.raises(litemrc.UserError, match="no page_bytes") as caught:
        litemrc.read(path)
    assert "page_bytes" in caught.value.remedy
    path.write_text(json.dumps(described | {"page_bytes": 1024}))
    for file, carried in ((path, 1024), (table_file, 4096)):
        with pytest.raises(litemrc.UserError, match=f"2048 bytes, but the file has pages of {carried}"):
            litemrc.read(file, page_bytes=2048)
        assert next(iter(litemrc.read(file, page_bytes=carried).values())).page_bytes == carried


def test_json_may_hold_several_curves_with_bands_and_resolutions(tmp_path):
    path = tmp_path / "app.json"
    first = {"name": "a", "page_bytes": 4096, "accesses": 4, "sizes_pages": [4, 8], "miss_ratio": [0.75, 0.5]}
    band = {"miss_ratio_low": [0.5, 0.25], "miss_ratio_high": [0.8, 0.5]}
    second = first | {"name": "b", "resolution_pages": 4, "known_from_pages": 3} | band
    path.write_text(json.dumps({"curves": [first, second]}))
    curves = litemrc.read(path)
    assert list(curves) == ["a", "b"]
    assert (curves["a"].resolution_pages, curves["a"].known_from_pages, curves["a"].low) == (1, 0, None)
    assert (curves["b"].resolution_pages, curves["b"].known_from_pages) == (4, 3)
    assert (curves["b"].low.tolist(), curves["b"].high.tolist()) == ([0.5, 0.25], [0.8, 0.5])


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"page_bytes": 0}, "page_bytes"),
        ({"page_bytes": True}, "page_bytes"),
        ({"accesses": -1}, "accesses"),
        ({"misses": "2"}, "misses"),
        ({"miss_ratio": [0.5, 0.75]}, "rises with memory"),
        ({"miss_ratio": [None, None]}, "must be a list of float64"),
        ({"miss_ratio": 1}, "miss_ratio must be a list"),
        ({"name": 7}, "name"),
        ({"miss_ratio_low": [0.5, 0.5]}, "both limits"),
        ({"miss_ratio_low": 0.5}, "miss_ratio_low must be a list"),
        ({"resolution_pages": 0}, "resolution_pages must be a whole number of at least 1"),
        ({"curves": []}, "at least one curve"),
        ({"curves": 7}, "must be a list"),
        ({"curves": [7]}, "not a JSON object"),
    ],
)
def test_impossible_curves_are_refused_with_their_file(tmp_path, changed, why):
    path = tmp_path / "app.json"
    described = {"page_bytes": 4096, "accesses": 4, "sizes_pages": [1, 2], "miss_ratio": [0.75, 0.5]}
    path.write_text(json.dumps(described | changed))
    with pytest.raises(litemrc.UserError, match=why) as caught:
        litemrc.read(path)
    assert str(path) in caught.value.where


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(litemrc.UserError, match="cannot read") as caught:
        litemrc.read(tmp_path / "no.parquet")
    assert caught.value.remedy


def test_curves_as_frames_and_tables_have_a_row_for_each_size(table_file):
    curves = litemrc.read(table_file)
    frame = curves.to_pandas()
    assert frame.columns.tolist() == ["name", "pages", "memory_bytes", "miss_ratio"]
    assert frame.name.tolist() == ["zipf"] * 4 + ["loop"] * 4
    assert frame.memory_bytes.tolist() == [65536 * groups for groups in (1, 2, 3, 4)] * 2
    assert frame[frame.name == "zipf"].miss_ratio.tolist() == [0.5, 0.25, 0.1875, 0.1875]
    table = curves["loop"].to_arrow()
    assert table.to_pydict() == {
        "pages": [16, 32, 48, 64],
        "memory_bytes": [65536, 131072, 196608, 262144],
        "miss_ratio": [1.0, 0.2, 0.2, 0.2],
    }
    assert table.schema.metadata[b"page_bytes"] == b"4096"
    frame.loc[0, "miss_ratio"] = 0.0
    assert curves["zipf"].miss_ratio[0] == 0.5, "the frame is a copy"
    assert litemrc.Curves().to_pandas().empty


def test_curves_are_drawn_as_steps_over_the_size_in_mib(table_file):
    curves = litemrc.read(table_file)
    axes = curves.plot(Figure().subplots())
    assert [line.get_label() for line in axes.lines] == ["zipf", "loop"]
    assert axes.lines[0].get_drawstyle() == "steps-post"
    assert np.array_equal(axes.lines[0].get_xdata(), np.arange(1, 5) / 16)
    assert axes.lines[0].get_ydata().tolist() == curves["zipf"].miss_ratio.tolist()
    assert curves["loop"].plot(Figure().subplots()).lines[0].get_label() == "loop"


def test_equal_names_are_distinguished(table_file):
    zipf = litemrc.read(table_file)["zipf"]
    assert list(litemrc.Curves([zipf, zipf, zipf])) == ["zipf", "zipf #2", "zipf #3"]


def test_notebooks_show_a_row_for_each_curve(table_file):
    curves = litemrc.read(table_file)
    shown = litemrc.Curves([replace(curves["zipf"], name="<b>"), curves["loop"]])._repr_html_()
    assert shown.count("<tr>") == 3 and shown.count("<svg") == 2
    assert "&lt;b&gt;" in shown and "<b>" not in shown
    assert re.search(r"<td>32</td><td>0\.1875</td><td>192 KiB</td><td>192 KiB</td>", shown)
    assert "zipf, 32 accesses" in repr(curves) and repr(curves["zipf"]).startswith("<Curve zipf")


def test_curves_reach_beyond_the_memory_unless_told_otherwise(tmp_path, tail_table, capsys):
    """60 accesses, hits 20 10 0 0, refaults 0 0 6 10 8 among 30 misses."""
    path = tmp_path / "t.parquet"
    write_epochs(path, tail_table)
    curve = litemrc.read(path)["sort (pid 57)"]
    assert (curve.at(pages=80), curve.tail.resident_pages, curve.tail.refaults) == (6 / 60, 38, 24)
    hardware = litemrc.read(path, tail=False)["sort (pid 57)"]
    assert (hardware.at(pages=80), hardware.tail) == (30 / 60, None)
    assert curve.difference(hardware).largest == pytest.approx(24 / 60)

    cli.main(["curve", str(path), "--process", "sort", "--json"])
    json_path = tmp_path / "sort.json"
    json_path.write_text(capsys.readouterr().out)
    again = litemrc.read(json_path)["sort"]
    assert (again.tail, again.misses) == (curve.tail, 6)
    assert again.miss_ratio.tolist() == curve.miss_ratio.tolist()
    with pytest.raises(litemrc.UserError, match="refaults cannot be left out"):
        litemrc.read(json_path, tail=False)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"refaults": "24"}, "refaults of the tail is '24'"),
        ({"refaults": 1.5}, "refaults of the tail is 1.5"),
        ({"resident_pages": True}, "resident_pages of the tail is True"),
        ({"resident_pages": 99.0}, "no such tail"),
        ({"more": 1}, "tail must have refaults, unidentified, resident_pages"),
    ],
)
def test_a_tail_in_json_that_cannot_be_is_refused(tmp_path, change, why):
    tail = {"refaults": 4, "unidentified": 0, "resident_pages": 8, "resident_least": 8, "resident_most": 8}
    tail |= {"evicted_pages": 2.5, "open_refaults": 0}
    curve = {"accesses": 8, "page_bytes": 64, "sizes_pages": [1], "miss_ratio": [0.5]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(curve | {"tail": tail}))
    assert litemrc.read(path)["a"].tail.evicted_pages == 2.5
    path.write_text(json.dumps(curve | {"tail": tail | change}))
    with pytest.raises(litemrc.UserError, match=re.escape(why)):
        litemrc.read(path)
