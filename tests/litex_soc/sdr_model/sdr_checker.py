# SPDX-License-Identifier: BSD-2-Clause
"""Compiles and runs check_stream.cpp of the SDRAM model, and writes the table of its rules.

python -m tests.litex_soc.sdr_model.sdr_checker     writes the table into the model's README
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.broken_stream import Broken
from tests.litex_soc.sdr_model.sdr_broken_streams import BROKEN_STREAMS

REPO = Path(__file__).parents[3]
MODEL = REPO / "litex-soc" / "sdr_model"
BUILD = REPO / "build" / "sdr_model"
CHECKED = ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined")
BEGIN, END = "<!-- rules -->\n", "<!-- end of rules -->\n"


@dataclass(frozen=True)
class Checked:
    """The output for a stream: rules broken; clock, word and mask of the chip's data; counts."""

    rules: list[str]
    data: list[tuple[int, int, int]]
    counts: dict[str, int]


def compile_checker(sources: Path, program: Path, *flags: str) -> Path:
    """Compile the program of the model in `sources` to `program`."""
    program.parent.mkdir(parents=True, exist_ok=True)
    command = ["g++", "-std=c++17", *flags, sources / "check_stream.cpp", "-o", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def check(program: Path, stream: str, *settings: str) -> Checked:
    """Run a stream, which must be valid input."""
    done = subprocess.run([program, *settings], input=stream, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    rules = [words[1] for words in lines if words[0] == "violation"]
    data = [(int(clock), int(word, 16), int(mask, 16)) for kind, clock, word, mask in
            (words for words in lines if words[0] == "data")]  # fmt: skip
    counts = {words[0]: int(words[1]) for words in lines if words[0] not in ("violation", "data")}
    assert done.returncode == bool(rules)
    return Checked(rules, data, counts)


def rules_of(program: Path) -> list[tuple[str, str, str]]:
    """Return name, class and violation of every rule."""
    said = subprocess.run([program, "--rules"], capture_output=True, text=True, check=True).stdout
    return [tuple(line.split("\t")) for line in said.splitlines()]


def with_table(readme: str, rules: list[tuple[str, str, str]]) -> str:
    """The README's text with the table of these rules (name, class, what breaks it)."""
    before, rest = readme.split(BEGIN)
    rows = [
        f"| {name} | {rule_class} | {breaks} | {_stream(BROKEN_STREAMS[name])} |\n"
        for name, rule_class, breaks in rules
    ]
    head = "| rule | class | what breaks it | a stream that does |\n| --- | --- | --- | --- |\n"
    return before + BEGIN + head + "".join(rows) + END + rest.split(END)[1]


def _stream(case: Broken) -> str:
    settings = f"({' '.join(case.settings)}) " if case.settings else ""
    return settings + "; ".join(case.broken().splitlines())


if __name__ == "__main__":
    readme = MODEL / "README.md"
    checker = compile_checker(MODEL, BUILD / "check_stream", *CHECKED)
    readme.write_text(with_table(readme.read_text(), rules_of(checker)))
