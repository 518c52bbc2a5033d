# SPDX-License-Identifier: BSD-2-Clause
"""Figures 5 to 8 of glass1997/page.md, faults over time: part of `make results-glass1997`."""

from dataclasses import dataclass

import numpy as np
from litemrc.plots.files import save_figure
from litemrc.traces.trace import PAGE_BYTES
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.machine.memories import FaultCount, replay
from litemrc_studies.glass1997.plots import EVICTIONS, FAULTS, faults_figure
from litemrc_studies.glass1997.policies import Seq
from litemrc_studies.glass1997.results.causes import places
from litemrc_studies.glass1997.results.programs import OF_PAPER, PAGE_KB, Program, opened, pages_of

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser

DISTANCES = (5, 10, 20, 30, 40)  # M of the test of applu's share of LRU
SWEPT = 42  # pages that `implicit` touches between two holes


@dataclass(frozen=True)
class Run:
    """A program of the paper under SEQ in one memory.

    Attributes
    ----------
    figures
        numbers of its figures of faults and of evictions.
    share
        of the pages that the memory holds; 50 of 104,488 KB and 10 of 14,524 KB in the paper.
    evictions
        the paper's, from sequences and by LRU, or what it says of them.
    """

    program: Program
    figures: tuple[int, int]
    share: float
    evictions: tuple[str, str]


RUNS = (
    Run(OF_PAPER["es"], (5, 6), 1 / 2, ("all", "0")),
    Run(
        OF_PAPER["applu"],
        (7, 8),
        10 * 1024 / OF_PAPER["applu"].paper.memory,
        ("about 15,000", "about 35,000"),
    ),
)


def main() -> None:
    docs = page_parser(__doc__, "glass1997").parse_args().docs
    rows, values = [], {}
    for run in RUNS:
        print(f"faults of {run.program.title} over time", flush=True)
        size = round(run.share * _pages(run.program))
        count, log = _logged(run.program, size)
        for number, panel in zip(run.figures, (FAULTS, EVICTIONS), strict=True):
            figure = faults_figure(
                log,
                memory_pages=size,
                page_bytes=PAGE_BYTES,
                time_unit="instructions",
                title=run.program.title,
                panels=[panel],
            )
            save_figure(figure, docs / f"pictures/figure{number}.png")
        rows.append(_row(run, size, count, log))
        values |= _values(run, count, log)
    heads = ["program (of the paper)", "memory", "faults, not cold", "evictions from sequences", "by LRU"]
    heads += ["the paper: from sequences", "by LRU", "sequences begun", "at most at one time"]
    tables = {
        "faults-over-time": markdown(heads, rows),
        "applu-distances": _distances(RUNS[1]),
        "applu-places": places(),
    }
    fill_tables(docs / "page.md", tables)
    fill_values(docs / "page.md", values)


def _pages(program: Program) -> int:
    with opened(program) as trace:
        return pages_of(trace).size


def _logged(program: Program, size: int) -> tuple[FaultCount, FaultLog]:
    with opened(program) as trace:
        result = replay(trace, trace, [Seq()], [size], logged=(Seq(), size))
    assert result.log is not None, "it is asked for"
    return result.counts[0], result.log


def _row(run: Run, size: int, count: FaultCount, log: FaultLog) -> list[str]:
    did = count.sequences
    assert did is not None, "the policy is SEQ"
    counts = (np.count_nonzero(~log.cold), did.from_sequences, did.by_lru)
    return [
        run.program.title,
        f"{size:,} pages, {size * PAGE_KB / 1024:.1f} MiB ({100 * (run.share):.0f} %)",
        *(f"{each:,}" for each in counts),
        *run.evictions,
        f"{did.sequences_made:,}",
        f"{did.sequences_most:,}",
    ]


def _values(run: Run, count: FaultCount, log: FaultLog) -> dict[str, str]:
    did = count.sequences
    assert did is not None, "the policy is SEQ"
    share = did.by_lru / (did.from_sequences + did.by_lru)
    split = f"{did.from_sequences:,} from sequences, {did.by_lru:,} by LRU ({100 * share:.0f} %)"
    mirrored = f"{100 * (_on_evicted_from_sequences(log)):.0f} % on pages that SEQ evicted from a sequence"
    if run is RUNS[0]:
        return {"figure5": mirrored, "figure6": split}
    return {"figure7": mirrored, "figure8": split}


def _on_evicted_from_sequences(log: FaultLog) -> float:
    """Return the share of faults, without cold ones, on pages whose last eviction was from a sequence."""
    origin: dict[int, bool] = {}
    mirrored = 0
    columns = (log.pages, log.cold, log.evicts, log.victims, log.from_sequence)
    for page, cold, evicts, victim, of_sequence in zip(*(each.tolist() for each in columns), strict=True):
        mirrored += not cold and origin[page]
        if evicts:
            origin[victim] = of_sequence
    return mirrored / int(np.count_nonzero(~log.cold))


def _distances(run: Run) -> str:
    """Return a table: evictions by LRU, as a share of all, over M."""
    size = round(run.share * _pages(run.program))
    policies = [Seq(length=distance, distance=distance) for distance in DISTANCES]
    with opened(run.program) as trace:
        counts = replay(trace, trace, policies, [size]).counts
    did = [count.sequences for count in counts]
    shares = [each.by_lru / (each.by_lru + each.from_sequences) for each in did if each is not None]
    rows = [
        ["evictions by LRU", *(f"{100 * share:.0f} %" for share in shares)],
        [f"M / {SWEPT}", *(f"{100 * (distance / SWEPT):.0f} %" for distance in DISTANCES)],
        ["faults, not cold", *(f"{count.faults - count.cold_faults:,}" for count in counts)],
    ]
    return markdown(["L = M", *(str(distance) for distance in DISTANCES)], rows)


if __name__ == "__main__":
    main()
