# SPDX-License-Identifier: BSD-2-Clause
"""The paper has four pages. Its numbers come from the pages of docs/; one that is missing ends the build."""

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("typst", reason="typst is not installed: run make .venv/paper.stamp")

import numpy as np
import typst

from scripts.docs.page_tables import REPO
from scripts.docs.paper import OUT, build, compiler, write_results
from scripts.docs.paper_results import CURVES, PAGES, curves_of, number, results, table_of

ENGINES = "docs/engines.md"
KIB = {"K": 1, "M": 1024}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What the paper is made of, in a folder of the test's own."""
    sources = [f"docs/paper/{path.name}" for path in (REPO / "docs/paper").iterdir()]
    for name in (*PAGES, CURVES, "CITATION.cff", *sources):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPO / name, tmp_path / name)
    return tmp_path


def change(page: Path, pattern: str, by: str) -> None:
    text, places = re.subn(pattern, by, page.read_text("utf-8"), flags=re.MULTILINE)
    assert places == 1
    page.write_text(text, "utf-8")


def test_the_paper_has_four_pages(clone):
    assert build(clone).read_bytes().startswith(b"%PDF")
    _, warnings = compiler(clone).compile_with_warnings(format="pdf")
    assert [warning.message for warning in warnings] == []
    assert compiler(clone).query("<pages>", field="value", one=True) == "4"


def test_a_number_that_changes_on_a_page_changes_in_the_paper(clone):
    says = clone / "docs/paper/says.typ"
    says.write_text('#import "results.typ": pair-searched\n#metadata(pair-searched) <says>\n', "utf-8")

    def number_of_the_paper() -> str:
        write_results(clone)
        return typst.query(says, "<says>", field="value", one=True, root=clone)

    before = number_of_the_paper()
    change(clone / ENGINES, r"(<!-- value worst-searched -->)[\d.]+", r"\g<1>0.123")
    assert before != number_of_the_paper() == '"0.123"'


@pytest.mark.parametrize(
    ("page", "pattern", "by", "missing"),
    [
        (ENGINES, r"^\| `bucket_stack` \| 65,536 .*\n", "", "table units has no .*bucket_stack"),
        (ENGINES, r"\| DP16KD \| MHz min \|", "| DP16KD | MHz |", "row dram_tap has no .*MHz min"),
        (ENGINES, r"<!-- table drops -->", "", "has no table 'drops'"),
        (ENGINES, r"<!-- value worst-searched -->", "", "values has no .*worst-searched"),
        ("docs/results/measured.md", r"followed, with a tail;", "followed;", "has 0 times: .*with a tail"),
    ],
    ids=["row", "column", "table", "value", "phrase"],
)
def test_a_number_that_is_missing_ends_the_build(clone, page, pattern, by, missing):
    change(clone / page, pattern, by)
    with pytest.raises((typst.TypstError, ValueError), match=f"{re.escape(page)}.*{missing}"):
        build(clone)
    assert not (clone / OUT / "paper.pdf").exists()


def test_the_text_has_no_measured_number_of_its_own():
    text = (REPO / "docs/paper/paper.typ").read_text("utf-8")
    text = re.sub(r"(?m)^//.*|\(kernels [\d., and]+\)|\"[^\"\n]*\"", "", text)
    assert not re.findall(r"\d+\.\d+|\d,\d{3}|\d+ ?%", text)


def test_a_table_is_read_without_marks_and_its_first_of_equal_heads():
    table = table_of(
        "| of | a `b` | worst | worst |\n| --- | --: | --: | --: |\n| **x** | 1,024 | 2 % | 3 |\n"
    )
    assert table == {"x": {"": "x", "a b": "1,024", "worst": "2 %"}}
    assert [number(cell) for cell in ("1,024", "2 %", "\N{MINUS SIGN}3", "+72.3% (749, 0)")] == [
        1024,
        2,
        -3,
        72.3,
    ]


def test_the_curves_of_the_picture_have_the_miss_ratios_of_the_table():
    lines = results()["docs/linux.md"]["blocks"]["linux"].splitlines()
    sizes = [float(size) * KIB[unit] for size, unit in re.findall(r"([\d.]+) ([KM])iB", lines[2])][:3]
    curves = curves_of(REPO / CURVES)
    assert len(curves) == 4
    for name, (ends, ratios) in curves.items():
        (line,) = (line for line in lines if re.match(rf"\d+ {re.escape(name)} +[\d,]+ ", line))
        at = [ratios[np.searchsorted(ends, size, side="right") - 1] for size in sizes]
        assert at == pytest.approx([float(ratio) for ratio in re.findall(r" (0\.\d{4})", line)], abs=0.6e-4)
