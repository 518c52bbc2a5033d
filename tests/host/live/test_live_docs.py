# SPDX-License-Identifier: BSD-2-Clause
"""The page of the program names its keys as the program does."""

from pathlib import Path

from litemrc.live.keys import KeyedApp, key_table

PAGE = Path(__file__).resolve().parents[3] / "docs/live.md"


def test_the_page_has_every_key_and_what_it_does() -> None:
    table = PAGE.read_text().partition("| key | what it does |\n| --- | --- |\n")[2].partition("\n\n")[0]
    assert table.splitlines() == [f"| `{key}` | {purpose} |" for key, purpose in key_table()]


def test_every_key_that_is_shown_has_a_purpose_and_no_key_has_two() -> None:
    keys = [binding.key for binding in KeyedApp.BINDINGS]
    assert len(set(keys)) == len(keys)
    assert all(binding.tooltip for binding in KeyedApp.BINDINGS if binding.show)
