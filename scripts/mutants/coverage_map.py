# SPDX-License-Identifier: BSD-2-Clause
"""Which tests run which line: pytest-cov's contexts, subprocesses included."""

import json
import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from scripts.mutants.workspace import BUILD, REPO, STUDIES, TESTS, UNFIT, Workspace

MAP = BUILD / "coverage.json"
# Behind the test in a context: pytest-cov's phase, or that of PYTEST_CURRENT_TEST in a subprocess.
_PHASE = re.compile(r"(\|(setup|run|teardown)| \((setup|call|teardown)\))$")
_CONFIGURATION = """\
[run]
source =
    host/litemrc
    host/litemrc_studies
omit =
    host/litemrc_studies/*/tests/*
parallel = true
relative_files = true
patch = subprocess
data_file = %s/.coverage
"""


@dataclass(frozen=True)
class CoverageMap:
    """Tests by line, and how long each takes.

    Attributes
    ----------
    lines
        module -> line number -> node ids of tests that run it.
    seconds
        node id -> seconds.
    """

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def tests_of(self, module: str, line: int, budget_s: float) -> list[str]:
        """Tests that run a line, fastest first, as many as fit into a budget; at least one, if any does.

        A line that only runs on import counts as run by every test that runs any line of the module.
        Files of tests that changed since the measurement come last, whole, if they ran the line or belong to
        the module's package: ids in them may be gone, and which lines new tests run is not known.
        """
        covered = self.lines.get(module, {})
        tests = set(covered.get(line, ()))
        if not tests:
            tests = {test for others in covered.values() for test in others}
        changed = {str(path.relative_to(REPO)) for path in _changed_since(MAP)}
        files = {test.partition("::")[0] for test in tests}
        own = _tests_of_package(module)
        tests = {
            test
            for test in tests
            if (file := test.partition("::")[0]) not in changed and (REPO / file).exists()
        }
        whole = sorted(each for each in changed if each in files or each.startswith(own))
        chosen: list[str] = []
        spent = 0.0
        for test in sorted(tests, key=lambda each: self.seconds.get(each, 1.0)):
            spent += self.seconds.get(test, 1.0)
            if (chosen or whole) and spent > budget_s:
                break
            chosen.append(test)
        return [*chosen, *whole]


def _changed_since(measured: Path) -> list[Path]:
    when = measured.stat().st_mtime
    tests = [*(REPO / "tests/host").rglob("test_*.py"), *(REPO / STUDIES).rglob("test_*.py")]
    return [path for path in tests if path.stat().st_mtime > when]


def _tests_of_package(module: str) -> str:
    if module.startswith(STUDIES):
        return f"{'/'.join(module.split('/')[:3])}/tests/"
    return f"tests/host/{module.removeprefix('host/litemrc/').partition('/')[0]}/"


def load_map() -> CoverageMap:
    """The map measured last.

    Raises
    ------
    FileNotFoundError
        if none was.
    """
    data = json.loads(MAP.read_text())
    lines = {
        module: {
            int(line): [data["tests"][number] for number in numbers] for line, numbers in by_line.items()
        }
        for module, by_line in data["lines"].items()
    }
    return CoverageMap(lines, data["seconds"])


def measure(space: Workspace) -> CoverageMap:
    """Run all tests once under coverage and store the map in build/mutants.

    A test that fails without any fault is named and left out: it could not show that a fault was found.

    Raises
    ------
    RuntimeError
        if the tests cannot be run.
    """
    folder = BUILD / "coverage"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "coveragerc").write_text(_CONFIGURATION % folder)
    code = space.pytest(
        "--numprocesses=2",
        "--dist=loadfile",
        f"--junitxml={folder}/junit.xml",
        "--cov",
        f"--cov-config={folder}/coveragerc",
        "--cov-context=test",
        "--cov-report=",
        f"-m={UNFIT}",
        *TESTS,
    )
    if code not in (0, 1):
        raise RuntimeError(f"the tests cannot be run: {space.tree}.log")
    seconds, failing = _seconds(folder / "junit.xml")
    for test in failing:
        print(f"left out, as it fails without a fault: {test}", flush=True)
    contexts = _contexts(folder, seconds.keys())
    tests = sorted({test for by_line in contexts.values() for each in by_line.values() for test in each})
    numbers = {test: number for number, test in enumerate(tests)}
    stored = {
        "tests": tests,
        "lines": {
            module: {str(line): sorted(numbers[test] for test in each) for line, each in by_line.items()}
            for module, by_line in contexts.items()
        },
        "seconds": seconds,
    }
    MAP.write_text(json.dumps(stored))
    return load_map()


def _contexts(folder: Path, known: Set[str]) -> dict[str, dict[int, set[str]]]:
    found: dict[str, dict[int, set[str]]] = {}
    for file in folder.glob(".coverage*"):
        data = CoverageData(str(file))
        data.read()
        for measured in data.measured_files():
            module = measured if not Path(measured).is_absolute() else str(Path(measured).relative_to(REPO))
            lines = found.setdefault(module, {})
            for line, contexts in data.contexts_by_lineno(measured).items():
                tests = {_PHASE.sub("", context) for context in contexts}
                if tests := tests & known:
                    lines.setdefault(line, set()).update(tests)
    return found


def _seconds(junit: Path) -> tuple[dict[str, float], list[str]]:
    """The seconds of each test that passes, and the tests that fail."""
    passing, failing = {}, []
    for case in ElementTree.parse(junit).iter("testcase"):
        module = case.get("classname", "").replace(".", "/")
        test = f"{module}.py::{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            failing.append(test)
        else:
            passing[test] = float(case.get("time", 0))
    return passing, failing
