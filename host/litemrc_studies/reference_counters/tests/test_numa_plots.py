# SPDX-License-Identifier: BSD-2-Clause
"""Figures of replicated pages: every run has its line, cell or bar."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from litemrc_studies.reference_counters.machine.numa import PROTOCOLS, NumaRun
from litemrc_studies.reference_counters.plots import delay_figure, surface_figure, sweep_figure

from tests.host.plots.axes import assert_sound

RUN = NumaRun("upd", 64, 0, 1024, references=10, local_cycles=5, cycles=100, counts=None)  # NAMC 2


def runs(delays=(64,), updates=(0,), sizes=(1024,)):
    """Each protocol; NAMC is 1 / 50 of the cycles."""
    cycles = iter(range(100, 10_000, 37))
    found = []
    for size in sizes:
        for protocol in PROTOCOLS:
            pairs = {"upd": list(product(delays, updates)), "invalidate": [(each, None) for each in delays]}
            for delay, update in pairs.get(protocol, [(None, None)]):
                found.append(NumaRun(protocol, delay, update, size, 10, 5, next(cycles), None))
    return found


def drawn(figure) -> set[float]:
    """NAMC of all lines, bars and cells."""
    values: set[float] = set()
    for axes in figure.axes:
        values.update(value for line in axes.lines for value in line.get_ydata())
        values.update(bar.get_width() for bar in axes.patches)
        for mesh in axes.collections:
            if mesh.get_array() is not None:
                values.update(mesh.get_array().compressed().tolist())
    return {round(value, 6) for value in values}


@pytest.mark.parametrize(
    ("delays", "updates", "sizes"),
    [
        ((64,), (0,), (1024,)),
        ((0, 1, 8), (0,), (512, 1024)),
        ((64,), (0, 16), (1024,)),
        ((0, 1, 2), (0, 16), (512, 1024, 4096)),
    ],
)
def test_every_run_of_every_protocol_is_drawn(delays, updates, sizes):
    """Before, protocols beside upd were dropped from two-counter sweeps, and all page sizes but one."""
    every = [run for run in runs(delays, updates, sizes) if (run.delay, run.update) != (1, 0)]
    figure = sweep_figure(every, title="t")
    assert drawn(figure) >= {round(run.namc, 6) for run in every}
    assert_sound(figure)


def test_a_base_without_counters_makes_the_surface_a_speedup():
    pairs = [replace(RUN, delay=1, cycles=600)] + [
        replace(RUN, delay=delay, update=update, cycles=100 * (delay + update) // 8)
        for delay, update in product((8, 16), (8, 16))
    ]
    figure = surface_figure({"a": pairs}, {"a": {(8, 16): 5.5}})
    (mesh,) = figure.axes[0].collections
    assert mesh.get_array().ravel().tolist() == pytest.approx([600 / 200, 600 / 300, 600 / 300, 600 / 400])
    (frame,) = figure.axes[0].patches
    assert frame.get_xy() == (-0.5, 0.5)
    assert "NAMC 5.5 (here 6.00)" in frame.get_label()
    assert_sound(figure)


def test_coinciding_levels_and_lines_look_different():
    flat = [replace(RUN, delay=delay, page_bytes=size) for delay in (1, 2) for size in (512, 1024)]
    flat += [replace(RUN, protocol=name, delay=None) for name in PROTOCOLS if name != "upd"]
    assert_sound(sweep_figure(flat))


def test_points_of_the_paper_are_marked_and_named_once():
    figure = delay_figure({"a": runs((8, 16)), "b": runs((8, 16))}, {"b": [(8, 6.1), (16, 72.0)]})
    (stars,) = [line for line in figure.axes[1].lines if line.get_marker() == "*"]
    assert np.array_equal(stars.get_xydata(), [[8, 6.1], [16, 72.0]])
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels.count("value in the paper") == 1 and len(set(labels)) == len(labels)
    assert_sound(figure)


def test_the_paper_s_flat_range_is_shaded_in_its_panel_alone():
    figure = delay_figure({"a": runs((8, 16)), "b": runs((8, 16))}, flat={"b": (8, 16)})
    assert not figure.axes[0].patches
    (span,) = figure.axes[1].patches
    assert (span.get_x(), span.get_x() + span.get_width()) == (8, 16)
    assert_sound(figure)
