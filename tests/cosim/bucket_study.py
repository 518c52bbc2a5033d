# SPDX-License-Identifier: BSD-2-Clause
"""Errors of bucket_stack over pairs of loops by other rules; writes a table of docs/engines.md and a chart.

    make bucket-study       -> docs/sub-buckets.svg

A variant is the C++ of hls/ with some texts replaced. It is compiled with hls/small_int, which is
faster. Fewer accesses suffice to compare variants.
"""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from litemrc.golden.monitor.bucket_stack import bucket_ids
from litemrc.plots.curves import STYLE
from matplotlib import rc_context
from matplotlib.figure import Figure

from scripts.docs.page_tables import fill_tables, markdown
from tests.cosim.builder import COSIM, TRUE_SOURCES, run_tool
from tests.cosim.engine_results import BOARD, GROUP_PAGES, PAGE, Errors, errors_of
from tests.cosim.running import output_of

ACCESSES = 1_000_000
SMALL = 0.01  # error beyond a quarter of a group


@dataclass(frozen=True)
class Variant:
    """Buckets of a part of a group, and where a page lies in a bucket that no loop empties."""

    name: str
    parts: int = 2
    place: str = "pages >> 1"

    @property
    def page_bits(self) -> int:
        """Return the bits of a page's word: an id, one of its two buckets, and the generation."""
        return (bucket_ids(self.parts * BOARD.groups // 2, BOARD.contexts) - 1).bit_length() + 2

    def replacements(self) -> list[tuple[str, str, str]]:
        """Return file, text and what replaces it."""
        parts = self.parts
        return [
            ("bucket_stack.hpp", "width_of(2 * (GROUPS +", f"width_of(2 * ({parts} * GROUPS / 2 +"),
            ("loop_front.hpp", "GROUP_PAGES > 1 ? GROUP_PAGES / 2 : 1", f"GROUP_PAGES / {parts}"),
            ("loop_front.hpp", "return pages >> 1;", f"return {self.place};"),
        ]


RANDOM = "pages_t((random_ = random_ * 1103515245u + 12345u, (uint64_t(random_ >> 16) * int(pages)) >> 16))"
VARIANTS = (
    Variant("buckets of a whole group", parts=1),
    Variant("of half a group, as the engine has"),
    Variant("of half a group, a random place", place=RANDOM),
    Variant("of a quarter", parts=4),
)


def measure(variant: Variant) -> list[Errors]:
    """Return the errors of a variant over the pairs of loops."""
    with tempfile.TemporaryDirectory() as folder:
        hls = Path(folder, "hls")
        shutil.copytree(TRUE_SOURCES.hls, hls)
        for file, old, new in variant.replacements():
            path = hls / "bucket_stack" / file
            text = path.read_text()
            if old not in text:
                raise ValueError(f"{file} lacks {old!r}")
            path.write_text(text.replace(old, new))
        front = hls / "bucket_stack" / "loop_front.hpp"
        front.write_text(
            front.read_text().replace("  private:\n", "  private:\n    uint32_t random_ = 1;\n", 1)
        )
        sources = [COSIM / "bench" / "accuracy.cpp", hls / "bucket_stack" / "bucket_stack.cpp"]
        flags = [
            "-std=c++17",
            "-O2",
            "-w",
            "-include",
            "deque",
            f"-I{hls}",
            "-isystem",
            str(hls / "small_int"),
        ]
        run_tool(["g++", *flags, *BOARD.defines, *sources, "-o", Path(folder, "accuracy")])
        return errors_of(output_of(Path(folder, "accuracy"), ACCESSES, "loops", seconds=3600))


def draw(found: dict[Variant, list[Errors]], path: Path) -> None:
    """Draw the 95 % quantiles of the errors over the bits of a page."""
    with rc_context(STYLE):
        figure = Figure(figsize=(8, 3.4), layout="constrained")
        axes = figure.subplots()
        middles = [variant for variant in found if variant.place == "pages >> 1"]
        others = [variant for variant in found if variant not in middles]
        for attribute, label, marker in (
            ("largest", "at one size", "o"),
            ("beyond_quarter", "beyond 1/4 group", "s"),
        ):
            for variants, filled, suffix in ((middles, True, ""), (others, False, ", random place")):
                axes.plot(
                    [variant.page_bits for variant in variants],
                    [np.quantile([getattr(each, attribute) for each in found[v]], 0.95) for v in variants],
                    marker=marker,
                    linestyle="-" if filled else "none",
                    markerfacecolor=None if filled else "none",
                    label=label + suffix,
                )
        axes.set_xlabel("bits per page")
        axes.set_xticks(sorted({variant.page_bits for variant in found}))
        axes.set_ylabel("largest error, 95 % of the pairs")
        axes.set_ylim(bottom=0)
        axes.grid(axis="y")
        axes.legend()
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    found = {}
    rows = []
    for variant in VARIANTS:
        each = found[variant] = measure(variant)
        largest, beyond = [error.largest for error in each], [error.beyond_quarter for error in each]
        rows.append(
            [variant.name, f"{variant.page_bits}", f"{np.quantile(largest, 0.95):.3f}", f"{max(largest):.3f}"]
        )
        rows[-1] += [f"{np.quantile(beyond, 0.95):.3f}", f"{np.mean(np.array(beyond) < SMALL):.0%}"]
        rows[-1] += [f"{max(error.displaced for error in each) / GROUP_PAGES:.2f}"]
        print(*rows[-1], flush=True)
    heads = ["rule", "bits per page", "largest error, 95 % of the pairs", "worst"]
    heads += ["beyond 1/4 group, 95 %", "pairs below 0.01", "worst displacement in groups"]
    fill_tables(PAGE, {"bucket-study": markdown(heads, rows)})
    draw(found, PAGE.with_name("sub-buckets.svg"))


if __name__ == "__main__":
    main()
