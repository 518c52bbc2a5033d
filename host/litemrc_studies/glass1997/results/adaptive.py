# SPDX-License-Identifier: BSD-2-Clause
"""Adaptive SEQ beside LRU, SEQ and OPT in glass1997/page.md: part of `make results-glass1997`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from litemrc.curves.sizes import MIB
from litemrc.plots.files import save_figure
from litemrc.traces import Chunk, Trace, open_trace
from litemrc.traces.trace import PAGE_BYTES
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.plots import draw_policy
from litemrc_studies.glass1997.policies import Lru, OnlinePolicy, Opt, Seq, SeqAdaptive
from litemrc_studies.glass1997.results.pictures import grid
from litemrc_studies.glass1997.results.programs import OF_PAPER, PROGRAMS, fault_log, pages_of
from litemrc_studies.glass1997.results.unseen import UNSEEN, UnseenTrace
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser, percent

TRACES = Path("tests/data/traces")
CAPTURED = ("grid", "sort", "bzip2", "bzip2-900k", "gcc", "python")
SWEEPS = {
    "sweep": "gen:sweeps?pages=8000&regions=1&n=160000",
    "sweep up and down": "gen:sweeps?pages=8000&regions=1&turn=1&n=160000",
    "16 sweeps": "gen:sweeps?pages=8000&regions=16&n=160000",
}
MIXES = {  # zipf references, every `period`-th one of a sweep over `loop_pages` further pages
    "mix 1": "gen:zipf+stream?pages=8000&loop_pages=2000&period=4&n=300000",
    "mix 2": "gen:zipf+stream?pages=4000&loop_pages=1000&period=10&n=300000",
    "mix 3": "gen:zipf+stream?pages=8000&alpha=0.7&loop_pages=4000&period=2&n=300000",
}
PHASE_CHANGE = {  # pages of a loop, and of the one that follows it over other pages
    "phase change": (2600, 3400),
    "phase change, longer": (5000, 5200),
    "phase change, shorter": (900, 300),
}
OTHERS = {"zipf": "gen:zipf?pages=8000&n=300000", "lists": "gen:lists?pages=8000&n=300000"}
GENERATED = {**SWEEPS, **MIXES, **OTHERS}
SHARES = np.arange(1, 10) / 10  # of the pages
POLICIES = (Lru(), Seq(), SeqAdaptive(), Opt())
# Traces and shares of their pages at which SEQ is better or worse than LRU.
WHY = (
    ("mix 1", 0.2),
    ("mix 1", 0.5),
    ("mix 3", 0.5),
    ("mix 3", 0.8),
    ("grid", 0.5),
    ("sort", 0.7),
    ("bzip2", 0.7),
    ("gnuplot", 0.5),
)
APART = 64  # pages
MORE = 0.05  # the goal: no more faults than so much above LRU


class PhaseChange(Trace):
    """One of `PHASE_CHANGE`, twelve rounds of each loop."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._lengths = PHASE_CHANGE[name]

    def __iter__(self) -> Iterator[Chunk]:
        first, second = self._lengths
        for begin, pages in ((0, first), (first, second)):
            yield Chunk(np.tile(np.arange(begin, begin + pages, dtype=np.uint64), 12))


@dataclass(frozen=True, eq=False)
class Compared:
    """A trace in memories of several sizes.

    Attributes
    ----------
    sizes
        in pages.
    faults
        [policy, size], with cold faults; the policies are `POLICIES`.
    """

    name: str
    pages: int
    sizes: Sequence[int]
    faults: NDArray[np.int64]

    def to_lru(self, policy: int) -> NDArray[np.float64]:
        """Return the faults of a policy as a share of LRU's, for each size."""
        return self.faults[policy] / self.faults[0]

    def to_seq(self) -> float:
        """Return the largest ratio of adaptive SEQ to SEQ, of sizes at which SEQ is not worse than LRU."""
        wins = self.faults[1] <= self.faults[0]
        return float((self.faults[2] / self.faults[1])[wins].max(initial=1))


