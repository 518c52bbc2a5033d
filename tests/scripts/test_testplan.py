# SPDX-License-Identifier: BSD-2-Clause
"""The test plan names tests that exist."""

import ast
import re
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


def named_tests() -> list[tuple[str, str]]:
    return re.findall(r"`((?:tests|host)/[\w/]+\.py)::(\w+)`", (REPO / "tests" / "testplan.md").read_text())


def test_every_test_of_the_plan_exists() -> None:
    assert len(named_tests()) > 10
    for path, function in named_tests():
        module = ast.parse((REPO / path).read_text())
        assert function in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}, path


def test_every_case_names_a_test() -> None:
    rows = [
        line for line in (REPO / "tests" / "testplan.md").read_text().splitlines() if line.startswith("| ")
    ]
    assert all(re.search(r"::\w+`", row) for row in rows[2:])
