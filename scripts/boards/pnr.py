# SPDX-License-Identifier: BSD-2-Clause
"""Places and routes all units alone and the ULX3S's SoC with and without the monitor; estimates the Arty's.

    make pnr

Writes build/pnr/summary.json and the tables of docs/engines.md. Fails if a clock misses its target, or if
the Arty's SoC does not fit. What has not changed is not run again.
"""

import json
import sys

from scripts.boards.pnr_catalogue import UNITS
from scripts.boards.pnr_soc import SOCS, SoC, arty_table, estimate_arty, place_and_route_soc, soc_table
from scripts.boards.pnr_units import BUILD, PAGE, Result, build_units, missed, table
from scripts.docs.page_tables import fill_tables

KEYS = ("lut4", "ff", "dp16kd", "fmax_mhz", "target_mhz")


def summary(results: dict[str, Result | SoC]) -> dict[str, dict[str, float]]:
    """Return the figures of each unit and SoC for summary.json."""
    return {name: {key: getattr(result, key) for key in KEYS} for name, result in results.items()}


def wrong_clocks(units: dict[str, Result], socs: dict[str, SoC]) -> list[str]:
    """Return a line for each clock that is too slow."""
    lines = [f"{name}: {what}" for name, result in units.items() if (what := missed(result))]
    return lines + [
        f"{name}: {soc.fmax_mhz:.2f} MHz, {soc.target_mhz:g} asked for"
        for name, soc in socs.items()
        if soc.fmax_mhz < soc.target_mhz
    ]


def main() -> int:
    """Build everything, write summary and tables; the exit code is not 0 if a clock misses its target."""
    BUILD.mkdir(parents=True, exist_ok=True)
    try:
        units = build_units(list(UNITS))
        socs = {}
        for name in SOCS:
            print(f"pnr: {name}", file=sys.stderr, flush=True)
            socs[name] = place_and_route_soc(name)
        print("pnr: estimate for the Arty", file=sys.stderr, flush=True)
        arty = estimate_arty()
    except (RuntimeError, ValueError) as error:
        print(f"pnr: {error}", file=sys.stderr)
        return 1
    (BUILD / "summary.json").write_text(json.dumps(summary(units | socs), indent=2) + "\n")
    tables = {"units": table(units), "soc": soc_table(*socs.values()), "arty": arty_table(arty)}
    fill_tables(PAGE, tables)
    print("\n\n".join(tables.values()))
    wrong = wrong_clocks(units, socs)
    if not arty.fits():
        wrong.append("the Arty's SoC does not fit an A7-35T")
    for line in wrong:
        print(f"pnr: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
