# SPDX-License-Identifier: BSD-2-Clause
"""Measures the stack engines; writes tables of docs/engines.md and docs/drops.svg.

    make engine-results

Accuracy comes from the C++ of hls/, rates from the Verilated RTL; all numbers depend on seeds only, not on
the machine. `make pnr` writes the page's other tables.
"""

from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from litemrc.plots.curves import INK, STYLE
from matplotlib import rc_context
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, fill_values, values_of
from tests.cosim.builder import Sizes, accuracy, rtl_bench
from tests.cosim.running import output_of
from tests.products import REPO

BOARD = Sizes(frames=65536, groups=64, contexts=8)  # 256 MB
GROUP_PAGES = BOARD.frames // BOARD.groups
ACCURACY_ACCESSES, RATE_ACCESSES = 10_000_000, 3_000_000
SEARCHED = 400  # pairs of loops
PATTERNS = {
    "uniform": "random pages",
    "loop": "all pages in turn",
    "one_bank": "random pages of one bank",
}
PER_MILLE = (700, 750, 790, 800, 825, 850, 875, 900, 925, 950, 975, 990, 995, 1000)
PAGE = REPO / "docs" / "engines.md"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; all columns but the first are right-aligned."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])


@dataclass(frozen=True)
class Errors:
    """A line of `bench/accuracy.cpp`.

    Attributes
    ----------
    mean, largest
        difference of the miss ratio to the exact one, over all sizes, and at one.
    groups_off
        the most groups that the position of an access was off.
    beyond_quarter, beyond_half
        what remains of `largest` if sizes may be displaced by this part of a
        group.
    displaced
        pages by which sizes must be displaced for at most 0.001 to remain.
    """

    trace: str
    mean: float
    largest: float
    groups_off: int
    renumberings: int
    beyond_quarter: float
    beyond_half: float
    displaced: int


def errors(*mode: object) -> list[Errors]:
    """Run the bench over one of its sets of traces."""
    return errors_of(output_of(accuracy(BOARD), ACCURACY_ACCESSES, *mode, seconds=3600))


def errors_of(output: str) -> list[Errors]:
    """Read the lines of the bench."""
    each = []
    for line in output.splitlines():
        trace, _, mean, largest, _, groups_off, renumberings, quarter, half, displaced = line.split()
        each.append(
            Errors(
                trace,
                float(mean),
                float(largest),
                int(groups_off),
                int(renumberings),
                float(quarter),
                float(half),
                int(displaced),
            )
        )
    return each


def quarter_values(each: list[Errors]) -> dict[str, str]:
    """What remains of the errors beyond a displacement of a quarter of a group, over all pairs."""
    beyond = [error.beyond_quarter for error in each]
    return {
        "quarter-two-loops": f"{quantiles(beyond, n=20, method='inclusive')[-1]:.3f}",
        "quarter-share-two-loops": f"{sum(error < 0.01 for error in beyond) / len(beyond):.0%}",
    }


def accuracy_table() -> str:
    """Error of bucket_stack's curves over synthetic traces."""
    rows = []
    for error in errors():
        rows.append([error.trace, f"{error.mean:.6f}", f"{error.largest:.5f}"])
        rows[-1] += [f"{error.groups_off}", f"{error.displaced / GROUP_PAGES:.2f}", f"{error.renumberings}"]
        print("accuracy", *rows[-1], flush=True)
    heads = ["trace", "mean error", "largest error at one size", "most groups an access is off"]
    return table([*heads, "displacement, groups", "renumberings"], rows)


def two_loops() -> tuple[str, dict[str, str]]:
    """Error over pairs of interleaved loops: the table, and the values that pages quote."""
    print("two loops ...", flush=True)
    kinds: dict[str, list[Errors]] = {}
    for error in errors("loops"):
        kinds.setdefault(error.trace.rsplit("_", 2)[0], []).append(error)
    every = [error for kind in kinds.values() for error in kind]
    (found,) = errors("search", SEARCHED)
    names = {kind: kind.replace("_", " ") for kind in kinds}
    rows = [[names[kind], *_summary(each)] for kind, each in kinds.items()]
    rows.append([f"**all {len(every)}**", *_summary(every)])
    rows.append([f"worst of a search over {SEARCHED}: `{found.trace}`", *_summary([found])])
    heads = ["two loops", "mean error, median", "largest error, median", "worst"]
    heads += ["worst beyond 1/4 group", "beyond 1/2", "displacement in groups, median", "worst"]
    values = {
        "worst-two-loops": f"{max(error.largest for error in every):.2f}",
        "median-two-loops": f"{median(error.largest for error in every):.3f}",
        "displaced-two-loops": f"{max(error.displaced for error in every) / GROUP_PAGES:.2f}",
        "worst-searched": f"{found.largest:.2f}",
        **quarter_values(every),
    }
    return table(heads, rows), values


def _summary(each: list[Errors]) -> list[str]:
    displaced = [error.displaced / GROUP_PAGES for error in each]
    return [
        f"{median(error.mean for error in each):.6f}",
        f"{median(error.largest for error in each):.3f}",
        f"{max(error.largest for error in each):.3f}",
        f"{max(error.beyond_quarter for error in each):.3f}",
        f"{max(error.beyond_half for error in each):.3f}",
        f"{median(displaced):.2f}",
        f"{max(displaced):.2f}",
    ]


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
        # Lines that coincide remain visible: each is narrower than the ones below it, with other dashes.
        looks = zip("os^", (4.5, 2.6, 1.2), ("-", "--", ":"), strict=True)
        for (pattern, label), (marker, width, dashes) in zip(PATTERNS.items(), looks, strict=True):
            percents = [100 * share for share in shares[pattern]]
            axes.plot(
                [rate / 1000 for rate in PER_MILLE],
                percents,
                marker=marker,
                markersize=4 + 1.5 * width,
                markerfacecolor="none",
                linewidth=width,
                linestyle=dashes,
                label=label,
            )
        axes.axvline(0.995, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xlabel("accesses per cycle")
        axes.set_ylabel("dropped, %")
        axes.grid(axis="y")
        axes.legend(loc="upper left")
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    pairs, values = two_loops()
    fill_tables(PAGE, {"accuracy": accuracy_table(), "two-loops": pairs})
    for page in (PAGE, REPO / "README.md"):
        fill_values(page, {name: text for name, text in values.items() if name in values_of(page)})
    shares = drops()
    draw_drops(shares, PAGE.with_name("drops.svg"))
    fill_tables(PAGE, {"drops": drop_table(shares)})


if __name__ == "__main__":
    main()