def main() -> None:
    docs = page_parser(__doc__, "glass1997").parse_args().docs
    programs = [_compared(program.title, lambda path=program.path: open_trace(path)) for program in PROGRAMS]
    further = [
        _compared(name, lambda name=name: open_trace(_opened(name))) for name in (*CAPTURED, *GENERATED)
    ]
    further += [_compared(name, lambda name=name: PhaseChange(name)) for name in PHASE_CHANGE]
    unseen = [_compared(name, lambda name=name: UnseenTrace(name)) for name in UNSEEN]
    print("why SEQ is worse than LRU", flush=True)
    tables = {
        "adaptive": _table([*programs, *further]),
        "adaptive-unseen": _table(unseen),
        "adaptive-why": _why(),
    }
    fill_tables(docs / "page.md", tables)
    fill_values(docs / "page.md", _values(programs, further) | _unseen_values(unseen))
    save_figure(_curves(programs), docs / "pictures/adaptive.png")
    save_figure(_curves(further), docs / "pictures/adaptive-further.png")


def _opened(name: str) -> Path | str:
    if name in CAPTURED:
        return TRACES / f"{name}.parquet"
    return GENERATED[name] if name in GENERATED else OF_PAPER[name].path


def _compared(name: str, opened: Callable[[], Trace]) -> Compared:
    print(f"adaptive SEQ: {name}", flush=True)
    with opened() as trace:
        pages = pages_of(trace).size
        sizes = sorted({max(int(share * pages), trace.minimum_pages) for share in SHARES})
    with opened() as trace:
        counts = replay(trace, trace, POLICIES, sizes).counts
    faults = np.array([count.faults for count in counts]).reshape(len(POLICIES), -1)
    return Compared(name, pages, sizes, faults)


