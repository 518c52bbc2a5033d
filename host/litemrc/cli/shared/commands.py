"""Parsers of commands whose modules are imported when they are run."""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

from litemrc.cli.shared.options import add_quiet_argument
from litemrc.errors import UserError


class CommandParser(argparse.ArgumentParser):
    """Parses the arguments of one command; the command's module, imported at that time, declares them.

    The parsed arguments have the module's `main` as `run`, unless a command below this one sets its own.

    Parameters:
        module: a module with `set_argparser(parser)` and `main(args)`; it needs no `main` if it requires a
            command below itself. Empty: the caller declares the arguments.
    """

    def __init__(self, *args: Any, module: str = "", **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False} | options)
        self._module = module

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Declare the arguments, once, and parse."""
        self.declare()
        return super().parse_known_args(args, namespace)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Return the value of an argument; before Python 3.13 argparse makes a list of --option=--."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def declare(self) -> None:
        """Import the command's module and let it declare the arguments, once."""
        if self._module:
            module, self._module = import_module(self._module), ""
            self.set_defaults(run=getattr(module, "main", None))
            if hasattr(module, "main"):
                add_quiet_argument(self)
            module.set_argparser(self)


def add_commands(
    parser: argparse.ArgumentParser, commands: dict[str, tuple[str, str]], **options: Any
) -> None:
    """Add subcommands to a parser.

    Parameters:
        commands: for each name its module below `litemrc.cli`, and its description.
        options: of `add_subparsers`.
    """
    actions = parser.add_subparsers(parser_class=CommandParser, **options)
    for name, (module, purpose) in commands.items():
        actions.add_parser(name, help=purpose, description=purpose, module=f"litemrc.cli.{module}")


def parsers_of(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and those of all commands below it, with their arguments declared.

    A command that lacks an optional extra has no arguments but --help.
    """
    if isinstance(parser, CommandParser):
        with suppress(UserError):
            parser.declare()
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                yield from parsers_of(child)
