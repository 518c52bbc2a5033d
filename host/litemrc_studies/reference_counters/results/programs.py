# SPDX-License-Identifier: BSD-2-Clause
"""Programs of reference_counters/page.md, results with each page size, and what the paper reports of them.

Source: "Reference counters", section 2 and conclusions; the values of SPEECH are in its text.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from litemrc.traces.generators.parallel import PAPER_REFERENCES
from litemrc.traces.recorder.recording import Recording
from litemrc.traces.shared import open_shared_trace
from litemrc_studies.reference_counters.machine.numa import (
    NumaMachine,
    NumaReferences,
    NumaRun,
    NumaSimulation,
    best,
    read_references,
)

from scripts.docs.page_tables import percent

ROOT = Path(__file__).resolve().parents[4]
PROCESSORS = 64
SEEDS = {"fft": 1, "simple": 1, "weather": 1, "speech": 1}
PAGES = (1024, 2048, 4096, 8192, 16384)
DELAYS = tuple(1 << power for power in range(14))
FINE = tuple(sorted({round(2 ** (third / 3)) for third in range(40)}))  # for the decades of DELAY
FLAT = (200, 256, 512, 1024, 2048)  # WEATHER: "a large range of initial values (200-2028)"
LOW = FLAT[1:]  # "when the value of the counter is low (256 to 2048)"
COUNTS = tuple(1 << power for power in range(13))  # of pairs, and 0 for UPDATE
SURFACE = tuple(1 << power for power in range(3, 13))  # figure 2: 8 to 4096
RECORDED = {"fft": 8, "ocean": 24, "search": 9, "sort": 4}  # rounds, for about 10 million references
OTHERS = ("self-tuned", "invalidate", "optimum")
GOAL = 1.05  # of the self-tuned counters, times the best pair
SMALL = PAGES[0]
FIRST_TOUCH, BEST_DELAY, BEST_ALONE, BEST_BOTH = 23.0, 512, 6.14, 5.55
PAIR = (64, 32)  # DELAY, UPDATE


@dataclass
class Program:
    """A trace and the results of the protocols, by page size.

    Attributes
    ----------
    singles
        UPD with DELAY only.
    flat
        UPD with DELAY only, for the values in `FLAT`.
    pairs
        UPD with both counters, and without UPDATE.
    fine
        UPD with UPDATE 32 and without, pages of the smallest size, many values of DELAY.
    others
        by protocol.
    """

    name: str
    references: NumaReferences
    singles: dict[int, list[NumaRun]] = field(default_factory=dict)
    flat: dict[int, list[NumaRun]] = field(default_factory=dict)
    pairs: dict[int, list[NumaRun]] = field(default_factory=dict)
    fine: list[NumaRun] = field(default_factory=list)
    others: dict[int, dict[str, NumaRun]] = field(default_factory=dict)

    def single(self, page_bytes: int, delay: int) -> float:
        """Return NAMC with one initial value of DELAY."""
        return next(run.namc for run in self.singles[page_bytes] if run.delay == delay)

    def least(self, page_bytes: int = PAGES[0]) -> NumaRun:
        """Return the run with the best DELAY."""
        return best(self.singles[page_bytes])

    def pair(self, page_bytes: int, delay: int, update: int) -> NumaRun:
        """Return the run of one pair of initial values."""
        return next(run for run in self.pairs[page_bytes] if (run.delay, run.update) == (delay, update))

    def best_pair(self, page_bytes: int) -> NumaRun:
        """Return the best fixed pair, including DELAY alone and no replication."""
        remote = self.others[page_bytes]["always-remote"]
        return best([*self.pairs[page_bytes], *self.singles[page_bytes], remote])


def generated(name: str, part: float = 1.0, **parameters: float) -> NumaReferences:
    """Return the stand-in for a program, cut to `part` of the paper's length.

    Parameters
    ----------
    parameters
        of the generator, in place of its defaults.
    """
    values = {
        "n": round(PAPER_REFERENCES[name] * part),
        "seed": SEEDS[name],
        "processors": PROCESSORS,
        **parameters,
    }
    query = "&".join(f"{key}={value}" for key, value in values.items())
    with open_shared_trace(f"gen:{name}?{query}") as trace:
        return read_references(trace)


def recorded(name: str, part: float = 1.0) -> NumaReferences:
    """Record a threaded program for `part` of its rounds."""
    rounds = max(1, round(RECORDED[name] * part))
    recording = Recording(
        [ROOT / f"host/litemrc_studies/shared/threads/{name}.c"], [str(PROCESSORS), str(rounds)]
    )
    with closing(recording.chunks()) as chunks:
        return read_references(chunks)


def simulated(name: str, references: NumaReferences) -> Program:
    """Run a program under all protocols with all page sizes."""
    program = Program(name, references)
    began = time.monotonic()
    for page_bytes in PAGES:
        simulation = NumaSimulation(references, NumaMachine(PROCESSORS, page_bytes))
        program.singles[page_bytes] = simulation.sweep(DELAYS)
        program.flat[page_bytes] = simulation.sweep(FLAT)
        program.pairs[page_bytes] = simulation.sweep(COUNTS, (0, *COUNTS))
        program.fine = program.fine or simulation.sweep(FINE, (0, 32))
        program.others[page_bytes] = levels(simulation)
        # An invalidate-based protocol fetches pages when they are needed: DELAY 1.
        program.others[page_bytes] |= {other: simulation.run(other, delay=1) for other in OTHERS}
    print(f"{name}: {len(references):,} references, {time.monotonic() - began:.0f} s", flush=True)
    return program


def levels(simulation: NumaSimulation) -> dict[str, NumaRun]:
    """Return protocol UPD without replication and with replication at the first touch, from a sweep."""
    runs = zip(("always-remote", "first-touch"), simulation.sweep((0, 1)), strict=True)
    return {name: replace(run, protocol=name) for name, run in runs}


def megabytes(references: NumaReferences) -> float:
    """Return the size of the words that are touched, in 10^6 bytes."""
    return np.unique(references.words).size * 4 / 1e6


def pair_name(run: NumaRun) -> str:
    """Return the initial values of a run's counters."""
    return f"({run.delay}, {run.update or '-'})"


