# SPDX-License-Identifier: BSD-2-Clause
"""Seeds random faults into the host package and reports which of them its tests find.

    python -m scripts.mutants.run                       modules changed since HEAD~1 or not committed
    python -m scripts.mutants.run --base v0.1           modules changed since a commit
    python -m scripts.mutants.run --modules host/litemrc/device --sample 50
    python -m scripts.mutants.run --all --sample 200 --measure
    python -m scripts.mutants.run --again               the survivors of the last run, after tests were added

A fault is tried with the tests that run its line, fastest first, in a copy of the repository under
build/mutants. Which tests run which line is measured once (--measure measures it anew); test files of the
module's room that are newer than that are run whole. Native code and
plots are left out: the native core has seeded faults of its own, plots are looked at. Mutants that change
nothing observable are named in tests/host/equivalent_mutants.toml with the reason, and not counted.
"""

import argparse
import json
import subprocess
import sys
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from queue import Queue
from typing import Any

from scripts.mutants.candidates import Mutant, sample
from scripts.mutants.coverage_map import MAP, CoverageMap, load_map, measure
from scripts.mutants.workspace import BUILD, REPO, STUDIES, Workspace, workspace

PACKAGES = ("host/litemrc", STUDIES)
LEFT_OUT = {"plots", "plots.py", "plot.py", "native", "tests", "results", "bench"}  # folders and files
EQUIVALENT = REPO / "tests" / "host" / "equivalent_mutants.toml"


def main() -> int:
    """Run the mutants, print a table, and store build/mutants/NAME-report.json."""
    args = _arguments()
    modules = _modules(args)
    if not modules and not args.again:
        print("no module of the host package changed")
        return 0
    spaces = [workspace(f"{args.name}{number}") for number in range(args.workers)]
    if args.measure or not MAP.exists():
        print("measuring which tests run which line", flush=True)
        covered = measure(spaces[0])
    else:
        covered = load_map()
    if args.again:
        mutants = [
            Mutant(**each["mutant"]) for each in json.loads(_report_file(args).read_text())["survivors"]
        ]
    else:
        mutants = sample(spaces[0].tree, modules, args.sample, args.seed)
    equivalent = _equivalent()
    lines = {each: each.changed_line(spaces[0].tree) for each in mutants}  # before a workspace is broken
    mutants = [each for each in mutants if (each.module, *lines[each]) not in equivalent]
    free: Queue[Workspace] = Queue()
    for space in spaces:
        free.put(space)
    survivors: list[dict[str, Any]] = []
    tried: Counter[str] = Counter()
    found: Counter[str] = Counter()

    def attempt(mutant: Mutant) -> None:
        space = free.get()
        began = time.monotonic()
        try:
            noticed = _noticed(mutant, space, covered, args.budget)
        finally:
            free.put(space)
        tried[mutant.module] += 1
        found[mutant.module] += noticed
        if not noticed:
            old, new = lines[mutant]
            survivors.append({"mutant": asdict(mutant), "was": old, "became": new})
        verdict = "found" if noticed else "SURVIVED"
        progress = f"{tried.total()}/{len(mutants)}"
        where = f"{mutant.module}:{mutant.line}"
        print(f"{progress} {verdict} {where} {mutant.operator} {time.monotonic() - began:.0f} s", flush=True)

    with ThreadPoolExecutor(args.workers) as pool:
        list(pool.map(attempt, mutants))
    return _report(tried, found, survivors, args)


def _noticed(mutant: Mutant, space: Workspace, covered: CoverageMap, budget_s: float) -> bool:
    # A test file written since the copy was made is not in it, and pytest would fail for that alone.
    tests = [
        test
        for test in covered.tests_of(mutant.module, mutant.line, budget_s)
        if (space.tree / test.partition("::")[0]).exists()
    ]
    if not tests:
        return False
    path = space.tree / mutant.module
    original = path.read_text()
    try:
        path.write_text(mutant.text(space.tree))
        return bool(space.pytest("-x", *tests, timeout=30 + 10 * budget_s))
    finally:
        path.write_text(original)


def _report(
    tried: Counter[str], found: Counter[str], survivors: list[dict[str, Any]], args: argparse.Namespace
) -> int:
    print("\nmodule, mutants found of mutants tried")
    for module in sorted(tried):
        if found[module] < tried[module]:
            print(f"  {module}: {found[module]} of {tried[module]}")
    for each in sorted(survivors, key=str):
        print(f"{each['mutant']['module']}:{each['mutant']['line']}\n  - {each['was']}\n  + {each['became']}")
    share = found.total() / max(tried.total(), 1)
    print(f"found {found.total()} of {tried.total()} ({share:.1%}), seed {args.seed}")
    report = {"found": found.total(), "tried": tried.total(), "share": share, "survivors": survivors}
    _report_file(args).write_text(json.dumps(report, indent=2) + "\n")
    return int(share < args.at_least)


def _report_file(args: argparse.Namespace) -> Path:
    return BUILD / f"{args.name}-report.json"


def _modules(args: argparse.Namespace) -> list[str]:
    command = ["git", "ls-files", "--", *PACKAGES]
    if args.modules:
        command = ["git", "ls-files", "--", *args.modules]
    elif not args.all:
        command = ["git", "diff", "--name-only", "--diff-filter=d", args.base, "--", *PACKAGES]
    files = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout.split()
    return [file for file in files if file.endswith(".py") and not LEFT_OUT & set(file.split("/"))]


def _equivalent() -> set[tuple[str, str, str]]:
    if not EQUIVALENT.exists():
        return set()
    entries = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return {(each["module"], each["was"], each["became"]) for each in entries}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--base", default="HEAD~1", help="mutate modules changed since this commit (%(default)s)"
    )
    which.add_argument("--modules", nargs="+", metavar="PATH", help="mutate these modules or folders")
    which.add_argument("--all", action="store_true", help="mutate the whole host package")
    which.add_argument("--again", action="store_true", help="try the survivors of the last run again")
    parser.add_argument(
        "--name", default="tree", help="of the workspaces and the report, for runs side by side (%(default)s)"
    )
    parser.add_argument("--sample", type=int, default=40, metavar="N", help="mutants to draw (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="mutants tried at once (%(default)s)")
    parser.add_argument(
        "--budget", type=float, default=60.0, metavar="S", help="test time a fault may cost (%(default)s s)"
    )
    parser.add_argument("--measure", action="store_true", help="measure anew which tests run which line")
    parser.add_argument(
        "--at-least", type=float, default=0.0, metavar="SHARE", help="exit code 1 below this share found"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
