# SPDX-License-Identifier: BSD-2-Clause
"""Rank power at full size: fills the table of docs/ranks.md.

    python -m tests.cosim.rank_results             10 million accesses at each rate, about ten minutes each
    python -m tests.cosim.rank_results --accesses 100000

Every run compares each word read with the word written last, and fails if a DDR3 rule was broken.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scripts.docs.page_tables import fill_tables
from tests.cosim.builder import rank_bench
from tests.cosim.running import counts_of
from tests.products import REPO

RATES = ("800", "1066", "1600")
TRACE_CLOCKS = 3_000_000
SECONDS = 4 * 3600
OUT = REPO / "docs" / "ranks.md"


@dataclass(frozen=True)
class Figures:
    """Counts of one rate's benches, by mode."""

    rate: str
    random: dict[str, float]
    wake: dict[str, float]
    threshold: dict[str, float]
    cost: dict[str, float]
    residency: dict[str, float]
    same_as_litedram: bool


def measure(rate: str, accesses: int) -> Figures:
    """Run every mode at one rate.

    Raises
    ------
    AssertionError
        if a bench finds a difference or a broken rule; its output is in the message.
    """
    bench = rank_bench("power", rate)
    # At DDR3-1600 LiteDRAM's refresher breaks tRAS; only the unit without our repair equals LiteDRAM.
    alike = rank_bench("unrepaired", rate) if rate == "1600" else bench
    traces = [counts_of(b, "trace", 1, TRACE_CLOCKS) for b in (rank_bench("stock", rate), alike)]
    modes = ("wake", "threshold", "cost", "residency")
    return Figures(
        rate,
        counts_of(bench, "random", 1, accesses, seconds=SECONDS),
        *(counts_of(bench, mode) for mode in modes),
        traces[0] == traces[1],
    )


def table(figures: list[Figures]) -> str:
    """Return the figures as a Markdown table, one column per rate."""
    rows = {
        "random accesses": lambda f: f"{f.random['accesses']:,.0f}",
        "words that differ": lambda f: "0",  # the bench would have stopped
        "rules broken": lambda f: f"{f.random['rules_broken']:.0f}",
        "entries into power-down, including those after refreshes": lambda f: (
            f"{f.random['power_downs']:,.0f}"
        ),
        "entries into self-refresh": lambda f: f"{f.random['self_refreshes']:,.0f}",
        "wake-ups by an access": lambda f: f"{f.random['wakes']:,.0f}",
        "DFI under policy none equals LiteDRAM's, cycles compared": lambda f: (
            f"{TRACE_CLOCKS:,}" if f.same_as_litedram else "differs"
        ),
        "read of an awake rank, cycles": lambda f: span(f.wake, "awake"),
        "read of a rank in power-down, cycles": lambda f: span(f.wake, "power_down"),
        "read of a rank in self-refresh, cycles": lambda f: span(f.wake, "self_refresh"),
        "CKE low after the threshold, following a read, cycles": lambda f: span(f.threshold, "read"),
        "the same, following a write, cycles": lambda f: span(f.threshold, "write"),
        "cycles lost by a streaming rank per entry into power-down": lambda f: (
            f"{f.cost['power_down_clocks_an_entry']:.1f}"
        ),
        "cycles lost by a streaming rank per self-refresh": lambda f: (
            f"{f.cost['self_refresh_clocks_an_entry']:.1f}"
        ),
        "share of time an idle rank sent to power-down is in it": lambda f: (
            f"{f.residency['power_down_clocks'] / 1000:.1f} %"
        ),
        "share of time an idle rank sent to self-refresh is in it": lambda f: (
            f"{f.residency['self_refresh_clocks'] / 1000:.1f} %"
        ),
    }
    lines = [
        f"| | {' | '.join(f'DDR3-{f.rate}' for f in figures)} |",
        f"| --- {'| --: ' * len(figures)}|",
        *(f"| {name} | {' | '.join(text(f) for f in figures)} |" for name, text in rows.items()),
    ]
    return "\n".join(lines)


def span(counts: dict[str, float], name: str) -> str:
    """Return minimum and maximum."""
    least, most = (int(counts[f"{name}_{end}"]) for end in ("least", "most"))
    return str(least) if least == most else f"{least} to {most}"


def main() -> int:
    """Measure all rates and fill the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accesses", type=int, default=10_000_000)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    with ThreadPoolExecutor(2) as pool:
        figures = list(pool.map(lambda rate: measure(rate, arguments.accesses), RATES))
    measured = table(figures)
    fill_tables(arguments.out, {"rank-power": measured})
    print(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
