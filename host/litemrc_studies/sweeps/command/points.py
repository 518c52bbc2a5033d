"""All points of a sweep file, each checked before the first one runs."""

from collections.abc import Iterator, Mapping
from contextlib import closing

from litemrc.cli.shared.messages import note
from litemrc.cli.shared.progress import reported
from litemrc.cluster.build import native_build
from litemrc.errors import UserError

from litemrc_studies.sweeps.batch import build
from litemrc_studies.sweeps.command.arguments import arguments_of
from litemrc_studies.sweeps.command.inputs import inputs_of
from litemrc_studies.sweeps.command.machines import SET, check_name, check_point
from litemrc_studies.sweeps.point import Point
from litemrc_studies.sweeps.ranges import Value
from litemrc_studies.sweeps.sweep_file import Grid, Sweep


def points_of(sweep: Sweep) -> list[tuple[str, Point]]:
    """Return the points of a sweep, each once, with their keys.

    Raises:
        UserError: a parameter is unknown, or the command would refuse a point; with the line of the sweep
            file, and the point.
    """
    for name in (*sweep.fixed, *sweep.parameters):
        try:
            check_name(sweep.command, name)
        except UserError as error:
            raise UserError(error.what, where=sweep.place(name), remedy=error.remedy) from error
    # Of this machine: workers compare their sources with `build`, and may have other processors.
    code = f"{build()} {native_build('litemrc.native._core', 'litemrc_studies._core')} {sweep.command}"
    points: dict[str, tuple[str, Point]] = {}
    total = sum(grid.size for grid in sweep.grids)
    seen = 0

    def state() -> tuple[str, float]:
        return f"{seen:,} of {total:,} points", seen / total

    with closing(reported(_parameters(sweep), "checking", state)) as each:
        for grid, parameters in each:
            point = _point(sweep, grid, len(points), parameters)
            points.setdefault(repr(point.arguments), (point.key(code), point))
            seen += 1
    if seen > len(points):
        note(f"{seen - len(points):,} points are given more than once; each runs once")
    return list(points.values())


def _parameters(sweep: Sweep) -> Iterator[tuple[Grid, dict[str, Value]]]:
    return ((grid, parameters) for grid in sweep.grids for parameters in grid.points())


def _point(sweep: Sweep, grid: Grid, number: int, parameters: dict[str, Value]) -> Point:
    values = {**sweep.fixed, **parameters}
    folder = sweep.path.parent
    try:
        arguments = arguments_of(sweep.command, values, folder)
        check_point(sweep.command, arguments)
    except UserError as error:
        name = _blamed(error, values)
        place = sweep.place(name, grid if name in grid.paths else None) if name else str(sweep.path)
        shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
        further = f"; {error.where}" if error.where and not error.where.startswith("--set") else ""
        raise UserError(
            error.what, where=f"{place}, point {number}: {shown}{further}", remedy=error.remedy
        ) from error
    return Point(number, parameters, arguments, tuple(inputs_of(values, folder)))


def _blamed(error: UserError, values: Mapping[str, Value]) -> str | None:
    """Return the parameter that an error is about; None: it does not say."""
    for name in values:
        change = f"--set {name.removeprefix(SET)}="
        option = error.where in (name, f"--{name}") or error.what.startswith((f"{name}:", f"--{name} "))
        if option or (name.startswith(SET) and error.where.startswith(change)):
            return name
    return None
