# SPDX-License-Identifier: BSD-2-Clause
"""The simulator's record as the truth beside DAMON on the SoC: a run of two pages, made by hand."""

import numpy as np
import pytest
from litemrc.errors import UserError

from scripts.damon.damon_rtl import measured, parts, recorded
from scripts.damon.damon_windows import Windows

BASE = 0x4000_0000
FIELDS = [("cycle", "<u8"), ("value", "<u4"), ("source", "S1"), ("write", "?")]
PAGES, MARKED = (0x40010, 0x40011), (0x40020, 0x40021, 0x40020)  # frames
FIRST = 0x1000_0000
LOG = f"""first {FIRST}
page {PAGES[0]}
page {PAGES[1]}
mark {MARKED[0]} 0
mark {MARKED[1]} 1000000
mark {MARKED[2]} 2000000
"""


def line(cycle, frame, write=False):
    """Return the four words of 8 bytes of a line, and one that the monitor's queue had."""
    offset = frame * 4096 - BASE
    return [(cycle + i, offset + 8 * i, b"D", write) for i in range(4)] + [(cycle, frame, b"Q", write)]


def trace(*intervals):
    """Return lines of the tracepoint: of each interval its end in us, and nr_accesses of both pages."""
    text = "kdamond.0-9 [000] ..... 0.{:06}: damon_aggregated: target_id=0 nr_regions=2 {}-{}: {} 5\n"
    return "".join(
        text.format(us, FIRST + 4096 * page, FIRST + 4096 * (page + 1), hits)
        for us, ranks in intervals
        for page, hits in enumerate(ranks)
    )


@pytest.fixture
def folder(tmp_path):
    """Make marks at 0, 1, 2 ms, 50,000 cycles each; a line of page 0 at 0.2 ms, two of page 1 at 1.2 ms."""
    events = [
        *line(100, MARKED[0]),
        *line(10_100, PAGES[0]),
        *line(50_100, MARKED[1]),
        *line(60_100, PAGES[1]),
        *line(60_200, PAGES[1], write=True),
        *line(100_100, MARKED[2]),
    ]
    np.save(tmp_path / "record.npy", np.array(events, FIELDS))
    (tmp_path / "log").write_text(LOG)
    (tmp_path / "trace").write_text(trace((100, (0, 0)), (1100, (0, 0)), (1900, (0, 4))))
    return tmp_path


def test_an_access_is_a_line_not_a_word(folder):
    accesses = recorded(folder, BASE)
    assert accesses.frames.tolist() == [0x40020, 0x40010, 0x40021, 0x40011, 0x40011, 0x40020]
    assert accesses.writes.tolist() == [False, False, False, False, True, False]
    assert accesses.times[1] == 10_100 * 20  # 50 MHz


def test_accesses_are_in_the_windows_of_damon(folder):
    windows = Windows.of(recorded(folder, BASE), 0)
    assert windows.damon().tolist() == [[0, 0], [0, 4]]
    assert windows.dram_accesses().tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    ("switched_ns", "off", "on"),
    [(1_100_000, [0], [1]), (1_050_000, [], [1]), (1_200_000, [0], []), (100_000, [], [0, 1])],
)
def test_a_window_in_which_the_feed_was_switched_is_in_no_part(folder, switched_ns, off, on):
    found = parts(Windows.of(recorded(folder, BASE), 0), switched_ns)
    assert (found["off"].tolist(), found["on"].tolist()) == (off, on)


def test_a_run_without_regions_is_refused(folder):
    (folder / "trace").write_text("")
    with pytest.raises(UserError, match="no record of DAMON"):
        recorded(folder, BASE)


@pytest.fixture
def one_hot(monkeypatch):
    monkeypatch.setattr("scripts.damon.damon_rtl.WANTED", 1)


def test_what_damon_found_is_compared_with_the_hottest_page_of_each_window(folder, one_hot):
    """Off, no region has nr_accesses, so nothing is reported. On, it is the page with the two lines."""
    (folder / "switched").write_text("0.0011 0.00\n")
    off, on = (measured(folder, BASE)[feed] for feed in ("off", "on"))
    assert (off["accessed"], off["most"], off["precision"], off["recall"]) == (0, 0, None, 0)
    assert (on["accessed"], on["most"], on["precision"], on["recall"]) == (1, 4, 1, 1)


@pytest.mark.parametrize(("switched", "feed"), [("0.00", "off"), ("0.0015", "on")])
def test_a_run_without_a_window_of_each_part_is_refused(folder, one_hot, switched, feed):
    (folder / "switched").write_text(f"{switched} 0.00\n")
    with pytest.raises(UserError, match=f"no window with the feed {feed}"):
        measured(folder, BASE)
