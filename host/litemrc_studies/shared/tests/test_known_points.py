"""Values of papers are where the paper puts them, beside the results."""

import pytest
from litemrc.plots.known import Beside, beside_figure
from litemrc.traces import open_trace
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, compare
from litemrc_studies.zhou2004.plots.energy import bars_figure
from litemrc_studies.zhou2004.policies import SCHEMES

from tests.host.plots.axes import assert_sound


def test_results_of_seeds_stand_beside_the_papers_value():
    """Zhou 2004, table 2: INTR with gzip, 5.86 and 63.1 %."""
    figure = beside_figure(
        {
            "speed-up": [Beside("intr", [4, 5, 9], 5.86), Beside("gzip", [1.0], 1.1)],
            "reduction in %": [Beside("intr", [60, 70], 63.1), Beside("gzip", [-5], -4.0)],
        }
    )
    for axes, papers, means in zip(figure.axes, ([5.86, 1.1], [63.1, -4.0]), ([6, 1], [65, -5]), strict=True):
        lines = {line.get_label(): line for line in axes.lines}
        assert lines["value in the paper"].get_xdata().tolist() == papers
        assert lines["here: mean, range of the seeds"].get_xdata().tolist() == means
    assert list(figure.axes[0].lines[1].get_xdata()) == [4, 9]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["intr", "gzip"]
    assert_sound(figure)


def test_ranges_of_a_paper_stand_at_the_bars_of_its_scheme():
    """42 to 58 % below static-nap, which is 1; 27 to 42 % below dynamic-nap."""
    with open_trace("gen:phases?pages=512&phases=4&length=2000&n=8000") as trace:
        references = read_references(trace, trace, 100)
    names = ["static-nap", "mrc-static", "dynamic-nap", "mrc-dynamic-nap"]
    run = compare(references, ChipMachine(find_power("rdram")), [SCHEMES[name] for name in names])
    figure = bars_figure(
        {"a": run, "b": run}, known={"mrc-static": (0.42, 0.58), "mrc-dynamic-nap": (0.27, 0.42)}
    )
    (axes,) = figure.axes
    static, _, dynamic, _ = (result.energy_delay for result in run.results)
    spans = [list(line.get_ydata()) for line in axes.lines]
    assert spans[0] == spans[1] == pytest.approx([0.58, 0.42])
    assert spans[2] == spans[3] == pytest.approx([0.73 * dynamic / static, 0.58 * dynamic / static])
    bars = [
        bar for bar in axes.patches if bar.get_height() == pytest.approx(run.results[1].energy_delay / static)
    ]
    for line, bar in zip(axes.lines[:2], bars, strict=True):
        assert line.get_xdata()[0] == pytest.approx(bar.get_x() + bar.get_width() / 2)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels.count("range in the paper") == 1
    assert_sound(figure)
