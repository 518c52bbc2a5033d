# SPDX-License-Identifier: BSD-2-Clause
"""The commands that can be swept: their parameters, the check of a point, and its run."""

import argparse
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NoReturn

from litemrc.cli.shared.commands import CommandParser
from litemrc.cli.shared.messages import collected
from litemrc.errors import UserError

MACHINES = {  # module, and the words of the command
    "mm": ("litemrc_studies.zhou2004.command.mm", "simulate mm"),
    "energy": ("litemrc_studies.zhou2004.command.energy", "simulate energy"),
    "placement": ("litemrc_studies.panwar2015.command.placement", "simulate placement"),
    "numa": ("litemrc_studies.reference_counters.command.numa", "simulate numa"),
    "trays": ("litemrc_studies.jantz2013.command.trays", "simulate trays"),
    "replace": ("litemrc_studies.glass1997.command.replace", "replace"),
    "mrc": ("litemrc.cli.curves.mrc", "mrc"),
}
REFUSED = (
    "help",
    "list",
    "quiet",
    "json",
    "csv",
    "plot",
    "plot-map",
    "plot-interfault",
    "plot-faults",
    "log",
    "report",
)
"""Options about the output of a single run."""
ON_A_CLUSTER = ("scheduler", "workers", "parts", "allow-gaps")
"""Options of a single run that is itself divided among workers; a point of a sweep runs in one."""
SET, TRACE = "set.", "trace."
"""Prefixes of parameters: keys of the command's TOML file, and parts of the URL of a generated trace."""


class _Parser(CommandParser):
    """Raises an error in place of printing it and exiting."""

    def error(self, message: str) -> NoReturn:
        raise UserError(re.sub(r"^argument (?:-\w/)?(?:--)?", "", message))


@cache
def _parser(machine: str) -> _Parser:
    module, words = MACHINES[machine]
    parser = _Parser(prog=f"litemrc {words}", module=module)
    parser.declare()
    return parser


@cache
def parameters_of(machine: str) -> dict[str, argparse.Action]:
    """Return what can be swept of a machine: options without their dashes, and `trace` or `scenario`."""
    found = {}
    for action in _parser(machine)._actions:
        name = action.option_strings[-1].lstrip("-") if action.option_strings else action.dest.rstrip("s")
        if name not in (*REFUSED, *ON_A_CLUSTER) and f"{name}." != SET:
            found[name] = action
    return found


def check_name(machine: str, name: str) -> None:
    """Check that a machine has a parameter.

    Raises
    ------
    UserError
        it has none of this name.
    """
    known = parameters_of(machine)
    prefixes = [SET] if any(action.dest == "changes" for action in _parser(machine)._actions) else []
    prefixes += [TRACE] if "trace" in known else []
    if name in known or any(name.startswith(prefix) and name != prefix for prefix in prefixes):
        return
    further = "".join(f", {prefix}KEY" for prefix in prefixes)
    reason = f"{machine} has no such parameter"
    if name in REFUSED:
        reason = "is about the output of a single run"
    elif name in ON_A_CLUSTER:
        reason = "divides a single run among workers; a point of a sweep runs in one"
    raise UserError(f"{name}: {reason}", remedy=f"use some of {', '.join(known)}{further}")


def check_point(machine: str, arguments: Sequence[str]) -> None:
    """Check the arguments of a point as far as that needs no run.

    Raises
    ------
    UserError
        the command would refuse them.
    """
    args = _parser(machine).parse_args(list(arguments))
    with collected():
        import_module(MACHINES[machine][0]).prepare(args)
        for trace in _traces(args):
            if machine == "numa":
                _open_shared(str(trace))
            elif machine != "placement":  # its text is read as a whole
                _open(str(trace), args.format, args.page_size, args.columns)


def run_point(machine: str, arguments: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """Run a machine's command; return its rows, as --csv has them but with their types, and its notes.

    Raises
    ------
    UserError
        the command refuses its arguments, or fails.
    """
    rows: list[dict[str, Any]] = []
    args = _parser(machine).parse_args(list(arguments))
    args.take_rows = rows.extend
    with collected() as notes:
        args.run(args)
    return rows, notes


def command_line(machine: str, arguments: Sequence[str]) -> str:
    """Return a point as a line for a shell."""
    import shlex

    return f"litemrc {MACHINES[machine][1]} {shlex.join(arguments)}"


def _traces(args: argparse.Namespace) -> Iterator[str]:
    if getattr(args, "trace", None) is not None:
        yield args.trace
    yield from getattr(args, "traces", [])


# Many points have one trace.
@lru_cache(maxsize=1024)
def _open(path: str, form: str | None, page_size: int | None, columns: str | None) -> None:
    from litemrc.traces import open_trace

    open_trace(path, form, page_size, columns).close()


@lru_cache(maxsize=1024)
def _open_shared(path: str) -> None:
    from litemrc.traces.shared import open_shared_trace

    with open_shared_trace(path):
        pass
