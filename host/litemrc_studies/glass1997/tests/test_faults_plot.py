"""Figures of faults: a mark for each fault that is not cold, and for each eviction, at its time and page."""

import numpy as np
import pytest
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.plots import EVICTIONS, FAULTS, faults_figure

from tests.host.plots.axes import assert_sound

# Pages 10, 11 and 900 in a memory of 2: 10 is evicted from a sequence, then 11 by LRU.
LOG = FaultLog(
    times=np.array([5, 6, 9, 20], np.uint64),
    pages=np.array([10, 11, 900, 10], np.uint64),
    cold=np.array([True, True, True, False]),
    evicts=np.array([False, False, True, True]),
    victims=np.array([0, 0, 10, 11], np.uint64),
    from_sequence=np.array([False, False, True, False]),
)
STYLE = {"memory_pages": 2, "page_bytes": 4096, "time_unit": "cycles"}


def marks(axes) -> dict[str, list[tuple[float, float]]]:
    return {
        line.get_label(): list(zip(*(x.tolist() for x in line.get_data()), strict=True))
        for line in axes.lines
    }


def test_faults_and_evictions_are_marked_at_time_and_rank_of_their_page():
    figure = faults_figure(LOG, title="a", **STYLE)
    upper, lower = figure.axes
    assert marks(upper) == {"1 page faults, not cold": [(20, 0)]}
    assert marks(lower) == {"1 evictions by LRU": [(20, 1)], "1 evictions from sequences": [(9, 0)]}
    assert upper.get_ylim() == (0, 3) and lower.get_xlim() == (5, 21)
    assert lower.get_xlabel() == "time in cycles" and "4 KiB" in upper.get_ylabel()
    assert_sound(figure)


@pytest.mark.parametrize(("panel", "label"), [(FAULTS, "not cold"), (EVICTIONS, "from sequences")])
def test_a_panel_may_stand_alone(panel, label):
    (axes,) = faults_figure(LOG, panels=[panel], **STYLE).axes
    assert any(label in line.get_label() for line in axes.lines)


def test_a_log_without_evictions_makes_a_picture():
    parts = {name: getattr(LOG, name)[:2] for name in vars(LOG)}
    figure = faults_figure(FaultLog(**parts), **STYLE)
    assert [line.get_label() for line in figure.axes[1].lines] == ["no evictions"]
    assert_sound(figure)
