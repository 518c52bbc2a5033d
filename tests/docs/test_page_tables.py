# SPDX-License-Identifier: BSD-2-Clause
"""Scripts write tables and values into pages, and nothing else of the page changes."""

from pathlib import Path

import pytest

from scripts.docs.page_tables import fill_tables, fill_values

PAGE = (
    "before\n<!-- table sizes -->\n| old |\n<!-- end -->\nin a line: <!-- value most -->1<!-- / -->, after.\n"
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE, "utf-8")
    return path


def test_a_table_replaces_the_lines_between_its_marks(page: Path) -> None:
    fill_tables(page, {"sizes": "| new |\n"})
    assert page.read_text("utf-8") == PAGE.replace("| old |", "| new |")


def test_a_value_replaces_the_text_at_all_its_places(page: Path) -> None:
    page.write_text(PAGE + PAGE, "utf-8")
    fill_values(page, {"most": "2 to 3"})
    assert page.read_text("utf-8") == (PAGE + PAGE).replace("-->1<", "-->2 to 3<")


@pytest.mark.parametrize("fill", [fill_tables, fill_values])
def test_a_page_without_the_place_is_left_unchanged(page: Path, fill) -> None:
    known = "sizes" if fill is fill_tables else "most"
    with pytest.raises(ValueError, match=r"no place for the .* 'absent'"):
        fill(page, {known: "new", "absent": "text"})
    assert page.read_text("utf-8") == PAGE
