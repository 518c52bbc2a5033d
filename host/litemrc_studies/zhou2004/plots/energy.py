# SPDX-License-Identifier: BSD-2-Clause
"""Energy x delay of schemes of memory power management: bars and sweeps (zhou2004, figures 5 and 6)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

import matplotlib
import numpy as np
from litemrc.plots.curves import COLOURS, INK, MARKERS, STYLE
from litemrc.plots.known import draw_known
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.ticker import PercentFormatter

from litemrc_studies.zhou2004.machine.chips import EnergyRun

# A scheme looks the same in all pictures; schemes that use the working set have their base's colour, hatched.
_LOOKS = {
    "always-on": (COLOURS[0], ""),
    "static-nap": (COLOURS[5], ""),
    "mrc-static": (COLOURS[5], "///"),
    "dynamic-nap": (COLOURS[1], ""),
    "mrc-dynamic-nap": (COLOURS[1], "///"),
    "dynamic-tuned": (COLOURS[3], ""),
    "mrc-dynamic-tuned": (COLOURS[3], "///"),
    "mrc-predictive": (COLOURS[2], ""),
    "oracle": (COLOURS[7], ""),
}
_NORMAL = "static-nap"
_RANGE = "range in the paper"
_FAR = 3.0  # bars from here on are broken, so that the others keep their resolution
SWEPT = {"epoch_cycles": "cycles per epoch", "chip_pages": "pages per chip", "chips": "chips"}
_DASHES = ("-", "--", "-.", ":")


def bars_figure(
    runs: Sequence[EnergyRun] | Mapping[str, EnergyRun],
    *,
    title: str = "",
    known: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """Draw energy x delay of schemes as bars, grouped by program; relative to static-nap if every run has it.

    Parameters
    ----------
    runs
        runs by name of the program, or one run.
    known
        the paper's least and greatest reduction relative to the base scheme, by scheme.
    """
    groups = dict(runs) if isinstance(runs, Mapping) else {"": runs[0]}
    names = [name for name in _LOOKS if any(_has(run, name) for run in groups.values())]
    normal = all(_has(run, _NORMAL) for run in groups.values())
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.8), dpi=150, layout="constrained")
        axes = figure.subplots()
        axes.grid(axis="y")
        top = _top([_energy_delay(run, name, normal) for run in groups.values() for name in names], normal)
        width = 0.84 / len(names)
        for index, name in enumerate(names):
            values = [_energy_delay(run, name, normal) for run in groups.values()]
            places = np.arange(len(groups)) + (index - (len(names) - 1) / 2) * width
            colour, hatch = _LOOKS[name]
            bars = axes.bar(
                places,
                np.fmin(values, top),
                width * 0.9,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0.4,
                label=name,
            )
            form = ".2f" if normal and len(groups) == 1 else ".3g"
            labels = [
                f"{value:{form}}" if value > top or len(groups) == 1 else ""
                for value in np.nan_to_num(values)
            ]
            axes.bar_label(bars, labels, fontsize=9, padding=2)
            for place, value in zip(places, values, strict=True):
                if value > top:
                    _break(axes, place, width * 0.9, top)
            if known and name in known:
                _draw_ranges(axes, places, groups.values(), name, known[name], normal)
        axes.set_ylim(0, 1.06 * top)
        letters = max(5, 63 // len(groups))  # between two ticks
        axes.set_xticks(range(len(groups)), ["\n".join(wrap(name, letters)) for name in groups])
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel("energy x delay,\nrelative to static-nap" if normal else "energy x delay in mJ x s")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def _has(run: EnergyRun, name: str) -> bool:
    return any(result.scheme.name == name for result in run.results)


def _energy_delay_of(run: EnergyRun, name: str) -> float:
    return next(result.energy_delay for result in run.results if result.scheme.name == name)


def _energy_delay(run: EnergyRun, name: str, normal: bool) -> float:
    values = {result.scheme.name: result.energy_delay for result in run.results}
    return values.get(name, np.nan) / (values[_NORMAL] if normal else 1.0)


def _top(values: Sequence[float], normal: bool) -> float:
    """Return where bars far above the others, such as always-on, are broken."""
    near = [value for value in values if value < _FAR] if normal else []
    return max(near or [value for value in values if value == value], default=1.0) * 1.12


def _draw_ranges(
    axes: Axes,
    places: Iterable[float],
    runs: Iterable[EnergyRun],
    name: str,
    reductions: tuple[float, float],
    normal: bool,
) -> None:
    """Draw the range that a paper reports at each bar of a scheme."""
    for index, (place, run) in enumerate(zip(places, runs, strict=True)):
        if not _has(run, name):
            continue
        base = run.bases[name].energy_delay / (_energy_delay_of(run, _NORMAL) if normal else 1.0)
        ends = [base * (1 - reduction) for reduction in reductions]
        labelled = index == 0 and not any(line.get_label() == _RANGE for line in axes.lines)
        axes.plot(
            [place, place],
            ends,
            color=INK,
            marker="_",
            markersize=7,
            linewidth=1.2,
            zorder=4,
            label=_RANGE if labelled else None,
        )


def _break(axes: Axes, place: float, width: float, top: float) -> None:
    """Mark a bar as broken: two slanted gaps below its top."""
    left, right = place - 0.6 * width, place + 0.6 * width
    for low in (0.88 * top, 0.93 * top):
        corners = [
            (left, low),
            (right, low + 0.02 * top),
            (right, low + 0.035 * top),
            (left, low + 0.015 * top),
        ]
        axes.add_patch(Polygon(corners, facecolor="white", edgecolor="none", zorder=3))


def sweep_figure(
    runs: Sequence[EnergyRun] | Mapping[str, Sequence[EnergyRun]],
    *,
    title: str = "",
    over: str | None = None,
    known: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Draw the reduction of energy x delay over the epoch's length or the chips' size.

    If no scheme has another as its base, energy x delay itself is drawn. Programs differ in colour, schemes
    of several programs in line style.

    Parameters
    ----------
    runs
        runs of one program in several machines, a line for each scheme; or by program.
    over
        a key of `SWEPT`; None: chip_pages if only that changes, else epoch_cycles.
    known
        points of a paper: the swept value and the reduction.
    """
    programs = dict(runs) if isinstance(runs, Mapping) else {"": runs}
    every = [run for sequence in programs.values() for run in sequence]
    if over is None:
        over = "chip_pages" if len({run.machine.epoch_cycles for run in every}) == 1 else "epoch_cycles"
    reductions = _lines(programs, over, relative=True)
    lines = reductions or _lines(programs, over, relative=False)
    names = list(programs)
    schemes = list(dict.fromkeys(line.scheme for line in lines))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.6), dpi=150, layout="constrained")
        axes = figure.subplots()
        axes.grid(axis="y")
        for index, line in enumerate(lines):
            sizes, values = zip(*sorted(line.points), strict=True)
            colour = names.index(line.program) if len(names) > 1 else index
            dash = schemes.index(line.scheme) if len(names) > 1 else index
            axes.plot(
                sizes,
                values,
                color=COLOURS[1 + colour % 7],
                linestyle=_DASHES[dash % len(_DASHES)],
                marker=MARKERS[colour % 8],
                markersize=5,
                label=line.label,
            )
        if reductions:
            axes.axhline(0, color=COLOURS[0], linewidth=0.8)
            axes.set_ylabel("reduction of energy x delay\nrelative to the base scheme")
            axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        else:
            axes.set_ylabel("energy x delay in mJ x s")
            axes.set_ylim(bottom=0)
        draw_known(axes, known)
        places = sorted({_size(run, over) for run in every})
        ticks = [at for at in places if not any(at < other < 1.1 * at for other in places)]  # no overlap
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlabel(SWEPT[over])
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


@dataclass
class _Line:
    program: str
    scheme: str
    label: str
    points: list[tuple[int, float]] = field(default_factory=list)


def _lines(programs: Mapping[str, Sequence[EnergyRun]], over: str, *, relative: bool) -> list[_Line]:
    lines: dict[str, _Line] = {}
    for program, sequence in programs.items():
        several_chips = len({run.machine.chip_pages for run in sequence}) > 1
        for run in sequence:
            for result in run.results:
                name = result.scheme.name
                if relative and run.bases[name].scheme.name == name:
                    continue
                parts = [program] if len(run.results) == 1 and program else [program, name]
                if over == "epoch_cycles" and several_chips:
                    parts.append(f"{run.machine.chip_pages} pages per chip")
                label = ", ".join(filter(None, parts))
                value = 1 - run.relative(name) if relative else result.energy_delay
                line = lines.setdefault(label, _Line(program, name, label))
                line.points.append((_size(run, over), value))
    return list(lines.values())


def _size(run: EnergyRun, over: str) -> int:
    return run.chips if over == "chips" else getattr(run.machine, over)
