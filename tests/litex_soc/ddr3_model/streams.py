# SPDX-License-Identifier: BSD-2-Clause
"""Runs check_stream and reads its output."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Read:
    """A read of a stream: its place, whether the data were kept, lost or undriven, their first word."""

    clock: int
    rank: int
    bank: int
    row: int
    column: int
    state: str
    word: int


@dataclass(frozen=True)
class Checked:
    """The output of check_stream for a stream."""

    rules: list[str]
    reads: list[Read]
    counts: dict[str, int]


def check(program: Path, stream: str, *settings: str) -> Checked:
    """Run a stream, which must be valid input."""
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
    """Return name, class and violation of every rule."""
    said = subprocess.run([program, "--rules"], capture_output=True, text=True, check=True).stdout
    return [tuple(line.split("\t")) for line in said.splitlines()]
