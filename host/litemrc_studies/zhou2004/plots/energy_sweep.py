"""Energy x delay over the length of an epoch or the size of chips (zhou2004, figure 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import matplotlib
from litemrc.plots.curves import COLOURS, MARKERS, STYLE
from litemrc.plots.known import draw_known
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from litemrc_studies.zhou2004.machine.chips import EnergyRun

SWEPT = {"epoch_cycles": "cycles per epoch", "chip_pages": "pages per chip", "chips": "chips"}
_DASHES = ("-", "--", "-.", ":")


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

    Parameters:
        runs: runs of one program in several machines, a line for each scheme; or by program.
        over: a key of `SWEPT`; None: chip_pages if only that changes, else epoch_cycles.
        known: points of a paper: the swept value and the reduction.
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