def _table(traces: Sequence[Compared]) -> str:
    heads = [
        "trace",
        "pages",
        "LRU's faults in half of them, or the minimum",
        "SEQ / LRU",
        "adaptive / LRU",
        "OPT / LRU",
    ]
    heads += [
        "all sizes: largest SEQ / LRU",
        "largest adaptive / LRU",
        "least SEQ / LRU",
        "least adaptive / LRU",
    ]
    heads += ["largest adaptive / SEQ where SEQ wins"]
    rows = []
    for of in traces:
        half = int(np.searchsorted(of.sizes, of.pages // 2 - 1))
        rows.append(
            [
                f"{of.name}: `{GENERATED[of.name]}`" if of.name in GENERATED else of.name,
                f"{of.pages:,}",
                f"{of.faults[0, half]:,}",
                *(f"{of.to_lru(policy)[half]:.3f}" for policy in (1, 2, 3)),
                *(f"{of.to_lru(policy).max():.3f}" for policy in (1, 2)),
                *(f"{of.to_lru(policy).min():.3f}" for policy in (1, 2)),
                f"{of.to_seq():.3f}",
            ]
        )
    return markdown(heads, rows)


def _values(programs: Sequence[Compared], further: Sequence[Compared]) -> dict[str, str]:
    every = [*programs, *further]
    sweeps = [of for of in further if of.name in SWEEPS]
    beside_best = np.concatenate([of.faults[2] / of.faults[:2].min(axis=0) for of in every])
    ratios = {policy: np.concatenate([of.to_lru(policy) for of in every]) for policy in (1, 2)}
    over = {policy: np.count_nonzero(each > 1 + MORE) for policy, each in ratios.items()}
    near = sum(of.to_seq() <= 1 + MORE for of in every)
    return {
        "adaptive-seq-to-lru": _largest(every, lambda of: of.to_lru(1).max()),
        "adaptive-to-lru": _largest(every, lambda of: of.to_lru(2).max()),
        "adaptive-to-seq": _largest(every, lambda of: of.to_seq()),
        "adaptive-over": f"{over[2]} of {ratios[2].size} (SEQ: {over[1]})",
        "adaptive-mean": f"{np.exp(np.mean(np.log(beside_best))):.3f}",
        "adaptive-near": f"{near} of {len(every)}",
        "adaptive-sweeps": ", ".join(
            f"{of.name}: {percent((of.faults[2] / of.faults[1]).max())}" for of in sweeps
        ),
    }


def _unseen_values(unseen: Sequence[Compared]) -> dict[str, str]:
    ratios = {policy: np.concatenate([of.to_lru(policy) for of in unseen]) for policy in (1, 2)}
    over = {policy: np.count_nonzero(each > 1 + MORE) for policy, each in ratios.items()}
    near = sum(of.to_seq() <= 1 + MORE for of in unseen)
    beside_best = np.concatenate([of.faults[2] / of.faults[:2].min(axis=0) for of in unseen])
    return {
        "unseen-over": f"{over[2]} of {ratios[2].size} (SEQ: {over[1]})",
        "unseen-to-lru": _largest(unseen, lambda of: of.to_lru(2).max()),
        "unseen-seq-to-lru": _largest(unseen, lambda of: of.to_lru(1).max()),
        "unseen-near": f"{near} of {len(unseen)}",
        "unseen-to-seq": _largest(unseen, lambda of: of.to_seq()),
        "unseen-mean": f"{np.exp(np.mean(np.log(beside_best))):.3f}",
    }


def _largest(traces: Sequence[Compared], ratio: Callable[[Compared], float]) -> str:
    worst = max(traces, key=ratio)
    return f"{percent(ratio(worst))} ({worst.name})"


def _why() -> str:
    """Return a table: SEQ's evictions from sequences, and which of its hits and faults LRU lacks."""
    heads = ["trace", "memory", "SEQ / LRU", "evictions from sequences", f"at faults over {APART} pages away"]
    heads += ["at cold faults", "faults that LRU lacks", "hits that LRU lacks"]
    rows = []
    for name, share in WHY:
        with open_trace(_opened(name)) as trace:
            size = round(share * pages_of(trace).size)
        seq, lru = _log(name, Seq(), size), _log(name, Lru(), size)
        evicts = seq.from_sequence
        apart = np.abs(seq.pages.astype(np.int64) - seq.victims.astype(np.int64)) > APART
        both = _common(seq, lru)
        rows.append(
            [
                name,
                f"{size:,}",
                f"{len(seq) / len(lru):.2f}",
                f"{np.count_nonzero(evicts):,}",
                *(
                    f"{100 * (np.count_nonzero(evicts & each) / np.count_nonzero(evicts)):.0f} %"
                    for each in (apart, seq.cold)
                ),
                f"{len(seq) - both:,}",
                f"{len(lru) - both:,}",
            ]
        )
    return markdown(heads, rows)


def _log(name: str, policy: OnlinePolicy, size: int) -> FaultLog:
    with open_trace(_opened(name)) as trace:
        return fault_log(trace, trace, policy, size)


def _common(one: FaultLog, other: FaultLog) -> int:
    """Return how many faults two policies have in common, at the same time on the same page."""
    pairs = [np.stack([log.times, log.pages], axis=1) for log in (one, other)]
    return len(one) + len(other) - np.unique(np.concatenate(pairs), axis=0).shape[0]


def _curves(traces: Sequence[Compared]) -> Figure:
    """Draw faults as a share of LRU's over memory size."""

    def draw(axes: Axes, number: int) -> None:
        of = traces[number]
        for place, policy in enumerate(POLICIES):
            points = list(zip(of.sizes, of.to_lru(place).tolist(), strict=True))
            draw_policy(axes, policy.name, points, PAGE_BYTES, small=True)
        axes.grid(axis="y")
        axes.set_title(of.name)
        axes.set_xlim(0, of.pages * PAGE_BYTES / MIB)
        axes.set_ylim(bottom=0)

    return grid(len(traces), draw, "memory in MiB", "page faults / LRU's")


if __name__ == "__main__":
    main()
