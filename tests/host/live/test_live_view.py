# SPDX-License-Identifier: BSD-2-Clause
"""The numbers, curves and texts of the panels: of the epochs that arrived, and never by colour alone."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.curves.curve import Curve
from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.feed.recent import Recent
from litemrc.live import panels
from litemrc.live.header import Status, header_lines
from litemrc.live.ink import Ink, count_text, line, spark
from litemrc.live.panels import HeatPanel
from litemrc.live.plot import PlottedCurve, axis_pages, plot_lines
from litemrc.live.view import Settings, View

from tests.host.epoch_rows import changed
from tests.host.live.live_epochs import NAMES, PARAMETERS, RATE, SETTINGS, feed_epochs
from tests.host.paced_device import CLOCKS, FRAMES, hits_of, misses_of

EPOCHS = 60
INK = Ink(dark=True)
WIDTH, HEIGHT = 70, 10  # 64 columns of 8 rows for the curves: 128 by 32 dots


@pytest.fixture
def recent() -> Recent:
    recent = Recent()
    for event in (PARAMETERS, *feed_epochs(EPOCHS)):
        recent(event)
    return recent


@pytest.mark.parametrize("window", [1, 5, 20, 100])
def test_counters_and_curves_are_sums_over_the_window(recent: Recent, window: int) -> None:
    view = View(recent, SETTINGS, window=window)
    numbers = range(max(EPOCHS - window, 0), EPOCHS)
    assert [each.context for each in view.contexts] == list(range(8))
    for each in view.contexts:
        hits = [hits_of(number, each.context) for number in numbers]
        misses = sum(misses_of(number, each.context) for number in numbers)
        accesses = sum(map(sum, hits)) + misses
        assert (each.curve.accesses, each.curve.misses) == (accesses, misses)
        # A memory of 3 MiB has the first 6 groups of 512 KiB.
        held = sum(sum(of_epoch[:6]) for of_epoch in hits)
        assert each.curve.at("3M") == pytest.approx(1 - held / accesses)
    assert view.dropped == sum(number % 3 for number in numbers)


def test_working_sets_are_those_of_each_epoch_and_names_and_budgets_those_of_the_device(
    recent: Recent,
) -> None:
    for each in View(recent, SETTINGS).contexts:
        sizes = [100 * (each.context + 1) + number % 50 for number in range(EPOCHS)]
        assert (list(each.history), each.working_set) == (sizes, sizes[-1])
        assert each.name == NAMES.get(each.context, f"context {each.context}")
        assert each.budget == SETTINGS.budgets.get(each.context)


def test_a_rank_is_asleep_for_the_share_of_its_cycles_in_the_window(recent: Recent) -> None:
    view = View(recent, SETTINGS, window=20)
    for domain, rank in enumerate(view.ranks):
        asleep = [CLOCKS * ((number // 10 + domain) % 4) // 4 for number in range(EPOCHS)]
        assert rank.asleep == pytest.approx(sum(asleep[-20:]) / (20 * CLOCKS))
        assert rank.history == pytest.approx([cycles / CLOCKS for cycles in asleep])
        assert rank.last["live_pages"] == 10 * domain


def test_the_rate_is_that_of_the_arrivals(recent: Recent) -> None:
    assert View(recent, SETTINGS).rate == pytest.approx(RATE)


def test_contexts_that_are_not_chosen_are_left_out_but_known(recent: Recent) -> None:
    view = View(recent, SETTINGS, chosen=frozenset((2, 5)))
    assert [each.context for each in view.contexts] == [2, 5]
    assert view.known == list(range(8))


def test_epochs_before_a_change_of_sampling_are_not_summed(recent: Recent) -> None:
    """Curves of different sampling cannot be added: those of the newest epochs are shown."""
    for epoch in feed_epochs(3, first=EPOCHS):
        hits = epoch.rows["hits"].copy()
        hits[:, 32:] = 0
        accesses = hits.sum(axis=1) + epoch.rows["misses"]
        recent(replace(epoch, rows=changed(epoch.rows, scale_log2=1, hits=hits, accesses=accesses)))
    view = View(recent, SETTINGS, window=20)
    assert [epoch.number for epoch in view.summed] == [EPOCHS, EPOCHS + 1, EPOCHS + 2]
    assert view.contexts[0].working_set == (100 + (EPOCHS + 2) % 50) * 2


def test_writes_that_count_apart_belong_to_the_context_of_their_pages() -> None:
    recent = Recent()
    recent(PARAMETERS)
    (epoch,) = feed_epochs(1)
    recent(replace(epoch, rows=changed(epoch.rows, split=True)))
    view = View(recent, SETTINGS)
    assert view.known == [0, 1, 2, 3]
    writes = sum(hits_of(0, 5)) + misses_of(0, 5)
    assert view.contexts[1].curve.accesses == sum(hits_of(0, 1)) + misses_of(0, 1) + writes
    assert view.contexts[1].working_set == 200 + 600


def test_without_an_epoch_there_is_nothing() -> None:
    recent = Recent()
    view = View(recent, Settings())
    assert (view.last, view.contexts, view.ranks, view.rate, view.dropped) == (None, [], [], None, 0)


def curve(*steps: tuple[int, float], reuse: int = 64) -> Curve:
    """A curve of sizes 1 to 64 pages whose miss ratio falls at these sizes."""
    ratios = np.ones(reuse)
    for size, ratio in steps:
        ratios[size - 1 :] = ratio
    return Curve(np.arange(1, reuse + 1), ratios, accesses=1000, misses=0)


def dots(lines: list[str]) -> set[tuple[int, int]]:
    """Column and row of each dot that is set."""
    found = set()
    for row, text in enumerate(lines):
        for column, character in enumerate(text[6:]):
            bits = ord(character) - 0x2800 if 0x2800 <= ord(character) < 0x2900 else 0
            for bit, (x, y) in enumerate([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]):
                if bits >> bit & 1:
                    found.add((2 * column + x, 4 * row + y))
    return found


def drawn(*curves: Curve, labels: str = "0123456789") -> list[str]:
    plotted = [PlottedCurve(each, label, INK.series(0)) for each, label in zip(curves, labels, strict=False)]
    return [strip.text for strip in plot_lines(plotted, 64, 4096, WIDTH, HEIGHT, INK)]


def test_a_step_is_drawn_at_its_size_and_its_ratios() -> None:
    lines = drawn(curve((33, 0.5), (64, 0.0)), labels=" ")  # 2 dots a page: the step at page 33 is at dot 66
    assert [len(text) for text in lines] == [WIDTH] * HEIGHT
    found = dots(lines[:8])
    row_of = {ratio: round((1 - ratio) * 31) for ratio in (1.0, 0.5)}
    for column in (40, 65):
        assert [row for x, row in found if x == column] == [row_of[1.0]]
    assert sorted(row for x, row in found if x == 66) == list(range(1, row_of[0.5] + 1))
    assert [row for x, row in found if x == 100] == [row_of[0.5]]
    assert {row for x, row in found if x == 127} == {row_of[0.5]}


def test_axes_have_units_and_the_highest_ratio() -> None:
    lines = drawn(curve((10, 0.0)))
    assert lines[0].startswith("    1┤") and lines[4].startswith("  0.5┤") and lines[8].startswith("    0└")
    assert lines[9].split() == ["0", "12", "KiB", "24", "KiB", "36", "KiB", "48", "KiB"]  # 12 pages in all


def test_curves_can_be_told_apart_without_colour() -> None:
    lines = drawn(curve((10, 0.5), (60, 0.1)), curve((50, 0.3)), labels="37")
    text = "".join(each[6:] for each in lines[:8])
    assert set(text) & set("0123456789") == {"3", "7"}
    rows = {character: [row for row, each in enumerate(lines[:8]) if character in each] for character in "37"}
    assert rows["3"] != rows["7"]


@pytest.mark.parametrize(("reuse", "end"), [(5, 8), (9, 12), (12, 16), (33, 48), (60, 64), (64, 64)])
def test_the_axis_ends_at_a_power_of_two_or_half_more(reuse: int, end: int) -> None:
    """So it stays while curves change a little."""
    assert axis_pages([curve((reuse, 0.0))], 64) == end


def test_a_curve_without_an_access_is_not_drawn() -> None:
    nothing = Curve(np.arange(1, 65), np.full(64, np.nan), accesses=0, misses=0)
    assert not dots(drawn(nothing)[:8])


def test_a_place_that_is_too_small_has_no_plot() -> None:
    assert plot_lines([PlottedCurve(curve((9, 0.1)), "1", INK.series(0))], 64, 4096, 20, 10, INK) == []


def test_a_history_ends_with_the_newest_value() -> None:
    assert spark([9, 0, 1, 8], 3) == " ▁█"
    assert spark([4], 3) == "  █"
    assert spark([0.5], 1, 1) == "▄"
    assert spark([0, 0], 2) == "  "


def test_counts_fit_their_column_and_lines_their_width() -> None:
    assert count_text(1_234_567) == "1,234,567"
    assert count_text(12_345_678_901, 10) == "12.35G"
    assert line(["abcdef"], 4).text == "abc…" and line(["ab"], 4).text == "ab  "


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
        assert "3 damaged, 4 lost; epochs lost: 16" in lines[2]
    if width >= 160:
        assert all(flag in lines[3] for flag in ("REC 7", "PAUSED", "FROZEN"))
