# SPDX-License-Identifier: BSD-2-Clause
"""Repeats tests on a busy machine and reports how often each one failed.

    python -m tests.stress --runs 20 --load 8 tests/linux/driver/test_epochs.py -k reader

All other arguments are pytest's. The output of a run with failures stays in the folder `--out`.
Exit status: 0 without a failure, 1 with one or if the time limit ended a run, 2 if nothing could be run.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(10**5))"
TESTS_FAILED = 1  # of pytest's exit codes; 2 and more: it could not run them
CONFIDENCE = 0.95


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep so many processes busy; each ends with the block, or with this process."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@dataclass
class Tally:
    """Results of all runs: by test, how often it ran and how often it failed."""

    runs: int = 0
    ran: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    def add(self, report: Path) -> None:
        """Count a run; report: of `pytest --junit-xml`. An error of a fixture is a failure of its test."""
        self.runs += 1
        results: dict[str, bool] = {}
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("skipped") is None:
                name = f"{case.get('classname')}::{case.get('name')}"
                failed = any(case.find(kind) is not None for kind in ("failure", "error"))
                results[name] = results.get(name, False) or failed
        self.ran.update(results.keys())
        self.failed.update(name for name, failed in results.items() if failed)

    def lines(self) -> list[str]:
        """Return the table of failures, then the sum."""
        rows = [
            f"{count:4} of {self.ran[name]:4} {100 * count / self.ran[name]:6.1f} %  {name}"
            for name, count in self.failed.most_common()
        ]
        total = f"{len(self.ran)} tests, {self.runs} runs, {len(self.failed)} tests failed at least once"
        if self.runs and not rows:
            most = 1 - (1 - CONFIDENCE) ** (1 / self.runs)
            total += f"; with {CONFIDENCE:.0%} confidence a run fails in less than {most:.1%}"
        return [*rows, total]


def run_once(arguments: list[str], report: Path, log: Path, seconds: float) -> int | None:
    """Run pytest; return its exit code, or None if it was ended after n seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}"]
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, *arguments], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            return process.wait(seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)  # with the simulators and guests that it started
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise


def stress(arguments: list[str], runs: int, load: int, limit_s: float, out: Path) -> int:
    """Run the tests `runs` times; return the exit status."""
    out.mkdir(parents=True, exist_ok=True)
    tally, end, status = Tally(), time.monotonic() + limit_s, 0
    try:
        with busy_processes(load):
            for number in range(1, runs + 1):
                report, log = out / f"run-{number}.xml", out / f"run-{number}.log"
                report.unlink(missing_ok=True)
                began = time.monotonic()
                code = run_once(arguments, report, log, end - began)
                if code is None:
                    print(f"run {number}: ended by the limit of {limit_s / 60:g} min; see {log}", flush=True)
                    status = 1
                    break
                if code > TESTS_FAILED:
                    print(log.read_text(), end="")
                    return 2
                tally.add(report)
                verdict = f"failures, see {log}" if code else "passed"
                print(f"run {number} of {runs}: {time.monotonic() - began:.0f} s, {verdict}", flush=True)
                if not code:
                    log.unlink()
    except KeyboardInterrupt:
        status = 130
    print("\n".join(tally.lines()))
    return status or int(bool(tally.failed))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--runs", type=int, default=20, help="how often (default: 20)")
    parser.add_argument("--load", type=int, default=8, help="busy processes beside the tests (default: 8)")
    parser.add_argument(
        "--limit", type=float, default=60, metavar="MIN", help="time for all runs (default: 60)"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build/stress", help="folder of reports and outputs"
    )
    options, arguments = parser.parse_known_args()
    if not arguments or options.runs < 1 or options.load < 0:
        parser.error("name tests, at least 1 run, and a load of at least 0")
    return stress(arguments, options.runs, options.load, 60 * options.limit, options.out)


if __name__ == "__main__":
    sys.exit(main())
