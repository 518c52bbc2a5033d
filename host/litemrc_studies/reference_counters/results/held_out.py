# SPDX-License-Identifier: BSD-2-Clause
"""The self-tuned counters on held-out traces, for `reference_counters.py`.

Generated traces are drawn at random; some threaded programs are used only here.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from litemrc.traces.generators.parallel import PAPER_REFERENCES
from litemrc.traces.recorder.recording import Recording
from litemrc.traces.shared import open_shared_trace
from litemrc_studies.reference_counters.machine.numa import (
    NumaMachine,
    NumaReferences,
    NumaSimulation,
    best,
    read_references,
)
from litemrc_studies.reference_counters.results.programs import COUNTS, GOAL, PAIR, ROOT
from litemrc_studies.reference_counters.results.programs import PROCESSORS as PAPER_PROCESSORS

from scripts.docs.page_tables import markdown, percent

MOST_REFERENCES = 16_000_000
PROCESSORS = (16, 32, 64, 128)
SEED, EACH = 2, 3  # of the draw; traces of each generator
# Threads and rounds. The first three programs appear in no other table.
RECORDED = {
    "lu": ((64, 3), (16, 3)),
    "bodies": ((64, 6), (16, 6)),
    "table": ((64, 4), (16, 12)),
    "search": ((32, 4),),
    "ocean": ((32, 12),),
    "sort": ((32, 3),),
    "fft": ((16, 4),),
}
# A trace in which the self-tuned counters misjudge early copies, and one in which they do not: words between
# the samples of weather's means.
MISJUDGED = "gen:weather?n={}&seed=1&processors=16&side=128&layers=32&table=1024&apart={}"
MISJUDGED_LENGTH, MISJUDGED_PAGE = 5_000_000, 2048


@dataclass(frozen=True)
class Comparison:
    """NAMC divided by that of the best fixed pair, by page size.

    Attributes
    ----------
    tuned
        of the self-tuned counters.
    paper
        of the paper's pair.
    """

    name: str
    references: int
    tuned: tuple[float, ...]
    paper: tuple[float, ...]


def misjudged(part: float) -> dict[str, str]:
    """Return the self-tuned counters' copies and NAMC in the misjudged trace and its neighbour."""
    found = {}
    for names, apart in (
        (("copies-apart-32", "namc-apart-32"), 32),
        (("copies-apart-48", "namc-apart-48"), 48),
    ):
        with open_shared_trace(MISJUDGED.format(round(MISJUDGED_LENGTH * part), apart)) as trace:
            references = read_references(trace)
        run = NumaSimulation(references, NumaMachine(16, MISJUDGED_PAGE)).run("self-tuned")
        assert run.counts is not None  # only the optimum has none
        found |= dict(zip(names, (f"{run.counts.replications:,}", f"{run.namc:.2f}"), strict=True))
    return found


def compared(pages: Sequence[int], part: float) -> list[Comparison]:
    """Compare all traces, cut to `part` of their lengths."""
    return [_compared(name, references, pages) for name, references in _traces(part)]


def distribution(comparisons: Sequence[Comparison]) -> tuple[str, list[str]]:
    """Return a table of both policies over all traces and page sizes, and how often each is close."""
    rows = []
    for label, of in (("self-tuned", "tuned"), (f"{PAIR}", "paper")):
        ratios = np.array([ratio for one in comparisons for ratio in getattr(one, of)])
        quantiles = [percent(value) for value in np.quantile(ratios, (0.1, 0.5, 0.9, 1))]
        rows.append([label, f"{np.count_nonzero(ratios <= GOAL)} of {ratios.size}", *quantiles])
    heads = ["against the best pair", f"within {GOAL - 1:.0%}", "10th percentile"]
    heads += ["median", "90th percentile", "maximum"]
    return markdown(heads, rows), [row[1] for row in rows]


