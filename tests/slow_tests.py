# SPDX-License-Identifier: BSD-2-Clause
"""The slow tests: those of `make test-all` that `make test` leaves out, listed in slow.csv.

A row is a test, a test function or a file: the number of its tests, their seconds on two cores, the reason:

- seeded faults: the bench must find each; with the right unit it runs in `make test`
- parameters: with others the test runs in `make test`, and finds the same faults (fault_matrix.csv)
- whole system: processor, monitor and software in the RTL, or a whole Linux guest
- long: more seconds than `make test` can spend, building included

    python -m tests.slow_tests JUNIT_XML

renews the seconds from a run with `--junitxml`; prints tests that have become slow, and rows without a test.
"""

import csv
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("slow.csv")
COLUMNS = ("test", "tests", "seconds", "reason")
REASONS = ("seeded faults", "parameters", "whole system", "long")
HUNG_S = 120.0
"""A test that takes longer on a quiet machine hangs, or has its seconds in the table."""
SLOW_S = 4.0


@cache
def rows() -> dict[str, dict[str, str]]:
    """Return the table's rows by their tests."""
    with TABLE.open(newline="") as file:
        return {row["test"]: row for row in csv.DictReader(file)}


def row_of(test: str) -> dict[str, str] | None:
    """Return the row of a test's node id, or None: it runs in `make test`."""
    function = test.split("[")[0]
    return rows().get(test) or rows().get(function) or rows().get(function.split("::")[0])


def limit_s(test: str) -> float:
    """Return the seconds after which a test hangs, on a quiet machine."""
    row = row_of(test)
    return max(HUNG_S, 3 * float(row["seconds"])) if row else HUNG_S


def measured(report: Path) -> Counter[str]:
    """Return the seconds of each row, and of each test function without one, of a JUnit report."""
    seconds: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        test = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}"
        row = row_of(test)
        seconds[row["test"] if row else test.split("[")[0]] += float(case.attrib["time"])
    return seconds


def main() -> int:
    if len(sys.argv) != 2 or not (report := Path(sys.argv[1])).exists():
        print(__doc__, file=sys.stderr)
        return 2
    seconds = measured(report)
    for test, taken in seconds.items():
        if test not in rows() and taken > SLOW_S:
            print(f"{test}: {taken:.1f} s")
    for test in rows().keys() - seconds.keys():
        print(f"{test}: was not run")
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for test, row in rows().items():
            writer.writerow(row | ({"seconds": round(seconds[test])} if test in seconds else {}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
