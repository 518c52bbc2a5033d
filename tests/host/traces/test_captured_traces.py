# SPDX-License-Identifier: BSD-2-Clause
"""The captured traces of real programs in tests/data: there, small, and what their README says."""

import re
from pathlib import Path

import pytest
from litemrc.traces import open_trace
from litemrc.traces.summary import Summary

FOLDER = Path(__file__).parents[2] / "data" / "traces"
ROWS = {
    match[1]: [int(number.replace(",", "")) for number in match.groups()[1:]]
    for match in re.finditer(
        r"\| `([\w-]+\.parquet)` \|.*\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|",
        (FOLDER / "README.md").read_text(),
    )
}


def test_the_readme_lists_all():
    assert ROWS.keys() == {path.name for path in FOLDER.glob("*.parquet")} and len(ROWS) == 6


@pytest.mark.parametrize("name", ROWS)
def test_a_trace_is_what_the_readme_says(name):
    instructions, references, pages = ROWS[name]
    summary = Summary()
    with open_trace(FOLDER / name) as trace:
        for chunk in trace:
            summary.add(chunk)
    assert (summary.references, summary.pages.numbers().size) == (references, pages)
    assert 0 <= instructions - summary.last_time < 1000  # the last instructions hit in the caches
    assert 0 < summary.writes < summary.references
    assert trace.time_unit == "instructions" and trace.origin.endswith("level 2 256k:4:64")
    assert (FOLDER / name).stat().st_size < 2_000_000