def each_of(comparisons: Sequence[Comparison], pages: Sequence[int]) -> str:
    """Return a table of the self-tuned counters, one row per trace."""
    rows = []
    for one in comparisons:
        cells = [percent(ratio) if ratio <= GOAL else f"**{percent(ratio)}**" for ratio in one.tuned]
        rows.append([one.name, f"{one.references / 1e6:.1f}", *cells])
    return markdown(["", "references, millions", *(f"{size // 1024} KiB" for size in pages)], rows)


def _traces(part: float) -> Iterator[tuple[str, NumaReferences]]:
    for url in drawn_urls(SEED, EACH, part):
        with open_shared_trace(url) as trace:
            program, _, query = url.removeprefix("gen:").partition("?")
            values = dict(pair.split("=") for pair in query.split("&"))
            shown = " ".join(f"{name} {value}" for name, value in values.items() if name not in ("n", "seed"))
            yield f"{program}: {shown}", read_references(trace)
    for program, runs in RECORDED.items():
        for threads, rounds in runs:
            arguments = [str(threads), str(max(1, round(rounds * part)))]
            recording = Recording([ROOT / f"host/litemrc_studies/shared/threads/{program}.c"], arguments)
            with closing(recording.chunks()) as chunks:
                yield f"{program}.c: threads {threads}", read_references(chunks)


def _compared(name: str, references: NumaReferences, pages: Sequence[int]) -> Comparison:
    tuned, paper = [], []
    for page_bytes in pages:
        simulation = NumaSimulation(references, NumaMachine(references.processor_count, page_bytes))
        runs = simulation.sweep(COUNTS, (0, *COUNTS))
        least = best([*runs, *simulation.sweep((0,))]).namc  # DELAY 0: no replication
        tuned.append(simulation.run("self-tuned").namc / least)
        pair = next(run for run in runs if (run.delay, run.update) == PAIR)
        paper.append(pair.namc / least)
    print(f"held out: {name}", flush=True)
    return Comparison(name, len(references), tuple(tuned), tuple(paper))


def drawn_urls(seed: int, each: int, part: float = 1.0) -> list[str]:
    """Return URLs of generated traces: `each` per program, with random sizes, lengths and processor counts.

    A processor makes half to twice as many references as in the paper's programs, up to a total of
    MOST_REFERENCES.
    """
    draw = random.Random(seed)
    urls = []
    for program, paper in PAPER_REFERENCES.items():
        for _ in range(each):
            processors = draw.choice(PROCESSORS)
            length = paper // PAPER_PROCESSORS * processors * 2 ** draw.uniform(-1, 1)
            values = {
                "n": round(min(length, MOST_REFERENCES) * part),
                "seed": draw.randrange(1 << 16),
                "processors": processors,
                **_sizes(program, draw),
            }
            urls.append(f"gen:{program}?" + "&".join(f"{name}={value}" for name, value in values.items()))
    return urls


def _sizes(program: str, draw: random.Random) -> dict[str, float]:
    def between(low: int, high: int) -> int:
        return round(low * (high / low) ** draw.random())

    if program == "fft":
        return {"side": draw.choice((64, 128, 256))}
    if program == "simple":
        return {
            "side": draw.choice((128, 256, 512)),
            "variables": draw.randint(10, 14),
            "table": between(128, 8192),
        }
    if program == "weather":
        return {
            "side": draw.choice((128, 256, 512)),
            "layers": draw.choice((8, 16, 32)),
            "table": between(128, 8192),
            "apart": draw.choice((16, 32, 64, 128)),
        }
    words = draw.choice((1 << 18, 1 << 19, 1 << 20))
    return {
        "words": words,
        "focus": between(128, 4096),
        "phase": between(5_000, 60_000),
        "share": round(draw.uniform(0.4, 0.7), 2),
        "own": round(draw.uniform(0.05, 0.2), 2),
        "consult": round(draw.uniform(0.01, 0.1), 2),
        "boards": between(words // 256, words // 32),
        "writes": round(draw.uniform(0.03, 0.3), 2),
    }
