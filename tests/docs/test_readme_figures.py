# SPDX-License-Identifier: BSD-2-Clause
"""Figures of the README that stand on another page are those of that page; examples are linked."""

import re
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
README = (REPO / "README.md").read_text("utf-8")


def test_the_cost_under_linux_is_that_of_the_measurements():
    measured = (REPO / "docs/results/measured.md").read_text("utf-8")
    (said,) = re.findall(r"A followed gzip took ([\d.]+) % longer, or ([\d.]+) %", README)
    gzip = re.search(r"\+([\d.]+) % followed, with a tail; \+([\d.]+) % with epochs of 2\^24", measured)
    assert gzip
    assert said == gzip.groups()


def test_the_readme_claims_no_overhead_for_more_than_the_hardware():
    assert "zero cycles" not in README and "the hardware adds no cycle" in README


def test_examples_are_linked():
    for page in ("README.md", "docs/README.md"):
        assert "examples/README.md)" in (REPO / page).read_text("utf-8"), page
