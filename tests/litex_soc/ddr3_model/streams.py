"""Runs check_stream and reads what it says."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Read:
    """A read of a stream: where, whether the data were kept, lost or never driven, their first word."""

    clock: int
    rank: int
    bank: int
    row: int
    column: int
    state: str
    word: int


@dataclass(frozen=True)
class Checked:
    """What check_stream has said about a stream."""

    rules: list[str]
    reads: list[Read]
    counts: dict[str, int]


def check(program: Path, stream: str, *settings: str) -> Checked:
    """Run a stream; the program must have understood it."""
    done = subprocess.run([program, *settings], input=stream, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    rules, reads, counts = [], [], {}
    for line in done.stdout.splitlines():
        kind, *words = line.split()
        if kind == "violation":
            rules.append(words[0])
        elif kind == "read":
            reads.append(Read(*map(int, words[:5]), words[5], int(words[6], 16)))
        else:
            counts[kind] = int(words[0])
    assert done.returncode == bool(rules)
    return Checked(rules, reads, counts)


def rules_of(program: Path) -> list[tuple[str, str, str]]:
    """Name, class and what breaks it, of every rule."""
    said = subprocess.run([program, "--rules"], capture_output=True, text=True, check=True).stdout
    return [tuple(line.split("\t")) for line in said.splitlines()]
