# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc heatmap`: its map, its JSON, its files, and what it refuses."""

import io
import json

import pytest
from litemrc.cli.traces.heat_text import is_unicode
from litemrc.pages.files import read_page_bitmaps, write_page_bitmaps

from tests.host.bitmaps import bitmaps_of_sets, random_bitmaps, shown
from tests.host.in_process import litemrc

# Epoch 0: pages 0 to 3; epoch 1: pages 0 and 1; epoch 2: pages 0, 0; epoch 3: page 7, then the trace ends.
REFERENCES = "0 1 2 3  1 0 1 0  0 0 0 0  7"


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "pages.txt"
    path.write_text("".join(f"{page}\n" for page in REFERENCES.split()))
    return path


@pytest.fixture
def device(tmp_path):
    """The bitmaps of a device with 8 frames; page 1 written in epoch 5, epoch 6 lost."""
    path = tmp_path / "bitmaps.parquet"
    sets = [{0, 1}, {0}, {7}], [{1}, (), ()]
    table = bitmaps_of_sets(
        shown(range(8)), *sets, epochs=[5, 7, 8], cycles=[50_000_000] * 3, clock_hz=50_000_000
    )
    write_page_bitmaps(path, table)
    return path


def lines_of(*arguments):
    done = litemrc("heatmap", *arguments, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_map_of_a_trace_has_addresses_and_epochs(trace):
    # 5 of 8 pages are used, so that the gap from 4 to 6 stays. Pages 0 and 1 together: 2, 2, 1, 0 of 2.
    assert lines_of(trace, "--epoch", 4, "--cells", "8x4") == [
        "32 KiB, 8 pages of 4 KiB; 4 epochs",
        "       │      ▒▒",
        "       │",
        "       │██",
        "   0x0 ┤████▒▒",
        "       └┬─┬─┬─┬─",
        "        0 1 2 3  epoch",
        "share of pages accessed, up to: ░ 0.25  ▒ 0.5  ▓ 0.75  █ 1; blank: 0",
    ]


def test_the_map_of_a_device_has_physical_addresses_time_and_missing_epochs(device):
    lines = lines_of(device, "--cells", "4x8")
    assert lines[0] == "32 KiB, 8 pages of 4 KiB; 3 epochs in 4 s, 1 missing"
    assert [line.split("│")[-1].split("┤")[-1] for line in lines[1:9]] == [
        " ? █",
        *[" ?"] * 5,
        "█?",
        "█?█",
    ]
    assert [line.split()[0] for line in lines[1:9] if "┤" in line] == ["0x40004000", "0x40000000"]
    assert lines[-1].endswith("; blank: 0; ? no epoch")


def test_writes_are_apart(device):
    assert json.loads(litemrc("heatmap", device, "--writes", "--json").stdout)["share"][1] == [1, None, 0, 0]
    assert "no page was written" in lines_of(device, "--writes", "--pages", "2:")[-1]


def test_json_has_the_matrix_with_its_edges(device):
    found = json.loads(litemrc("heatmap", device, "--cells", "2x4", "--json").stdout)
    # Rows of 2 pages, columns of 2 epochs: 5 (and 6, lost), 7 and 8.
    assert found == {
        "share": [[1, 0.25], [0, 0], [0, 0], [0, 0.25]],
        "epoch_edges": [5, 7, 9],
        "page_edges": [0, 2, 4, 6, 8],
        "addresses": [0x4000_0000 + 8192 * row for row in range(4)],
        "ranges": [[0x4000_0000, 8]],
        "page_bytes": 4096,
        "pages": 8,
        "epochs": 3,
        "missing_epochs": 1,
        "written": False,
        "source": "",
        "interrupted": False,
    }


@pytest.mark.parametrize(
    ("pages", "first", "number"),
    [
        ("2:5", 2, 4),
        ("6:", 6, 2),
        ("0x40002000:0x40003fff", 2, 2),
        ("0x40002001:0x40004000", 2, 3),
        ("0x40007000:", 7, 1),
    ],
)
def test_pages_are_chosen_by_frames_or_addresses(device, pages, first, number):
    found = json.loads(litemrc("heatmap", device, "--pages", pages, "--json").stdout)
    assert found["ranges"] == [[0x4000_0000 + 4096 * first, number]]


@pytest.mark.parametrize(("epochs", "edges"), [("5:7", [5, 6, 7, 8]), ("7:", [7, 8, 9]), ("0:5", [5, 6])])
def test_epochs_are_chosen_by_number(device, epochs, edges):
    assert json.loads(litemrc("heatmap", device, "--epochs", epochs, "--json").stdout)["epoch_edges"] == edges


def test_ranges_behind_gaps_are_marked(tmp_path):
    path = tmp_path / "far.txt"
    path.write_text("".join(f"{page}\n" for page in [*range(4), *range(10_000, 10_004)]))
    lines = lines_of(path, "--cells", "8x8")
    assert lines[0].startswith("32 KiB, 8 pages of 4 KiB in 2 ranges; 1 epoch")
    (marked,) = (line for line in lines if "╪" in line and line.startswith("0x"))
    assert marked.split()[0] == hex(10_000 * 4096)
    assert lines[-1].endswith("╪ behind a gap")


def test_an_output_without_block_characters_gets_ascii(trace, monkeypatch):
    class Ascii(io.StringIO):
        encoding = "ascii"

    assert is_unicode(io.StringIO()) and not is_unicode(Ascii())
    monkeypatch.setattr("litemrc.cli.traces.heatmap.is_unicode", lambda stream: False)
    lines = lines_of(trace, "--epoch", 4, "--cells", "8x4")
    assert all(line.isascii() for line in lines)
    assert lines[4] == "   0x0 |####::"


def test_the_map_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "20")
    lines = lines_of("gen:zipf?pages=65536&n=300000", "--epoch", 1000)
    assert len(lines) < 20
    assert 45 < max(len(line) for line in lines[1:-2]) < 60


