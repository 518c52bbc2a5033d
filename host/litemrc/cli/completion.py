# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc completion SHELL`: the script with which a shell completes commands and options."""

import argparse
from pathlib import Path

from litemrc.extras import require

SHELLS = ("bash", "zsh", "fish", "tcsh")
_EPILOG = """\
The script is static: completing a word does not start Python. Print it again after an update.

  litemrc completion bash >~/.local/share/bash-completion/completions/litemrc
  litemrc completion zsh >"${fpath[1]}/_litemrc"
  litemrc completion fish >~/.config/fish/completions/litemrc.fish
"""


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc completion`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=SHELLS)


def main(args: argparse.Namespace) -> int:
    """Run `litemrc completion`."""
    require("completion")
    import shtab

    from litemrc.cli.main import declared_parser
    from litemrc.cli.shared.commands import parsers_of

    parser = declared_parser()
    for each in parsers_of(parser):
        for action in each._actions:
            if action.type is Path or action.dest in ("trace", "traces", "file", "files"):
                folder = action.metavar == "DIR"
                action.complete = shtab.DIRECTORY if folder else shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, args.shell))
    return 0
