# SPDX-License-Identifier: BSD-2-Clause
"""Proves all, and breaks all with seeded faults: a table, build/formal/summary.json, docs/formal.md.

    python -m tests.formal                 everything
    python -m tests.formal Intake Event    proofs whose names contain one of these words

Exit code 1 if a property does not hold, a case of it is not reached, or a fault is not found.
"""

import json
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Lock

from tests.formal.catalogue import PROOFS
from tests.formal.checking import Row, breaks, check
from tests.formal.engine import BUILD, REPO, Verdict
from tests.formal.faults import MUTANTS
from tests.formal.faults.mutant import Mutant, built

PAGE = REPO / "docs" / "formal.md"
HEADS = ("unit", "property", "parameters", "holds in", "its cases: reached in cycle", "seconds")
_elaborating = Lock()  # a fault is patched into modules: one proof is elaborated at a time


def _proved(proof) -> list[Row]:
    rows = []
    for row in check(proof, _elaborating):
        print(f"{row.unit}: {row.property}: {row.method}, {row.seconds:.1f} s", flush=True)
        rows.append(row)
    return rows


def _found(numbered: tuple[int, Mutant]) -> Verdict:
    number, mutant = numbered
    verdict = breaks(lambda: built(mutant), BUILD / "mutants" / str(number), mutant.breaks, _elaborating)
    found = verdict.kind == "reached"
    print(f"fault {'found' if found else 'NOT FOUND'} after {verdict.seconds:.1f} s: {mutant}", flush=True)
    return verdict


def main(words: list[str]) -> int:
    """Run the chosen proofs and their faults, two at once."""
    start = time.monotonic()
    proofs = [proof for proof in PROOFS if not words or any(word in proof.__name__ for word in words)]
    faults = [(at, mutant) for at, mutant in enumerate(MUTANTS) if mutant.proof in proofs]
    with ThreadPoolExecutor(2) as pool:
        proving, finding = pool.map(_proved, proofs), pool.map(_found, faults)
        rows, verdicts = list(chain.from_iterable(proving)), list(finding)
    found = [verdict.kind == "reached" for verdict in verdicts]
    seconds = time.monotonic() - start
    print("\n" + table(rows))
    good = sum(row.holds for row in rows)
    print(f"\n{good} of {len(rows)} hold; {sum(found)} of {len(found)} faults found; {seconds:.0f} s")
    if not words:
        summary = {
            "seconds": round(seconds),
            "faults": len(found),
            "faults_found": sum(found),
            "goals": [row.as_dict() for row in rows],
        }
        (BUILD / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")
        if good == len(rows) and all(found):
            from scripts.docs.page_tables import fill_tables

            fill_tables(PAGE, {"proofs": table(rows), "faults": _sentence(rows, verdicts, seconds)})
    return int(good < len(rows) or not all(found))


def _sentence(rows: list[Row], faults: list[Verdict], seconds: float) -> str:
    bounded = sum(row.method.startswith("bounded") for row in rows)
    unbounded = len(rows) - bounded
    depths = sorted(Counter(fault.depth for fault in faults).items())
    found = ", ".join(f"{count} within {depth} cycles" for depth, count in depths)
    return (
        f"{unbounded} of {len(rows)} properties are proved in all reachable states, {bounded} are bounded.\n"
        f"All {len(faults)} seeded faults were found: {found}, the latest in cycle "
        f"{max(fault.frame for fault in faults)}. The whole run took {seconds:.0f} seconds on 2 cores."
    )


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    lines = ["| " + " | ".join(HEADS) + " |", "| --- | --- | --- | --- | --- | --: |"]
    for row in rows:
        cases = "; ".join(
            f"{name}: {'NOT REACHED' if cycle is None else cycle}" for name, cycle in row.cases.items()
        )
        cells = (row.unit, row.property, row.parameters, row.method, cases, f"{row.seconds:.1f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
