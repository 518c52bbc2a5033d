# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc sweep FILE.toml`: grids of parameters over the trace-driven machines, on Dask."""

import argparse
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, positive
from litemrc.cli.shared.results import check_pictures
from litemrc.errors import UserError

from litemrc_studies.shared.scenario_runs import ListScenarios
from litemrc_studies.shared.scenarios import known_scenario

if TYPE_CHECKING:
    from distributed import Client

    from litemrc_studies.sweeps.journal import Journal
    from litemrc_studies.sweeps.point import Point
    from litemrc_studies.sweeps.sweep_file import Sweep
    from litemrc_studies.sweeps.table import TableSummary

_FIRST = 5  # points that --dry-run prints
_EXIT_FAILED = 1
_EPILOG = """\
FILE.toml names a command (mm, energy, placement, numa, trays, replace or mrc), its fixed arguments, and lists
or ranges of parameters: options of the command, set.KEY for a key of its TOML file, trace.KEY for a parameter
of a generated trace. sweeps/README.md describes the keys.

    command = "replace"
    fixed.trace = "gen:loop?pages=1000&n=100000"
    [grid]
    policy = ["lru", "seq"]
    memory = { from = 64, to = 1024, steps = 20, scale = "log" }

Results go to one Parquet file, a row for each result of each point. What is done is kept beside it in
OUT.journal: after Ctrl-C or a kill the same command continues, and after a change of FILE.toml, of a trace or
of LiteMRC it runs only what changed. A point that fails has its reason in the column `error`; the others go
on, and the exit code is 1.

Without --scheduler the points run on this machine's cores. Workers of another cluster need this version of
LiteMRC and the same paths of traces.
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc sweep`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "sweep",
        metavar="FILE.toml",
        type=partial(known_scenario, kind="sweeps"),
        help="sweep file, or the name of a shipped one",
    )
    parser.add_argument(
        "--list", action=ListScenarios, kind="sweeps", help="list the shipped sweeps and exit"
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE.parquet",
        type=Path,
        help="table of results (FILE.parquet, in this folder)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler, such as tcp://host:8786, or its --scheduler-file (a cluster on this machine)",
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        type=positive,
        help="processes of the cluster on this machine (one per core)",
    )
    parser.add_argument("--restart", action="store_true", help="forget what is done, and run all points")
    parser.add_argument(
        "--dry-run", action="store_true", help="check all points, print their number and the first ones"
    )
    add_output_formats(parser)
    add_plot_argument(parser, "the columns that [plot] of the file names")


def main(args: argparse.Namespace) -> int:
    """Run `litemrc sweep`."""
    # Imported here and below: they load numpy and pyarrow.
    from litemrc.extras import require
    from litemrc.files.outputs import check_output_path

    from litemrc_studies.sweeps.command.machines import MACHINES
    from litemrc_studies.sweeps.command.points import points_of
    from litemrc_studies.sweeps.journal import open_journal
    from litemrc_studies.sweeps.sweep_file import read_sweep

    require("cluster")
    check_pictures(args.plot)
    sweep = read_sweep(args.sweep, MACHINES)
    out = check_output_path(args.out or Path(f"{sweep.path.stem}.parquet"), (".parquet",))
    if args.plot and not sweep.plot:
        raise UserError(
            "the sweep file describes no picture",
            where=str(sweep.path),
            remedy="add a table [plot] with x and y",
        )
    points = points_of(sweep)
    if args.dry_run:
        _print_plan(args, sweep, out, points)
        return 0
    with open_journal(out, restart=args.restart) as journal:
        stopped = _run(args, sweep, points, journal)
        summary = _write(sweep, out, points, journal)
    _print(args, sweep, out, summary, interrupted=stopped is not None)
    if args.plot:
        _draw(args, sweep, out)
    if stopped:
        raise stopped
    return _EXIT_FAILED if summary.failed else 0


def _run(
    args: argparse.Namespace, sweep: "Sweep", points: "list[tuple[str, Point]]", journal: "Journal"
) -> BaseException | None:
    """Run the points that are not finished; return what ended the work early: Ctrl-C, a lost scheduler.

    Raises
    ------
    KeyboardInterrupt, UserError
        no point is finished.
    """
    from litemrc.cli.shared.messages import note, warning
    from litemrc.cluster.scheduler import open_client

    if journal.damaged:
        warning(f"{journal.path}: {journal.damaged} damaged lines; their points run again")
    waiting = [(key, point) for key, point in points if not journal.finished(key)]
    if not waiting:
        note("all points are finished already; --restart runs them again")
        return None
    if len(waiting) < len(points):
        note(f"{len(points) - len(waiting):,} of {len(points):,} points are finished already")
    try:
        with open_client(args.scheduler, args.workers, say=note) as client:
            _run_shown(client, sweep.command, waiting, journal, total=len(points))
    except (KeyboardInterrupt, UserError) as error:
        done = sum(journal.finished(key) for key, _ in points)
        if not done:
            raise
        note(f"{done:,} of {len(points):,} points are saved; the same command continues")
        return error
    return None


def _run_shown(
    client: "Client", machine: str, waiting: "list[tuple[str, Point]]", journal: "Journal", *, total: int
) -> None:
    """Run the points that wait, showing the progress, and append their outcomes to the journal as they come.

    Parameters
    ----------
    total
        points of the sweep, with those that were finished before.

    Raises
    ------
    UserError
        the scheduler is lost, a worker has another LiteMRC, or the journal cannot be written.
    """
    from litemrc.cli.shared.progress import reported

    from litemrc_studies.sweeps.command.machines import run_point
    from litemrc_studies.sweeps.runner import Runner

    runner = Runner(client, machine, partial(run_point, machine), waiting)
    began, done, failed = time.monotonic(), 0, 0

    def state() -> tuple[str, float]:
        finished = total - len(waiting) + done
        text = f"{finished:,} of {total:,} points"
        if done:
            rate = done / (time.monotonic() - began)
            left = timedelta(seconds=round((len(waiting) - done) / rate))
            text += f", {rate:,.3g} a second, {left} left"
        elif not runner.threads:
            text += ", waiting for workers"
        return text + (f", {failed:,} failed" if failed else ""), finished / total

    with closing(runner.outcomes()) as outcomes, closing(reported(outcomes, machine, state)) as shown:
        for some in shown:
            journal.append(some)
            done += len(some)
            failed += sum(bool(outcome.error) for outcome in some)


def _write(
    sweep: "Sweep", out: Path, points: "list[tuple[str, Point]]", journal: "Journal"
) -> "TableSummary":
    from litemrc_studies.sweeps.batch import build
    from litemrc_studies.sweeps.table import write_table

    described = {"title": sweep.title, "command": sweep.command, "litemrc": build(), "sweep": sweep.text}
    return write_table(out, points, journal, sweep.parameters, described)


def _print(
    args: argparse.Namespace, sweep: "Sweep", out: Path, summary: "TableSummary", *, interrupted: bool
) -> None:
    from litemrc.cli.curves.mrc_table import write

    from litemrc_studies.sweeps.command.output import sweep_csv, sweep_json, sweep_table

    if args.json:
        write(sweep_json(sweep, out, summary, interrupted=interrupted))
    elif args.csv:
        write(sweep_csv(out))
    else:
        print(sweep_table(sweep, out, summary))
        print("interrupted: the results are incomplete\n" * interrupted, end="", flush=True)


def _draw(args: argparse.Namespace, sweep: "Sweep", out: Path) -> None:
    # Imported here: matplotlib takes long to load.
    from litemrc.plots.files import save_figure

    from litemrc_studies.sweeps.plot import sweep_figure
    from litemrc_studies.sweeps.table import read_columns

    columns = read_columns(out, list(sweep.plot.values()))
    over = [name for name in sweep.varying if name not in sweep.plot.values()]
    save_figure(sweep_figure(columns, **sweep.plot, over=over, title=sweep.title), args.plot)


def _print_plan(
    args: argparse.Namespace, sweep: "Sweep", out: Path, points: "list[tuple[str, Point]]"
) -> None:
    from litemrc.cli.shared.results import print_results

    from litemrc_studies.sweeps.command.machines import command_line
    from litemrc_studies.sweeps.journal import finished_keys

    keys = finished_keys(out)
    done = sum(key in keys for key, _ in points)

    def lines() -> Iterator[str]:
        yield f"{len(points):,} points of {sweep.command}, {done:,} of them finished in {out}"
        yield from (command_line(sweep.command, point.arguments) for _, point in points[:_FIRST])
        yield from ["..."] * (len(points) > _FIRST)

    print_results(
        args,
        table=lambda: "\n".join(lines()),
        document=lambda: {
            "points": len(points),
            "finished": done,
            "out": str(out),
            "first": [command_line(sweep.command, point.arguments) for _, point in points[:_FIRST]],
        },
        rows=lambda: ({"point": point.number, **point.parameters} for _, point in points),
    )
