"""Measures the stack engines; writes tables of docs/engines.md and docs/drops.svg.

    make engine-results

Accuracy comes from the C++ of hls/, rates from the Verilated RTL; all numbers depend on seeds only, not on
the machine. `make pnr` writes the page's other tables.
"""

from pathlib import Path

from builder import Sizes, accuracy, rtl_bench
from litemrc.plots.curves import INK, STYLE
from matplotlib import rc_context
from matplotlib.figure import Figure
from page_tables import fill_tables
from products import REPO
from running import output_of

BOARD = Sizes(frames=65536, groups=64, contexts=8)  # 256 MB
ACCURACY_ACCESSES, RATE_ACCESSES = 10_000_000, 3_000_000
PATTERNS = {
    "uniform": "random pages",
    "loop": "all pages in turn",
    "one_bank": "random pages of one bank",
}
PER_MILLE = (700, 750, 800, 825, 850, 875, 900, 925, 950, 975, 990, 995, 1000)
PAGE = REPO / "docs" / "engines.md"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; all columns but the first are right-aligned."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])


def accuracy_table() -> str:
    """Error of bucket_stack's curves over synthetic traces."""
    rows = []
    for line in output_of(accuracy(BOARD), ACCURACY_ACCESSES).splitlines():
        trace, _, mean, largest, _, groups_off, renumberings = line.split()
        rows.append([trace, f"{float(mean):.6f}", f"{float(largest):.5f}", groups_off, renumberings])
        print("accuracy", *rows[-1], flush=True)
    return table(["trace", "mean error", "largest error", "largest error, groups", "renumberings"], rows)


def drops() -> dict[str, list[float]]:
    """Share of the accesses that found the queue full, by pattern, a value for each rate."""
    bench = rtl_bench("rate", "bucket_stack", BOARD)
    shares: dict[str, list[float]] = {}
    for pattern in PATTERNS:
        for rate in PER_MILLE:
            counts = dict(
                line.split() for line in output_of(bench, pattern, rate, RATE_ACCESSES).splitlines()
            )
            shares.setdefault(pattern, []).append(int(counts["dropped"]) / RATE_ACCESSES)
            print("drops", pattern, rate, shares[pattern][-1], flush=True)
    return shares


def drop_table(shares: dict[str, list[float]]) -> str:
    """The same numbers as a table."""
    rows = [
        [
            f"{rate / 1000:g}",
            *(f"{shares[pattern][n]:.3%}" if shares[pattern][n] else "0" for pattern in PATTERNS),
        ]
        for n, rate in enumerate(PER_MILLE)
    ]
    return table(["accesses per cycle", *PATTERNS.values()], rows)


def draw_drops(shares: dict[str, list[float]], path: Path) -> None:
    """Draw the share of dropped accesses over the arrival rate."""
    with rc_context(STYLE):
        figure = Figure(figsize=(8, 3.4), layout="constrained")
        axes = figure.subplots()
        for (pattern, label), marker in zip(PATTERNS.items(), "os^", strict=True):
            percents = [100 * share for share in shares[pattern]]
            axes.plot([rate / 1000 for rate in PER_MILLE], percents, marker=marker, label=label)
        axes.axvline(0.995, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xlabel("accesses per cycle")
        axes.set_ylabel("dropped, %")
        axes.grid(axis="y")
        axes.legend(loc="upper left")
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    shares = drops()
    draw_drops(shares, PAGE.with_name("drops.svg"))
    fill_tables(PAGE, {"accuracy": accuracy_table(), "drops": drop_table(shares)})


if __name__ == "__main__":
    main()
