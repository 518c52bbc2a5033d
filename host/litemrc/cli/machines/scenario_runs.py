"""What commands share that run a scenario in several ways: arguments, the ways chosen, how far one is."""

import argparse
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path

from rich.console import Console

from litemrc.cli.shared.arguments import positive
from litemrc.cli.shared.progress import LINE_EVERY_S
from litemrc.errors import UserError


def scenario_arguments(
    parser: argparse.ArgumentParser, epilog: str, *, option: str, ways: str, drawn: str
) -> None:
    """Declare SCENARIO.toml, --seed, --json, --plot, and the option that chooses ways to run it.

    Parameters:
        option: such as "--policy"; ways: what it chooses.
        drawn: what --plot draws.
    """
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = epilog
    parser.add_argument("scenario", metavar="SCENARIO.toml", type=Path, help="what runs on which machine")
    parser.add_argument(option, metavar="NAME,...", help=f"{ways}; the others are compared with the first")
    parser.add_argument("--seed", metavar="N", type=positive, help="instead of the scenario's")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--plot", metavar="FILE", type=Path, help=f"draw {drawn} over time, .png or .svg")


def chosen_names(text: str, option: str, known: Collection[str]) -> list[str]:
    """Names with commas between them, as the option of this name has them.

    Raises:
        UserError: one that is not known, or one twice.
    """
    what = option.lstrip("-")
    names = text.split(",")
    for name in names:
        if name not in known:
            raise UserError(f"no {what} {name!r}", where=option, remedy=f"some of {', '.join(known)}")
    if len(set(names)) < len(names):
        raise UserError(f"a {what} twice in {text!r}", where=option, remedy="name each once")
    return names


class ShownRun:
    """How far a run is: on a terminal, or as a line now and then.

    Entered, it is a function of the figures that say so.

    Parameters:
        form: of these figures, as of str.format.
    """

    def __init__(self, doing: str, form: str) -> None:
        self._doing, self._form = doing, form
        self._console = Console(stderr=True)
        self._status = self._console.status(doing) if self._console.is_terminal else None
        self._due = time.monotonic() + LINE_EVERY_S

    def __enter__(self) -> Callable[..., None]:
        if self._status:
            self._status.start()
        return self._tell

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def _tell(self, *figures: float) -> None:
        told = f"{self._doing}: {self._form.format(*figures)}"
        if self._status:
            self._status.update(told)
        elif time.monotonic() >= self._due:
            self._due = time.monotonic() + LINE_EVERY_S
            print(told, file=sys.stderr, flush=True)
