# SPDX-License-Identifier: BSD-2-Clause
"""Parsers of commands whose modules are imported when they are run."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from litemrc.cli.shared.arguments import add_quiet_argument
from litemrc.cli.shared.messages import explained
from litemrc.errors import UserError, closest


class CommandParser(argparse.ArgumentParser):
    """Parses the arguments of one command; the command's module, imported at that time, declares them.

    The parsed arguments have the module's `main` as `run`, unless a command below this one sets its own.

    Parameters
    ----------
    module
        a module with `set_argparser(parser)` and `main(args)`; it needs no `main` if it requires a
        command below itself. Empty: the caller declares the arguments.
    """

    def __init__(self, *args: Any, module: str = "", **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False} | options)
        self._module = module
        self._suggestion = ""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Declare the arguments, once, and parse."""
        self.declare()
        return super().parse_known_args(args, namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse all arguments; unknown ones are refused with the closest option of the command."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = getattr(parsed, "command_parser", self)
            command.refuse_unknown(unknown)
        vars(parsed).pop("command_parser", None)
        return parsed

    def refuse_unknown(self, words: list[str]) -> NoReturn:
        """End with an error about arguments that no option takes."""
        word = words[0].partition("=")[0]
        self._suggestion = closest(word, self._option_string_actions) if word.startswith("-") else ""
        self.error(f"unrecognized arguments: {' '.join(words)}")

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and an error like all others."""
        help_line = f"{self.prog} --help describes the arguments"
        remedy = f"{self._suggestion} {help_line}".lstrip()
        self.exit(2, f"litemrc: error: {explained(UserError(message, where=self.prog, remedy=remedy))}\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        self._suggestion = closest(value, choices)
        if isinstance(action, argparse._SubParsersAction):
            self.error(f"no command is named {value!r}")
        raise argparse.ArgumentError(action, f"invalid choice: {value!r} (choose from {', '.join(choices)})")

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
            self.set_defaults(run=getattr(module, "main", None), command_parser=self)
            if hasattr(module, "main"):
                add_quiet_argument(self)
            module.set_argparser(self)


Commands = Mapping[str, tuple[str, str]]
"""For each command its module and its description."""

_TITLE = "group_title"  # attribute of an action: of its group, at the first command
_ABSENT = ("litemrc.cli.shared.absent", "in litemrc-studies, which is not installed")


def installed(group: str, expected: Mapping[str, Sequence[str]]) -> dict[str, Commands]:
    """Return the commands that other distributions add.

    Parameters
    ----------
    group
        of entry points.
    expected
        names of commands, by the title of their group; those not found explain what to install.
    """
    from importlib.metadata import entry_points  # imported here: takes 30 ms

    found: dict[str, Commands] = {title: dict.fromkeys(names, _ABSENT) for title, names in expected.items()}
    for point in entry_points(group=group):
        found |= point.load()
    return found


class _GroupedFormatter(argparse.HelpFormatter):
    """Writes the title of a group above its first command."""

    def _format_action(self, action: argparse.Action) -> str:
        title = getattr(action, _TITLE, "")
        indent = " " * (self._current_indent - self._indent_increment)
        return f"\n{indent}{title}:\n" * bool(title) + super()._format_action(action)


def add_commands(parser: argparse.ArgumentParser, groups: Mapping[str, Commands], **options: Any) -> None:
    """Add subcommands to a parser.

    Parameters
    ----------
    groups
        commands, by the title of their group.
    options
        of `add_subparsers`.
    """
    parser.formatter_class = _GroupedFormatter
    actions = parser.add_subparsers(parser_class=CommandParser, title="commands", **options)
    for title, commands in groups.items():
        for name, (module, purpose) in commands.items():
            actions.add_parser(name, help=purpose, description=purpose, module=module)
            setattr(actions._choices_actions[-1], _TITLE, title * (name == next(iter(commands))))


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
