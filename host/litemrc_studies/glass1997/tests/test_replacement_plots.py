# SPDX-License-Identifier: BSD-2-Clause
"""Figures of replacement: fault rates, inter-fault times, and faults and evictions over time."""

import numpy as np
import pytest
from litemrc.plots.heat import space_time_figure
from litemrc.traces import open_trace
from litemrc.traces.summary import Summary, space_time
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.plots import (
    EVICTIONS,
    FAULTS,
    PagingPoint,
    draw_policy,
    fault_rate_figure,
    faults_figure,
    interfault_figure,
)
from matplotlib.figure import Figure

from tests.host.plots.axes import assert_sound

POLICIES = ("lru", "clock", "opt", "seq", "seq-adaptive")
STYLE = {"page_bytes": 1024, "time_unit": "cycles", "title": "a"}
# Memories of 1, 2 and 4 MiB; 2,000,000 cycles; without faults in the largest.
POINTS = [
    PagingPoint(policy, mib * 1024, faults, 2_000_000)
    for policy in POLICIES
    for mib, faults in ((1, 40), (2, 10), (4, 0))
]
# Pages 10, 11 and 900 in a memory of 2: 10 is evicted from a sequence, then 11 by LRU.
LOG = FaultLog(
    times=np.array([5, 6, 9, 20], np.uint64),
    pages=np.array([10, 11, 900, 10], np.uint64),
    cold=np.array([True, True, True, False]),
    evicts=np.array([False, False, True, True]),
    victims=np.array([0, 0, 10, 11], np.uint64),
    from_sequence=np.array([False, False, True, False]),
)
LOG_STYLE = {"memory_pages": 2, "page_bytes": 4096, "time_unit": "cycles"}


@pytest.mark.parametrize(
    ("draw", "sizes", "values"),
    [(fault_rate_figure, [1, 2, 4], [20, 5, 0]), (interfault_figure, [1, 2], [50_000, 200_000])],
)
def test_every_policy_is_drawn_and_visible_where_they_coincide(draw, sizes, values):
    figure = draw(POINTS, **STYLE)
    axes = figure.axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    for policy in POLICIES:
        line = lines[policy.upper()]
        assert line.get_xdata().tolist() == sizes and line.get_ydata().tolist() == pytest.approx(values)
    widths = [line.get_linewidth() for line in sorted(axes.lines[:5], key=lambda line: line.get_zorder())]
    assert widths == sorted(widths, reverse=True) and len(set(widths)) == 5
    assert axes.get_xlabel() == "memory size" and "cycles" in axes.get_ylabel()
    assert_sound(figure)


def test_a_line_of_one_of_many_panels_is_thin_and_may_leave_its_axes():
    axes = Figure().subplots()
    for options in ({}, {"small": True, "clip": True}):
        draw_policy(axes, "seq", [(1024, 5.0), (2048, 99.0)], 1024, **options)
    large, small = axes.lines
    assert small.get_xdata().tolist() == [1, 2] and small.get_ydata().tolist() == [5, 99]
    assert small.get_linewidth() < large.get_linewidth() and small.get_markersize() < large.get_markersize()
    assert small.get_clip_on() and not large.get_clip_on()
    assert small.get_color() == large.get_color() and small.get_label() == "SEQ"


@pytest.mark.parametrize("draw", [fault_rate_figure, interfault_figure])
@pytest.mark.parametrize("faults", [0, 7])
def test_one_size_with_or_without_faults_makes_a_picture(draw, faults):
    figure = draw([PagingPoint("lru", 20, faults, 100)], **STYLE)
    low, high = figure.axes[0].get_xlim()
    assert low == 0 < 20 * 1024 / (1 << 20) < high
    assert_sound(figure)


def test_a_space_time_graph_ends_at_its_last_page_and_reference():
    url, summary = "gen:loop?pages=60&n=240", Summary()
    with open_trace(url) as trace:
        for chunk in trace:
            summary.add(chunk)
    with open_trace(url) as trace:
        figure = space_time_figure(space_time(trace, summary), page_bytes=4096, title="a")
    axes = figure.axes[0]
    assert axes.get_ylim() == (0, 60) and axes.get_xlim()[1] == pytest.approx(240, abs=1)
    assert "4 KiB" in axes.get_ylabel() and axes.get_xlabel() == "references"
    assert_sound(figure)


def marks(axes) -> dict[str, list[tuple[float, float]]]:
    return {
        line.get_label(): list(zip(*(x.tolist() for x in line.get_data()), strict=True))
        for line in axes.lines
    }


def test_faults_and_evictions_are_marked_at_time_and_rank_of_their_page():
    figure = faults_figure(LOG, title="a", **LOG_STYLE)
    upper, lower = figure.axes
    assert marks(upper) == {"1 page faults, not cold": [(20, 0)]}
    assert marks(lower) == {"1 evictions by LRU": [(20, 1)], "1 evictions from sequences": [(9, 0)]}
    assert upper.get_ylim() == (0, 3) and lower.get_xlim() == (5, 21)
    assert lower.get_xlabel() == "time in cycles" and "4 KiB" in upper.get_ylabel()
    assert_sound(figure)


@pytest.mark.parametrize(("panel", "label"), [(FAULTS, "not cold"), (EVICTIONS, "from sequences")])
def test_a_panel_may_stand_alone(panel, label):
    (axes,) = faults_figure(LOG, panels=[panel], **LOG_STYLE).axes
    assert any(label in line.get_label() for line in axes.lines)


def test_a_log_without_evictions_makes_a_picture():
    parts = {name: getattr(LOG, name)[:2] for name in vars(LOG)}
    figure = faults_figure(FaultLog(**parts), **LOG_STYLE)
    assert [line.get_label() for line in figure.axes[1].lines] == ["no evictions"]
    assert_sound(figure)