def test_saved_bitmaps_give_the_same_map(trace, tmp_path):
    first = lines_of(trace, "--epoch", 4, "--save", tmp_path / "b.parquet")
    assert lines_of(tmp_path / "b.parquet") == first
    assert read_page_bitmaps(tmp_path / "b.parquet").source == str(trace)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_picture_is_written(device, tmp_path, suffix):
    lines_of(device, "--out", tmp_path / f"map.{suffix}", "--title", "A device")
    content = (tmp_path / f"map.{suffix}").read_bytes()
    assert content.startswith(b"\x89PNG") if suffix == "png" else b"A device" in content


def test_a_record_for_damo_is_written_and_read_as_a_trace(device, tmp_path):
    record = tmp_path / "device.damon"
    done = litemrc("heatmap", device, "--damo", record, "--aggregation", 2, "--pages", "0:3")
    # Epochs 5 and 6, 7 and 8: page 0 in one epoch each, page 1 in epoch 5.
    assert f"2 snapshots with 4 regions for damo in {record}" in done.stderr
    info = json.loads(litemrc("trace", "info", record, "--json").stdout)
    assert (info["references"], info["pages"]) == (3, 2)


def test_the_user_learns_that_damo_takes_address_0_for_unknown(trace, tmp_path):
    done = litemrc("heatmap", trace, "--damo", tmp_path / "t.damon")
    assert "--address_range 0 32768" in done.stderr
    done = litemrc("heatmap", trace, "--damo", tmp_path / "t.damon", "--pages", "1:")
    assert "--address_range" not in done.stderr


def test_ctrl_c_keeps_the_epochs_so_far(trace, monkeypatch):
    def interrupted(chunks, args):
        yield from chunks
        raise KeyboardInterrupt

    monkeypatch.setattr("litemrc.cli.traces.heatmap.contexts_noted", interrupted)
    done = litemrc("heatmap", trace, "--epoch", 4, "--json")
    assert done.returncode == 130
    found = json.loads(done.stdout)
    assert (found["epochs"], found["interrupted"]) == (3, True)
    assert "the running epoch is not shown" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--epoch", "0"], "--epoch"),
        (["--context", "1"], "the trace has no contexts"),
        (["--writes"], "which accesses were writes is not known"),
        (["--pages", "9:"], "frames 0 to 7, addresses 0x0 to 0x7fff"),
        (["--pages", "4:6"], None),
        (["--pages", "5:4"], "must be a range of frames"),
        (["--pages", "5:0x9000"], "must be a range of frames"),
        (["--pages", "8"], "or of addresses, such as 0x40000000:0x400fffff (got '8')"),
        (["--epochs", "1:0"], "must be a range of epochs"),
        (["--epochs", "4:"], "the range of --epochs holds no epoch: they are 0 to 3"),
        (["--cells", "8"], "each 1 to 10000, such as 100x40 (got '8')"),
        (["--cells", "8x0"], "each 1 to 10000"),
        (["--out", "map.txt"], ".png or .svg"),
        (["--damo", "none/r.damon"], "no such folder"),
        (["--save", "none/b.parquet"], "no such folder"),
        (["--aggregation", "0"], "--aggregation"),
    ],
)
def test_what_cannot_be_drawn_is_refused(trace, options, said):
    done = litemrc("heatmap", trace, "--epoch", 4, *options)
    if said is None:  # pages that were never used have a map
        assert done.returncode == 0 and "no page was accessed" in done.stdout
        return
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split()) and done.stdout == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--epoch", "4"], "--epoch is for traces, but the file holds page bitmaps"),
        (["--context", "1"], "--context is for traces"),
        (["--format", "parquet"], "--format is for traces"),
        (["--page-size", "4k"], "--page-size is for traces"),
        (["--column", "page=x"], "--column is for traces"),
        (["--pages", "0x3fffffff:"], "address 0x3fffffff lies below frame 0, whose address is 0x40000000"),
    ],
)
def test_what_page_bitmaps_have_themselves_is_refused(device, options, said):
    done = litemrc("heatmap", device, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_damaged_bitmaps_and_those_without_epochs_are_refused(tmp_path):
    path = tmp_path / "b.parquet"
    write_page_bitmaps(path, random_bitmaps(1).between(0, 1))
    assert "the file has no epoch" in litemrc("heatmap", path).stderr
    write_page_bitmaps(path, random_bitmaps(1))
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)
    done = litemrc("heatmap", path)
    assert done.returncode == 2 and "do not match its checksum" in done.stderr
