# SPDX-License-Identifier: BSD-2-Clause
"""Draws figures 4 and 5 of panwar2015/page.md and their table: part of `make results-panwar2015`.

The pages that programs with threads reference in 10 ms, recorded by `litemrc trace threads`' recorder. Each
thread has a processor of its own that makes 10 million references per second, such as one in 10 cycles at
100 MHz. The recorder runs the threads in turns; time is the number of references of all of them.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from litemrc.plots.curves import COLOURS, STYLE
from litemrc.plots.files import save_figure
from litemrc.traces.recorder.recording import Recording
from litemrc.traces.shared.chunk import WORD_BYTES
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser

PROGRAMS = ("ocean", "fft", "sort", "table", "search", "lu", "bodies")  # by descending memory
LARGE, SMALL = "ocean", "lu"  # as facesim and swaptions
THREADS = (1, 4, 16, 64)
PER_MS = 10_000  # references of a processor
SAMPLE_MS = 10
BINS = 100  # of the sample
WARM = 1_000_000  # references before the sample: initialization, and more
PAGE_WORDS = 4096 // WORD_BYTES
TURN = 200  # references, a fifth of a bin
ROUNDS = 4000  # more than the sample needs


@dataclass(frozen=True, eq=False)
class Sample:
    """The pages referenced in a sample.

    Attributes
    ----------
    touched
        bool[bins, pages], all pages of the program so far in the order of their addresses.
    """

    program: str
    threads: int
    touched: NDArray[np.bool_]

    @property
    def pages(self) -> int:
        """Return the pages of the program."""
        return self.touched.shape[1]

    @property
    def working_set(self) -> int:
        """Return the pages referenced in the whole sample."""
        return int(self.touched.any(axis=0).sum())

    @property
    def busy(self) -> float:
        """Return the mean number of pages referenced in a bin."""
        return float(self.touched.sum(axis=1).mean())

    @property
    def longest_idle_ms(self) -> float:
        """Return the longest time without a reference to a page, as the mean over the pages."""
        longest = np.zeros(self.pages, np.int64)
        idle = longest.copy()
        for row in self.touched:
            idle = np.where(row, 0, idle + 1)
            longest = np.maximum(longest, idle)
        return float(longest.mean()) * SAMPLE_MS / len(self.touched)


def main() -> None:
    args = page_parser(__doc__, "panwar2015").parse_args()
    samples = {(name, threads): sample(name, threads) for name in PROGRAMS for threads in THREADS}
    for name, number in ((LARGE, 4), (SMALL, 5)):
        figure = sample_figure([samples[name, threads] for threads in THREADS])
        save_figure(figure, args.docs / f"pictures/figure{number}.png")
    page = args.docs / "page.md"
    fill_tables(page, {"working-sets": table(samples.values())})
    fill_values(
        page,
        {
            "figure4": _growth([samples[LARGE, threads] for threads in THREADS]),
            "figure5": _growth([samples[SMALL, threads] for threads in THREADS]),
        },
    )


def sample(program: str, threads: int) -> Sample:
    """Record a program and return its sample.

    Raises
    ------
    ValueError
        if the program ends before its sample does.
    """
    recording = Recording(
        [Path(f"host/litemrc_studies/shared/threads/{program}.c")], [str(threads), str(ROUNDS)], turn=TURN
    )
    count = SAMPLE_MS * PER_MS * threads
    parts = []
    with closing(recording.chunks()) as chunks:
        for chunk in chunks:
            parts.append((chunk.words // np.uint64(PAGE_WORDS)).astype(np.uint32))
            if recording.references >= WARM + count:
                break
        else:
            raise ValueError(f"{program} with {threads} threads has only {recording.references:,} references")
    pages = np.concatenate(parts)[: WARM + count]
    names = np.flatnonzero(np.bincount(pages))
    numbers = np.empty(names[-1] + 1, np.int64)
    numbers[names] = np.arange(len(names))
    touched = np.zeros((BINS, len(names)), bool)
    touched[np.arange(count) * BINS // count, numbers[pages[WARM:]]] = True
    result = Sample(program, threads, touched)
    print(f"{program}, {threads} threads: {result.working_set} of {result.pages} pages", flush=True)
    return result


def table(samples: Iterable[Sample]) -> str:
    rows = [
        (
            f"{each.program}, {each.threads}",
            f"{each.pages}",
            f"{each.working_set}",
            f"{100 * each.working_set / each.pages:.0f}",
            f"{100 * each.busy / each.pages:.0f}",
            f"{each.longest_idle_ms:.1f}",
        )
        for each in samples
    ]
    heads = ["program, threads", "pages", "referenced in 10 ms", "in 10 ms, %", "in 0.1 ms, %"]
    return markdown([*heads, "longest idle time of a page, ms"], rows)


def sample_figure(samples: Sequence[Sample]) -> Figure:
    """Draw the pages referenced over the time of each sample."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.4), dpi=150, layout="constrained")
        panels = figure.subplots(1, len(samples), sharey=True)
        for axes, each in zip(panels, samples, strict=True):
            axes.imshow(
                each.touched.T,
                cmap=ListedColormap(["white", COLOURS[1]]),
                aspect="auto",
                origin="lower",
                extent=(0, SAMPLE_MS, 0, each.pages),
                interpolation="nearest",
            )
            threads = "1 thread" if each.threads == 1 else f"{each.threads} threads"
            axes.set_title(
                f"{threads}\n{each.working_set} of {each.pages} pages\n"
                f"{each.busy / each.pages:.0%} in 0.1 ms",
                fontsize=9,
            )
            axes.set_xlabel("time in ms")
        panels[0].set_ylabel("page of 4 KiB")
    return figure


def _growth(samples: Sequence[Sample]) -> str:
    shares = " / ".join(f"{100 * each.working_set / each.pages:.0f}" for each in samples)
    return f"{shares} % of {samples[0].pages} pages"


if __name__ == "__main__":
    main()
