# SPDX-License-Identifier: BSD-2-Clause
"""What commands with a scenario share: arguments, the choice of variants, progress."""

import argparse
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from litemrc.cli.shared.arguments import add_output_formats, add_plot_argument, positive
from litemrc.cli.shared.messages import is_quiet
from litemrc.cli.shared.progress import PlainLines
from litemrc.errors import UserError, choose_from
from litemrc.files.toml_table import Change, parse_change

from litemrc_studies.shared.scenarios import known_scenario, shipped_scenarios


def scenario_arguments(
    parser: argparse.ArgumentParser,
    epilog: str,
    *,
    option: str,
    choices: str,
    plotted: str,
    example: str,
    kind: str = "",
) -> None:
    """Declare SCENARIO.toml, --set, --seed, --json, --csv, --plot, and the option that chooses the variants.

    Parameters
    ----------
    option
        such as "--policy".
    choices
        help text of the option.
    plotted
        what --plot shows.
    example
        of --set.
    kind
        folder of the shipped scenarios of this machine.
    """
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = epilog
    parser.add_argument(
        "scenario",
        metavar="SCENARIO.toml",
        type=partial(known_scenario, kind=kind),
        help="scenario: the programs and the machine; a file, or the name of a shipped one",
    )
    parser.add_argument("--list", action=ListScenarios, kind=kind, help="list the shipped scenarios and exit")
    parser.add_argument(option, metavar="NAME,...", help=f"{choices}; the others are compared with the first")
    add_set_argument(parser, "the scenario", example)
    parser.add_argument("--seed", metavar="N", type=positive, help="seed instead of the scenario's")
    add_output_formats(parser)
    add_plot_argument(parser, f"{plotted} over time")


def add_set_argument(parser: argparse.ArgumentParser, file: str, example: str) -> None:
    """Declare --set KEY=VALUE, changes of a TOML file."""
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        dest="changes",
        type=_change,
        action="append",
        default=[],
        help=f"a value instead of that of {file}, such as {example}; may be repeated",
    )


def _change(text: str) -> Change:
    try:
        return parse_change(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(error.what) from error


def chosen_names(text: str, option: str, known: Collection[str]) -> list[str]:
    """Split comma-separated names, the value of `option`.

    Raises
    ------
    UserError
        an unknown or repeated name.
    """
    what = option.lstrip("-")
    names = text.split(",")
    for name in names:
        if name not in known:
            raise UserError(f"no {what} is named {name!r}", where=option, remedy=choose_from(name, known))
    if len(set(names)) < len(names):
        raise UserError(f"a {what} is repeated in {text!r}", where=option, remedy="give each name once")
    return names


class ListScenarios(argparse.Action):
    """Prints the names and titles of the shipped scenarios of a kind, a folder, and exits."""

    def __init__(self, *args: Any, kind: str, **options: Any) -> None:
        super().__init__(*args, **options | {"nargs": 0, "default": argparse.SUPPRESS})
        self._kind = kind

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        titles = shipped_scenarios(self._kind)
        width = max(map(len, titles), default=0)
        for name, title in titles.items():
            print(f"{name:<{width}}  {title}")
        parser.exit()


class ShownRun:
    """Shows the progress of a run on stderr: a status on a terminal, otherwise a line from time to time.

    The context manager returns a function that takes the current figures.

    Parameters
    ----------
    form
        format string of the figures, for str.format.
    """

    def __init__(self, doing: str, form: str) -> None:
        from rich.console import Console

        self._doing, self._form = doing, form
        console = Console(stderr=True)
        self._status = console.status(doing) if console.is_terminal and not is_quiet() else None
        self._lines = PlainLines()

    def __enter__(self) -> Callable[..., None]:
        if self._status:
            self._status.start()
        return self._show

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def _show(self, *figures: float) -> None:
        if is_quiet():
            return
        text = f"{self._doing}: {self._form.format(*figures)}"
        if self._status:
            self._status.update(text)
        else:
            self._lines.show(text)
