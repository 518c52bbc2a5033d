# SPDX-License-Identifier: BSD-2-Clause
"""The table of slow tests names tests that exist, and hung tests are ended."""

import ast
import csv
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.slow_tests import HUNG_S, REASONS, limit_s, row_of, rows

REPO = Path(__file__).resolve().parents[1]


def functions(file: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)}


def test_every_row_is_a_test() -> None:
    for test, row in rows().items():
        file, _, function = test.partition("::")
        assert (REPO / file).exists(), file
        assert not function or function.split("[")[0] in functions(REPO / file), test
        assert row["reason"] in REASONS, test


def test_make_test_runs_what_finds_the_seeded_faults() -> None:
    with (REPO / "tests" / "fault_matrix.csv").open(newline="") as file:
        finders = [fault["found by"] for fault in csv.DictReader(file)]
    assert not [test for test in finders if row_of(test)]
    assert sum(map(bool, finders)) >= 0.95 * len(finders)


def test_a_row_is_a_test_a_function_or_a_file() -> None:
    assert row_of("tests/soc/test_device.py::test_any[1]") == rows()["tests/soc/test_device.py"]
    listed = next(test for test in rows() if test.endswith("[1066]"))
    assert row_of(listed) == rows()[listed]
    assert row_of(listed.replace("[1066]", "[800]")) is None
    assert row_of("tests/test_slow_tests.py::test_every_row_is_a_test[a::b]") is None


def test_a_test_may_take_three_times_its_seconds_and_at_least_two_minutes() -> None:
    seconds = float(rows()["tests/linux/test_rtl.py"]["seconds"])
    assert limit_s("tests/linux/test_rtl.py::test_any") == 3 * seconds > HUNG_S
    assert limit_s("tests/test_slow_tests.py::test_any") == HUNG_S == 120


def run_tests(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder with the project's settings."""
    (folder / "conftest.py").write_text((REPO / "conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "-c", REPO / "pyproject.toml", "--rootdir", folder, folder]
    return subprocess.run([*command, *options], capture_output=True, text=True, timeout=100, check=False)


def test_a_file_that_cannot_be_collected_ends_the_run_before_its_first_test(tmp_path: Path) -> None:
    (tmp_path / "test_bad.py").write_text("import there_is_no_such_module\n")
    (tmp_path / "test_good.py").write_text("def test_passes():\n    pass\n")
    done = run_tests(tmp_path, "--numprocesses", "2")
    assert done.returncode == 2
    assert "test_bad.py cannot be collected" in done.stdout and "1 passed" not in done.stdout


def test_a_hung_test_is_ended(tmp_path: Path) -> None:
    hung = """
        import time
        from tests import slow_tests
        slow_tests.HUNG_S = 0.5

        def test_hangs():
            time.sleep(1000)
    """
    (tmp_path / "test_hung.py").write_text(textwrap.dedent(hung))
    done = run_tests(tmp_path)
    assert done.returncode == 1
    assert "Timeout" in done.stdout + done.stderr
