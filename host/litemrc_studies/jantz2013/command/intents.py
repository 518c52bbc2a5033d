# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc intents check FILE`: validate an application's intents for its page colors."""

import argparse
import sys
from pathlib import Path

from litemrc.cli.shared.arguments import add_output_formats
from litemrc.cli.shared.results import print_results
from litemrc.errors import UserError

from litemrc_studies.jantz2013.policies.intents import INTENTS, ColorIntent, parse_intents

_EPILOG = "intents and their values:\n" + "\n".join(
    f"  {name:<14} COLOR VALUE   {kind.meaning}" for name, kind in INTENTS.items()
)


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc intents`."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="read a file of intents and show its colors",
        description="Read a file of intents (Jantz et al. 2013, section 4.1) and show its colors.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    check.add_argument("file", metavar="FILE", help="file of intents; - reads standard input")
    check.add_argument(
        "-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    add_output_formats(check)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc intents check`."""
    name = "standard input" if args.file == "-" else args.file
    colors = list(parse_intents(_text(args.file), name).values())
    print_results(
        args,
        table=lambda: _table(colors) if colors else "no colors",
        document=lambda: {"colors": [_json(intent) for intent in colors]},
        rows=lambda: map(_json, colors),
    )
    return 0


def _text(path: str) -> str:
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return content.decode("utf-8")
    except OSError as error:
        raise UserError(
            f"cannot read: {error.strerror}", where=path, remedy="give an existing file"
        ) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UserError(
            "the text is not UTF-8", where=f"{path}:{line}", remedy="save the file as UTF-8"
        ) from error


def _json(intent: ColorIntent) -> dict[str, str | int | None]:
    values = {kind.attribute: getattr(intent, kind.attribute) for kind in INTENTS.values()}
    return {"color": intent.color, **values}


def _table(colors: list[ColorIntent]) -> str:
    used = [
        name for name, kind in INTENTS.items() if any(getattr(c, kind.attribute) is not None for c in colors)
    ]
    width = max(len("color"), *(len(intent.color) for intent in colors))
    lines = [f"{'color':<{width}} " + " ".join(f"{name:>14}" for name in used)]
    for intent in colors:
        values = [getattr(intent, INTENTS[name].attribute) for name in used]
        shown = ["-" if value is None else str(value) for value in values]
        lines.append(f"{intent.color:<{width}} " + " ".join(f"{value:>14}" for value in shown))
    return "\n".join(lines)
