# SPDX-License-Identifier: BSD-2-Clause
"""Run every marked block of docs/first-hour.md in a fresh clone, in order; write a transcript with times.

    python -m scripts.docs.first_hour --list     check that each command of the blocks exists; run nothing
    python -m scripts.docs.first_hour            clone to build/first-hour/clone and run

A block is a fence ```sh below a line `<!-- hour NAME MINUTES -->`. Each runs in a shell of its own, which
ends at the first command that fails. Exit code 1 if a block fails or a command does not exist.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from litemrc.cli.main import command_parser
from litemrc.cli.shared.commands import parsers_of

from scripts.docs.page_tables import REPO

PAGE = REPO / "docs/first-hour.md"
_MARK = re.compile(r"^<!-- hour (\w+) (\d+) -->\n```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_BUILT_IN = {"trap", "until", "do", "done", "export", "[", "for", "if", "then", "fi"}


@dataclass(frozen=True)
class Block:
    """A block of commands.

    Attributes
    ----------
    name
        of the block.
    minutes
        that it takes at most, on two cores.
    commands
        a shell script.
    """

    name: str
    minutes: int
    commands: str


def blocks(page: str) -> list[Block]:
    """Return the marked blocks of a page, in its order.

    Raises
    ------
    ValueError
        a mark without a block, or a name twice.
    """
    found = [Block(name, int(minutes), text) for name, minutes, text in _MARK.findall(page)]
    if len(found) != page.count("<!-- hour ") or len({each.name for each in found}) < len(found):
        raise ValueError(
            "each mark `<!-- hour NAME MINUTES -->` needs a name of its own and a ```sh block below"
        )
    return found


def commands_of(script: str) -> list[list[str]]:
    """Return the words of each simple command of a block; what $(...) holds is left to the shell."""
    found = []
    for line in script.splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars="();|&<>")
        words.whitespace_split = True
        command: list[str] = []
        for word in [*words, ";"]:
            if word in (";", "|", "&", "&&", "||"):
                found += [command] if command else []
                command = []
            elif command or word not in _BUILT_IN - {"trap", "export"}:
                command.append(word)
    return found


def absent(command: list[str]) -> str | None:
    """Return which part of a command does not exist; None: all of it does."""
    program, *rest = command
    if program in _BUILT_IN:
        return None
    if program == "make":
        wrong = [goal for goal in rest if f"\n{goal}:" not in _make_database()]
        return f"make {wrong[0]}" if wrong else None
    if program == "litemrc":
        return _absent_option(rest)
    if program == "python" and rest[0] == "-m":
        return None if find_spec(rest[1]) else f"python -m {rest[1]}"
    return None if shutil.which(program) else program


@cache
def _make_database() -> str:
    """Return all of make's rules, with variables and patterns expanded."""
    command = ["make", "--print-data-base", "--question", ":"]
    return subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False).stdout


def _absent_option(words: list[str]) -> str | None:
    parsers = {parser.prog.removeprefix("litemrc "): parser for parser in parsers_of(command_parser())}
    parser = parsers.get(" ".join(words[:2])) or parsers.get(words[0])
    if parser is None:
        return f"litemrc {words[0]}"
    own = words[: words.index("--")] if "--" in words else words
    wrong = [word for word in own if word.startswith("--") and word not in parser._option_string_actions]
    return f"{parser.prog} {wrong[0]}" if wrong else None


def run(block: Block, folder: Path, transcript: Path) -> bool:
    """Run a block; append its commands, output and time to the transcript; return whether it succeeded."""
    started = time.monotonic()
    environment = {**os.environ, "PATH": f"{folder}/.venv/bin:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", block.commands],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - started
    outcome = "ended" if done.returncode == 0 else f"failed with exit code {done.returncode}"
    summary = f"{block.name}: {outcome} after {seconds:.0f} s; the page says {block.minutes} min"
    print(summary, flush=True)
    with transcript.open("a", encoding="utf-8") as file:
        file.write(f"## {summary}\n\n```\n{block.commands}```\n\n```\n{done.stdout}```\n\n")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--list", action="store_true", help="check that each command exists; run nothing")
    parser.add_argument(
        "--out", type=Path, default=REPO / "build/first-hour", help="new folder (%(default)s)"
    )
    args = parser.parse_args()
    found = blocks(PAGE.read_text("utf-8"))
    if args.list:
        wrong = []
        for block in found:
            print(f"{block.name} ({block.minutes} min)")
            for command in commands_of(block.commands):
                missing = absent(command)
                print(f"  {'absent: ' + missing if missing else 'there'}: {shlex.join(command)}")
                wrong += [missing] if missing else []
        return 1 if wrong else 0
    try:
        args.out.mkdir(parents=True)
    except FileExistsError:
        print(f"{args.out} is there already: remove it, or choose another --out", file=sys.stderr)
        return 2
    clone = args.out.resolve() / "clone"
    subprocess.run(["git", "clone", "-q", REPO, clone], check=True)
    return 0 if all(run(block, clone, args.out / "transcript.md") for block in found) else 1


if __name__ == "__main__":
    sys.exit(main())
