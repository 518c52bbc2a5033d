# SPDX-License-Identifier: BSD-2-Clause
"""Writes the table of the checker's rules, and of the stream that breaks each, into the model's README.

python -m tests.litex_soc.ddr3_model.rule_table CHECK_STREAM

CHECK_STREAM: the program that the tests build, build/ddr3_model/check_stream.
"""

import sys
from pathlib import Path

from tests.broken_stream import Broken
from tests.litex_soc.ddr3_model.broken_streams import BROKEN_STREAMS, PULL_IN
from tests.litex_soc.ddr3_model.streams import rules_of

README = Path(__file__).parents[3] / "litex-soc" / "ddr3_model" / "README.md"
BEGIN, END = "<!-- rules -->\n", "<!-- end of rules -->\n"


def with_table(readme: str, rules: list[tuple[str, str, str]]) -> str:
    """The README's text with the table of these rules (name, class, what breaks it)."""
    before, rest = readme.split(BEGIN)
    after = rest.split(END)[1]
    rows = [
        f"| {name} | {rule_class} | {breaks} | {_stream(BROKEN_STREAMS[name])} |\n"
        for name, rule_class, breaks in rules
    ]
    table = "".join(
        ["| rule | class | what breaks it | a stream that does |\n", "| --- | --- | --- | --- |\n", *rows]
    )
    return before + BEGIN + table + END + after


def _stream(case: Broken) -> str:
    text = case.broken().replace(PULL_IN, "8 times +64 REF 0\n")
    repeated = "+64 REF 0\n" * 15
    text = text.replace(repeated, "15 times +64 REF 0\n")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    settings = f"({' '.join(case.settings)}) " if case.settings else ""
    return settings + "; ".join(lines)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(), rules_of(Path(sys.argv[1]))))
