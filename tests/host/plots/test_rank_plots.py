# SPDX-License-Identifier: BSD-2-Clause
"""The rank timeline: areas are the times and energies of the table."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.energy.model import RDRAM_COMPONENTS, SDRAM_COMPONENTS
from litemrc.energy.parts.files import find_part
from litemrc.energy.rank_energy import rank_energy
from litemrc.plots.rank_timeline import GROUPS, STATE_COLOURS, ranks_figure
from litemrc.ranks.activity import LABELS, PowerState, RankActivity
from litemrc.ranks.table import RankTable
from matplotlib.patches import Rectangle, StepPatch

from tests.host.plots.axes import assert_sound
from tests.host.rank_rows import PARAMETERS, rank_row

PART = find_part("MT41K64M16-187E:J")


@pytest.fixture
def table() -> RankTable:
    return RankTable.from_rows(
        [
            rank_row(0, 0, active_standby=600, power_down=100, reads=9, activates=3),
            rank_row(0, 1, self_refresh=900, entered_self_refresh=1, working=False),
            rank_row(1, 0, active_standby=200, reads=5),
            rank_row(1, 1, self_refresh=1000, working=False),
        ],
        **PARAMETERS,
    )


def areas(figure, colour):
    """Area under the steps of a colour, in ms times the height of a row."""
    total = 0.0
    for patch in figure.axes[0].findobj(StepPatch):
        values, edges, baseline = patch.get_data()
        if patch.get_fill() and matches(patch.get_facecolor(), colour):
            total += float(np.sum((baseline - values) * np.diff(edges)))
    return total


def matches(face, colour):
    wanted = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return np.allclose(face[:3], wanted)


def test_every_state_has_the_area_of_its_time(table):
    figure = ranks_figure(table, rank_energy(table, PART))
    total = RankActivity.sum(table.activities())
    for state, colour in STATE_COLOURS.items():
        # Rows are 0.8 high, and the unit is ms: 1000 clocks.
        assert areas(figure, colour) == pytest.approx(0.8 * total.residency(state) / 1000), state


def test_states_lie_on_each_other_without_gap_and_fill_the_row(table):
    figure = ranks_figure(table, rank_energy(table, PART))
    patches = [patch for patch in figure.axes[0].findobj(StepPatch) if patch.get_fill()]
    for domain in range(2):
        spans = [
            (patch.get_data().values[0], patch.get_data().baseline[0])
            for patch in patches
            if domain - 0.5 < patch.get_data().values[0] <= patch.get_data().baseline[0] < domain + 0.5
        ]
        above = sorted(span for span in spans if span[0] < span[1])
        assert (above[0][0], above[-1][1]) == pytest.approx((domain - 0.4, domain + 0.4))
        assert [top for top, _ in above[1:]] == pytest.approx([bottom for _, bottom in above[:-1]])


def test_every_domain_has_the_bar_of_its_energy_and_the_outline_of_always_awake(table):
    report = rank_energy(table, PART)
    bars = [bar for bar in ranks_figure(table, report).axes[1].findobj(Rectangle) if bar.get_height() == 0.8]
    for domain, each in enumerate(report.domains):
        own = [bar for bar in bars if bar.get_y() == pytest.approx(domain - 0.4)]
        filled = sum(bar.get_width() for bar in own if bar.get_facecolor()[3])
        (outline,) = (bar.get_width() for bar in own if not bar.get_facecolor()[3])
        assert filled == pytest.approx(1000 * each.energy.total)  # uJ
        right = max(bar.get_x() + bar.get_width() for bar in own if bar.get_facecolor()[3])
        assert right == pytest.approx(filled), "components lie one behind the other"
        assert outline == pytest.approx(1000 * each.awake.total)


def test_everything_lies_in_the_picture(table):
    assert_sound(ranks_figure(table, rank_energy(table, PART), title="two ranks"))


def test_every_component_is_in_one_group():
    grouped = [name for _, names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted({*SDRAM_COMPONENTS, *RDRAM_COMPONENTS})


def test_the_legend_names_what_is_there_and_no_more(table):
    figure = ranks_figure(table, rank_energy(table, PART))
    (legend,) = figure.legends
    names = {text.get_text() for text in legend.get_texts()}
    assert LABELS[PowerState.SELF_REFRESH] in names
    assert LABELS[PowerState.SELF_REFRESH_PARTIAL] not in names
    assert {"always awake", "holds working set"} <= names


def test_lost_epochs_are_marked(table):
    whole = ranks_figure(table, rank_energy(table, PART)).axes[0]
    gap = replace(table, epoch=np.where(table.epoch == 1, 5, 0))
    torn = ranks_figure(gap, rank_energy(gap, PART)).axes[0]
    dashed = [[line for line in axes.lines if line.get_linestyle() == "--"] for axes in (whole, torn)]
    assert [len(lines) for lines in dashed] == [0, 1]
    assert dashed[1][0].get_xdata()[0] == pytest.approx(1.0)  # ms


def test_axes_say_their_units(table):
    states, energies = ranks_figure(table, rank_energy(table, PART)).axes
    assert (states.get_xlabel(), energies.get_xlabel()) == ("time in ms", "energy in µJ")
    assert states.get_ylabel() == "rank"
    assert ranks_figure(replace(table, virtual=True), rank_energy(table, PART)).axes[0].get_ylabel() == (
        "slice of the rank"
    )
