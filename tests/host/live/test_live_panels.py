"""What panels say of numbers: in characters, as a colour is never the only sign."""

from dataclasses import replace

import pytest
from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.feed.recent import Recent
from litemrc.live import panels
from litemrc.live.header import Status, header_lines
from litemrc.live.ink import Ink
from litemrc.live.panels import HeatPanel
from litemrc.live.view import Settings, View

from tests.host.live.live_epochs import PARAMETERS, SETTINGS, feed_epochs
from tests.host.paced_device import FRAMES, hits_of, misses_of

INK = Ink(dark=True)


def view(*events: object, settings: Settings = SETTINGS, **options: object) -> View:
    recent = Recent()
    for event in events:
        recent(event)
    return View(recent, settings, **options)


def text(lines) -> list[str]:
    return [strip.text for strip in lines]


def test_a_row_of_a_context_has_its_counters_working_set_and_budget() -> None:
    lines = text(panels.context_lines(view(PARAMETERS, *feed_epochs(6), window=5), 80, 12, INK))
    accesses = sum(sum(hits_of(number, 1)) + misses_of(number, 1) for number in range(1, 6))
    misses = sum(misses_of(number, 1) for number in range(1, 6))
    row = next(each for each in lines if each.startswith(" 1 "))
    assert row.split()[:6] == ["1", "sort", "(pid", "57)", f"{accesses:,}", str(misses)]
    assert "820 KiB" in row, "205 pages in epoch 5"
    assert row.endswith(" 2 MiB"), "a budget of 512 pages"
    assert next(each for each in lines if each.startswith(" 2 ")).endswith("no limit")


def test_contexts_that_do_not_fit_are_counted() -> None:
    lines = text(panels.context_lines(view(PARAMETERS, *feed_epochs(1)), 80, 5, INK))
    assert len(lines) == 5 and "and 5 more" in lines[-1]


def test_the_state_bar_has_a_part_of_each_state() -> None:
    (epoch,) = feed_epochs(1, first=10)  # ranks 0 to 3 sleep 1/4, 2/4, 3/4 and none of the time
    lines = text(panels.rank_lines(view(PARAMETERS, epoch), 83, 10, INK))
    bars = [[line[24:44].count(sign) for sign in "█▓▒░"] for line in lines[2:6]]
    assert bars == [[0, 15, 0, 5], [0, 10, 0, 10], [0, 5, 0, 15], [0, 20, 0, 0]]
    assert [line[:16].split() for line in lines[2:6]] == [["0", "self-refresh"], ["1", "self-refresh"],
                                                          ["2", "self-refresh"], ["3*", "awake"]]  # fmt: skip
    assert [line[17:23].strip() for line in lines[2:6]] == ["25.0%", "50.0%", "75.0%", "0.0%"]


def test_hot_pages_have_addresses_counts_and_shares() -> None:
    lines = text(panels.hot_lines(view(PARAMETERS, *feed_epochs(3)), 80, 20, INK))
    accesses = sum(1000 - 10 * place for place in range(16)) + 5
    assert f"of {accesses:,} accesses to 16 pages" in lines[0]
    assert lines[2].split()[:4] == ["2", "0x40002000", "1,000", f"{1000 / accesses:.1%}"]
    assert lines[3].split()[:3] == ["5", "0x40005000", "990"]


def test_the_heat_map_has_a_column_of_each_epoch_and_marks_those_that_were_lost() -> None:
    """Of four rows of 2,048 pages all, half, an eighth and none were accessed; epoch 1 was lost."""
    first, _, last = feed_epochs(3)
    frames = (*range(2048), *range(2048, 3072), *range(4096, 4352))
    bits = sum(1 << frame for frame in frames).to_bytes(FRAMES // 8, "little")
    nothing = replace(first, accessed=AccessedEpoch(0, bytes(FRAMES // 8), bytes(FRAMES // 8)))
    drawn = view(PARAMETERS, nothing, replace(last, accessed=AccessedEpoch(2, bits, bits)))
    lines = text(HeatPanel().lines(drawn, 70, 7, INK))
    assert [line[11:14] for line in lines[1:5]] == [" ? ", " ?░", " ?▒", " ?█"]
    assert lines[4].startswith("0x40000000┤") and "█ ≤1" in lines[0]


def test_pages_are_those_of_the_device_or_it_is_said_that_there_are_none() -> None:
    without = replace(PARAMETERS, dram=None, accessed=False, hot=False)
    shown = view(without, *feed_epochs(1))
    assert "no rank meter" in text(panels.rank_lines(shown, 80, 5, INK))[0]
    assert "h turns them on" in text(panels.hot_lines(shown, 80, 5, INK))[0]
    assert "no page bitmap" in text(HeatPanel().lines(shown, 80, 5, INK))[0]


def test_epochs_that_never_end_are_explained() -> None:
    shown = view(PARAMETERS, settings=Settings("accesses", 0))
    assert "e sets one" in text(panels.curve_lines(shown, 80, 5, INK))[0]
    assert "no epoch has arrived" in text(panels.curve_lines(view(PARAMETERS), 80, 5, INK))[0]


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_header_has_four_lines_and_what_is_wrong(width: int) -> None:
    epoch = feed_epochs(3)[-1]
    epoch = replace(epoch, lost=16, link=replace(epoch.link, damaged=2, oversized=1, lost=4))
    shown = view(PARAMETERS, epoch, settings=replace(SETTINGS, freeze=True))
    status = Status(paused=True, recording="REC 7", silent_s=12.4)
    lines = text(header_lines(shown, "socket://x", status, width, INK))
    assert [len(line) for line in lines] == [width] * 4
    if width >= 80:
        assert "none for 12 s" in lines[1] and "2 accesses dropped" in lines[1]
        assert "3 damaged, 4 lost; epoch messages lost: 16" in lines[2]
    if width >= 160:
        assert all(flag in lines[3] for flag in ("REC 7", "PAUSED", "FROZEN"))
