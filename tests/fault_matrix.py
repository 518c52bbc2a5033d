# SPDX-License-Identifier: BSD-2-Clause
"""Which tests of `make test` find the faults that benches are seeded with: tests/fault_matrix.csv.

    python -m tests.fault_matrix [--shard I/N] [--table FILE]

A seeded fault (mutation.py) is one text of a source replaced by another. Here each is seeded into the source
itself, one after another, and the tests that `make test` runs are run as after any change: those of the file
that knows the fault first, then those of its folder. A row of the table is a fault, the first test that fails
with it, and the seconds to find it; tests that seed faults themselves do not count. What the table has
already is not run again. Run it in a clone of its own: sources change under it.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name("fault_matrix.csv")
COLUMNS = ("source", "old", "new", "seeded by", "found by", "seconds")
LIMIT_S = 900
# What `make test` builds before its tests, of these sources; all else the tests build themselves, or import.
BUILT = {"litex-soc/sim_modules": "sim-linux", "host/litemrc/native": "setup"}
COLLECT = "FAULTS_COLLECTED"
# In the names of tests that seed faults, and of few others.
SEEDING = (
    *("mutant", "fault", "caught", "found", "finds", "noticed", "wrong", "not_saved", "not_forwarded"),
    *("exchanged", "forgets", "renumbering"),
)


class SeenError(Exception):
    """Ends a test that has seeded its fault, before anything is built."""


# ---------------------------------------------------------------- a plugin of pytest: -p fault_matrix


def pytest_configure(config) -> None:
    if COLLECT in os.environ:
        from tests import mutation

        mutation.mutated_source = _collected


def _collected(path: Path, old: str, new: str) -> str:
    test = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
    with Path(os.environ[COLLECT]).open("a") as file:
        file.write(json.dumps([str(path), old, new, test]) + "\n")
    raise SeenError


# ---------------------------------------------------------------- the table


def seeded_faults(folder: Path) -> list[tuple[str, str, str, str]]:
    """Source, text, other text and test of each fault of all tests."""
    users = subprocess.run(
        [
            "grep",
            "-rlE",
            "mutated_(source|module)|mutants import|_mutants import",
            "tests",
            "host/litemrc_studies",
            "--include=*.py",
        ],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    tests = [name for name in users if Path(name).name.startswith("test_")]
    seen = folder / "faults.jsonl"
    seen.unlink(missing_ok=True)
    options = ["-q", "--no-header", "-n", "2", "-p", "tests.fault_matrix", "-k", " or ".join(SEEDING)]
    environment = os.environ | {COLLECT: str(seen), "PYTHONPATH": "."}
    subprocess.run(
        ["pytest", *options, *tests], cwd=REPO, env=environment, check=False, stdout=subprocess.DEVNULL
    )
    faults = {}
    for line in seen.read_text().splitlines():
        path, old, new, test = json.loads(line)
        if source := _in_repository(Path(path), old):
            faults.setdefault((source, old, new), test)
    return [(*fault, test) for fault, test in faults.items()]


def _in_repository(path: Path, old: str) -> str | None:
    """The source that a path names, which may be that of a copy."""
    if path.is_relative_to(REPO) and "build" not in path.relative_to(REPO).parts:
        return str(path.relative_to(REPO))
    listed = subprocess.run(
        ["git", "ls-files", f"*{path.name}"], cwd=REPO, capture_output=True, text=True, check=True
    )
    fitting = [name for name in listed.stdout.split() if (REPO / name).read_text().count(old) == 1]
    return fitting[0] if len(fitting) == 1 else None


def first_failure(tests: list[str], without: set[str]) -> str | None:
    """The first test of `make test` among these that fails."""
    report = REPO / "build" / "fault_matrix.txt"
    command = ["pytest", "-q", "-x", "-m", "not slow", "--no-header", "-p", "no:cacheprovider", *tests]
    command += [word for test in sorted(without) for word in ("--deselect", test)]
    with report.open("w") as output:
        try:
            done = subprocess.run(
                command, cwd=REPO, stdout=output, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return f"{tests[0]}: no end after {LIMIT_S} s"
    if done.returncode in (0, 5):
        return None
    failed = [
        line.split()[1] for line in report.read_text().splitlines() if line.startswith(("FAILED ", "ERROR "))
    ]
    return failed[0] if failed else f"{tests[0]}: pytest returned {done.returncode}"


def build_again(source: str) -> None:
    """Build what is made of the source before the tests."""
    for folder, target in BUILT.items():
        if source.startswith(folder):
            subprocess.run(["make", "-s", target], cwd=REPO, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Fill the table; what it has already is not run again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shard", default="0/1", help="of the faults: I/N")
    parser.add_argument("--table", type=Path, default=TABLE)
    arguments = parser.parse_args()
    shard, shards = map(int, arguments.shard.split("/"))
    build = REPO / "build"
    faults = seeded_faults(build)
    seeding = {test.split("[")[0] for *_, test in faults}
    known = set()
    if arguments.table.exists():
        with arguments.table.open(newline="") as file:
            known = {tuple(row[name] for name in COLUMNS[:3]) for row in csv.DictReader(file)}
    else:
        arguments.table.write_text(",".join(COLUMNS) + "\n")
    mine = [fault for fault in faults[shard::shards] if fault[:3] not in known]
    print(f"{len(faults)} faults, {len(mine)} to seed here", flush=True)
    for number, (source, old, new, test) in enumerate(mine, 1):
        path, file = REPO / source, test.split("::")[0]
        text = path.read_text()
        started = time.monotonic()
        try:
            path.write_text(text.replace(old, new))
            build_again(source)
            found = first_failure([file], seeding) or first_failure([str(Path(file).parent)], seeding)
        finally:
            path.write_text(text)
            build_again(source)
        seconds = time.monotonic() - started
        print(f"{number}/{len(mine)} {source}: {found} ({seconds:.0f} s)", flush=True)
        with arguments.table.open("a", newline="") as table:
            csv.writer(table, lineterminator="\n").writerow(
                [source, old, new, test, found or "", f"{seconds:.0f}"]
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
