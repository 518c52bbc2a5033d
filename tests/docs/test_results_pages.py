# SPDX-License-Identifier: BSD-2-Clause
"""The pages of the five papers leave out nothing silently, and scripts write their tables and values."""

import re
import subprocess

import pytest

from scripts.docs.page_tables import REPO, STUDIES, values_of

HEADS = ["in the paper", "what it shows", "here", "the paper", "ours"]

# Sections with a mechanism or a result, tables and figures, from the text of each paper.
PAPERS = {
    "glass1997": {"Section": "2.1 2.2 2.3 3 4.1 4.2 5", "Table": "1", "Figure": "1 2 3 4 5 6 7 8 9 10 11"},
    "zhou2004": {
        "Section": "2.1 2.2 3.1 3.2 4.1.1 4.1.2 4.1.3 4.2.1 4.2.2 4.2.3 5.1 5.2.1 5.2.2 5.2.3",
        "Table": "1 2 3 4",
        "Figure": "1 2 3 4 5 6",
    },
    "reference_counters": {"Section": "2", "Table": "1", "Figure": "1 2"},
    "panwar2015": {"Table": "1 2 3 4 5", "Figure": "1 2 3 4 5 6 7 8 9 10"},
    "jantz2013": {
        "Section": "4.1 4.2 5.1 5.2 5.3 5.4 6.1 6.2 7 7.2 8.1 8.2 8.3",
        "Figure": "1 2 3 4 5 6",
    },
}


def page_text(paper: str) -> str:
    return (STUDIES / paper / "page.md").read_text("utf-8")


def paper_map(paper: str) -> list[list[str]]:
    """The cells of the map's rows: the first section of the page and the first table in it."""
    section = re.split(r"^## ", page_text(paper), flags=re.MULTILINE)[1]
    assert section.startswith("The paper, point by point"), "the map comes first"
    lines = re.findall(r"^\|(.*)\|$", section, re.MULTILINE)
    rows = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    assert rows[0] == HEADS
    return rows[2:]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_map_names_each_section_table_and_figure_in_the_papers_order(paper: str) -> None:
    named = [re.match(r"(Section|Table|Figure) ([\d.]*\d)", row[0]) for row in paper_map(paper)]
    for kind, numbers in PAPERS[paper].items():
        found = [name[2] for name in named if name and name[1] == kind]
        missing = sorted(set(numbers.split()) - set(found))
        assert missing == [], f"{kind}s of the paper without a row"
        order = [tuple(map(int, number.split("."))) for number in found]
        assert order == sorted(order), f"{kind}s in another order than the paper's"


@pytest.mark.parametrize("paper", PAPERS)
def test_each_row_of_the_map_leads_to_a_result_or_gives_a_reason(paper: str) -> None:
    for row in paper_map(paper):
        assert len(row) == len(HEADS), row
        assert re.fullmatch(r"\[(done|differs)\]\([^()\s]+\)|absent", row[2]), row
        assert row[1], row
        assert row[4], f"no value and no reason: {row}"


@pytest.mark.parametrize("paper", PAPERS)
def test_each_table_and_value_of_a_page_has_a_script_that_writes_it(paper: str) -> None:
    listed = [
        "git",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "scripts",
        "bench",
        "tests",
        "host/litemrc_studies",
    ]
    files = subprocess.run(listed, cwd=REPO, check=True, capture_output=True, text=True).stdout.split()
    scripts = [(REPO / name).read_text("utf-8") for name in files if name.endswith(".py")]
    names = re.findall(r"<!-- (?:table|value) (\S+) -->", page_text(paper))
    assert names
    assert [name for name in names if not any(f'"{name}"' in script for script in scripts)] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_each_value_and_table_of_a_page_was_written(paper: str) -> None:
    values = values_of(STUDIES / paper / "page.md")
    tables = re.findall(r"<!-- table (\S+) -->\n(.*?)<!-- end -->", page_text(paper), re.DOTALL)
    assert values and tables
    assert [name for name, text in values.items() if not re.search(r"\w", text) or "nan" in text] == []
    assert [name for name, text in tables if not text.strip()] == []


def test_each_picture_of_results_is_shown_on_a_page() -> None:
    pictures = sorted(STUDIES.glob("*/pictures/*.png"))
    assert pictures
    for picture in pictures:
        page = picture.parents[1] / "page.md"
        assert f"(pictures/{picture.name})" in page.read_text("utf-8"), picture


@pytest.mark.parametrize("paper", PAPERS)
def test_the_marks_of_tables_and_values_are_closed(paper: str) -> None:
    text = page_text(paper)
    for kind, end in (("table", "end"), ("value", "/")):
        marks = re.findall(rf"<!-- (?:({kind}) \S+|({end})) -->", text)
        assert [bool(opens) for opens, _ in marks] == [True, False] * (len(marks) // 2), kind
