# SPDX-License-Identifier: BSD-2-Clause
"""Write a man page for each command, from the parsers: `make man`, then `man -l build/man/litemrc-mrc.1`."""

import argparse
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from argparse_manpage.manpage import Manpage
from litemrc.cli.main import command_parser
from litemrc.cli.shared.commands import parsers_of

EXIT_STATUS = (
    "0: success. 1: a comparison or check failed, or an output cannot be written. "
    "2: invalid input or a missing device. 130: interrupted."
)


def man_page(parser: argparse.ArgumentParser) -> str:
    """Return the page of a command in roff; the commands below it have pages of their own."""
    page = Manpage(parser, format="single-commands-section")
    page.prog = page_name(parser)  # the title must be one word
    page.description = parser.description
    page.manual = "LiteMRC"
    page.source = f"litemrc {version('litemrc')}"
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for action in below:
        page.add_section("commands", ">", "\n".join(_entries(action)))
    if parser.epilog:
        page.add_section("notes", ">", f".nf\n{_roff(parser.epilog)}\n.fi")
    page.add_section("exit status", ">", _roff(EXIT_STATUS))
    with _without(parser, below):
        return str(page)


@contextmanager
def _without(parser: argparse.ArgumentParser, actions: Sequence[argparse.Action]) -> Iterator[None]:
    """Hide what the page has in its own sections: some arguments, and the epilog."""
    groups = [(group, group._group_actions) for group in parser._action_groups]
    epilog, parser.epilog = parser.epilog, None
    for group, members in groups:
        group._group_actions = [member for member in members if member not in actions]
    try:
        yield
    finally:
        parser.epilog = epilog
        for group, members in groups:
            group._group_actions = members


def _entries(action: "argparse._SubParsersAction[argparse.ArgumentParser]") -> Iterator[str]:
    for listed in action._get_subactions():
        name = page_name(action.choices[listed.dest])
        yield f".TP\n.BR {_roff(name)} (1)\n{_roff(listed.help or '')}"


def page_name(parser: argparse.ArgumentParser) -> str:
    """Return the name of a command's page: litemrc-trace-info."""
    return parser.prog.replace(" ", "-")


def _roff(text: str) -> str:
    escaped = text.strip("\n").replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


def main() -> None:
    """Write the pages."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--out", type=Path, default=Path("build/man"), help="folder for the pages (%(default)s)"
    )
    out = arguments.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for parser in parsers_of(command_parser()):
        (out / f"{page_name(parser)}.1").write_text(man_page(parser), "utf-8")


if __name__ == "__main__":
    main()
