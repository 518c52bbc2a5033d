# SPDX-License-Identifier: BSD-2-Clause
"""Tries the one line of `add_monitor` on stock targets or on yours: a table, and build/targets/summary.json.

    python -m scripts.targets.elaborate                      all cases of matrix.py, and docs/targets.md
    python -m scripts.targets.elaborate versa sqrl           those whose names contain one of these words
    python -m scripts.targets.elaborate digilent_arty_s7 path/of/my_soc.py [--option sys_clk_freq=80e6]

Each SoC is built in a process of its own, up to its Verilog in memory. Then the controller of each kind of
memory is simulated with masters: the tap has to report exactly the accesses to the arrays of the memory's
model (tap_check.py). Targets whose controllers address the memory alike share a simulation. Exit code 1 if a
target does not elaborate, its frames are not those of its DRAM, or its tap differs; 2 for bad arguments.
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scripts.targets.dram import DRAM
from scripts.targets.matrix import Case, chosen
from scripts.targets.targets_table import fill_page, is_right, markdown_table

REPO = Path(__file__).resolve().parents[2]
SUMMARY = REPO / "build" / "targets" / "summary.json"
_LONGEST_S = 900
_FACTS = "cpu bus memory ratio ranks frames frames_right pages sampling block_rams window elaborated dram"
_UNKNOWN = dict.fromkeys([*_FACTS.split(), "tap_equal", "tap_accesses"])


def elaborated(case: Case) -> dict[str, Any]:
    """Return a row of the summary, without the tap; `elaborated` is None if the processor is not here."""
    row = {"target": case.name, **_UNKNOWN, "tap_note": "not elaborated", "error": None}
    if case.missing:
        row |= {"cpu": case.options["cpu_type"], "tap_note": case.missing}
    else:
        options = {"target": case.target, "options": case.options}
        row |= _run("soc_facts", options, {"elaborated": False})
    outcome = (
        "elaborated" if row["elaborated"] else f"skipped: {case.missing}" if case.missing else row["error"]
    )
    print(f"{case.name}: {outcome}", flush=True)
    return row


def checked(dram: dict[str, Any]) -> dict[str, Any]:
    """Return the tap's part of a row."""
    result = _run("tap_check", dram, {"tap_equal": False})
    result["tap_note"] = result.pop("error", None) or result["tap_note"]
    name = f"{dram['phy']['memtype']} 1:{dram['phy']['nphases']}, {dram['phy']['databits']} bits"
    print(f"tap on {name}: {result['tap_equal']}, {result['tap_note']}", flush=True)
    return result


def _run(script: str, argument: dict[str, Any], failed: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON that a script prints, or `failed` with an `error`."""
    command = [sys.executable, "-m", f"scripts.targets.{script}", json.dumps(argument)]
    try:
        with TemporaryDirectory() as folder:  # some processors write their Verilog where they are built
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=_LONGEST_S,
                check=False,
                cwd=folder,
                env=os.environ | {"PYTHONPATH": str(REPO)},
            )
    except subprocess.TimeoutExpired:
        return failed | {"error": f"{script} takes more than {_LONGEST_S} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        return failed | {"error": reason(done.stderr + done.stdout)}
    return json.loads(lines[-1])


def reason(output: str) -> str:
    """Return the exception of a traceback, with what LiteX logged as an error before it."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    logged = [line.split(":", 2)[2] for line in lines if re.match(r"ERROR:\w+:", line)]
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Exit)\b", line)]
    words = [each.strip() for each in (*logged[-1:], *(raised or lines)[-1:]) if each.strip()]
    return "; ".join(words) or "ended without a message"


def main(arguments: list[str]) -> int:
    """Elaborate the chosen cases and check their taps, two at once; write the summary, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "target", nargs="*", help="a file, a module of litex_boards.targets, a word of the matrix"
    )
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="of the targets' SoC"
    )
    parser.add_argument("--no-tap", action="store_true", help="elaborate only")
    parser.add_argument("--summary", type=Path, default=SUMMARY, metavar="FILE", help="default: %(default)s")
    given = parser.parse_args(arguments)
    try:
        cases = chosen(given.target, dict(map(_option, given.option)))
    except ValueError as error:
        parser.error(str(error))
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(elaborated, cases))
        drams = {} if given.no_tap else {DRAM(**row["dram"]).key: row["dram"] for row in rows if row["dram"]}
        results = dict(zip(drams, pool.map(checked, drams.values()), strict=True))
    for row in rows:
        if dram := row.pop("dram"):
            row |= results.get(DRAM(**dram).key, {"tap_note": "not run"})
    given.summary.parent.mkdir(parents=True, exist_ok=True)
    given.summary.write_text(json.dumps(rows, indent=2) + "\n")
    right = [row for row in rows if is_right(row)]
    skipped = [row for row in rows if row["elaborated"] is None]
    if given.target:
        print("\n" + markdown_table(rows))
    elif len(right) + len(skipped) == len(rows) and not given.no_tap and given.summary == SUMMARY:
        fill_page(rows)
    print(
        f"{len(right)} of {len(rows)} targets elaborate with the right number of frames, {len(skipped)} are "
        f"skipped; the tap equals the memory's arrays on {sum(row['tap_equal'] is True for row in rows)}"
    )
    return int(any(not is_right(row) and row not in skipped for row in rows))


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--option must be NAME=VALUE (got {text!r})")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