def size_name(page_bytes: int) -> str:
    """Return a page size in KiB."""
    return f"{page_bytes // 1024} KiB"


def worst(runs: Sequence[NumaRun], least: float) -> float:
    """Return the highest NAMC of the runs, divided by `least`."""
    return max(run.namc for run in runs) / least


Programs = Mapping[str, Program]


def values(programs: Programs) -> dict[str, str]:
    """Return the values of the map, by name."""
    speech, weather = programs["speech"], programs["weather"]
    touches = [speech.others[size]["first-touch"].namc for size in PAGES]
    least = speech.least()
    return {
        "speech-first-touch": span(touches),
        "speech-best": f"{least.namc:.2f} at {least.delay}",
        "speech-doubling": delays(speech),
        "simple-doubling": delays(programs["simple"]),
        "weather-flat": f"at most {percent(flat(weather))}",
        "weather-factor": f"{factor(weather):.1f}",
        "speech-factor": f"{factor(speech):.1f}",
        "fft-flat": flat_by_size(programs["fft"]),
        "speech-pair": f"{speech.pair(SMALL, *PAIR).namc:.2f}",
        "speech-pair-best": best_both(speech)[1],
    }


def span(numbers: Sequence[float]) -> str:
    """Return the range of numbers."""
    return f"{min(numbers):.1f} to {max(numbers):.1f}"


def factor(program: Program) -> float:
    """Return NAMC at first touch over NAMC at the best DELAY, smallest pages."""
    return program.others[SMALL]["first-touch"].namc / program.least().namc


def delays(program: Program) -> str:
    """Return the best DELAY of each page size."""
    return ", ".join(str(program.least(size).delay) for size in PAGES)


def doubles(program: Program) -> bool:
    """Return whether the best DELAY doubles with each page size."""
    delays = [program.least(size).delay for size in PAGES]
    return delays == [delays[0] << step for step in range(len(PAGES))]


def flat(program: Program, sizes: Sequence[int] = PAGES) -> float:
    """Return the highest NAMC at DELAY 200 to 2,048 over the minimum of its page size."""
    return max(worst(program.flat[size], program.least(size).namc) for size in sizes)


def flat_by_size(program: Program) -> str:
    """Return `flat` for the smallest pages and for all."""
    return f"at most {percent(flat(program, PAGES[:1]))} with 1 KiB, {percent(flat(program))} with all"


def best_both(program: Program) -> tuple[float, str]:
    """Return the minimum of figure 2's pairs, and its place."""
    run = best(program.pair(SMALL, delay, update) for delay in SURFACE for update in SURFACE)
    return run.namc, f"{run.namc:.2f} at {pair_name(run)}"
