"""Tables and figures of docs/results/reference-counters.md: `make results-reference-counters`.

Four generated programs of the length of the paper's, and threaded programs that each run records.
"""

import argparse
import os
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from held_out_counters import compared, distribution, each_of
from litemrc.machines.numa.machine import (
    NumaMachine,
    NumaReferences,
    NumaRun,
    NumaSimulation,
    best,
    read_references,
)
from litemrc.plots.files import save_figure
from litemrc.plots.machines.numa import delay_figure, surface_figure
from litemrc.policies.self_tuned_replication import SelfTuned
from litemrc.traces.generators.parallel import PAPER_REFERENCES
from litemrc.traces.recorder.recording import TURN, Recording
from litemrc.traces.shared import open_shared_trace
from page_tables import fill_tables, markdown, percent

ROOT = Path(__file__).resolve().parents[2]
PROCESSORS = 64
SEEDS = {"fft": 1, "simple": 1, "weather": 1, "speech": 1}
PAGES = (1024, 2048, 4096, 8192, 16384)
DELAYS = tuple(1 << power for power in range(14))
FINE = tuple(sorted({round(2 ** (third / 3)) for third in range(40)}))  # for the decades of DELAY
COUNTS = tuple(1 << power for power in range(13))  # of pairs, and 0 for UPDATE
SURFACE = tuple(1 << power for power in range(3, 13))  # the paper's: 8 to 4096
RECORDED = {"fft": 8, "ocean": 24, "search": 9, "sort": 4}  # rounds, for about 10 million references
OTHERS = ("self-tuned", "always-remote", "first-touch", "invalidate", "optimum")
GOAL = 1.05
# "Reference counters", section 2, SPEECH with pages of 1 KiB, as (DELAY, NAMC): replication at the first
# access is "consistently close to 23", DELAY alone is best at 512, both counters at DELAY 64 and UPDATE 32.
PAPER_DELAY = ((1, 23.0), (512, 6.14))
PAPER_BOTH = {(64, 32): 5.55}


@dataclass
class Program:
    """A trace and the results of the protocols, by page size.

    Attributes:
        singles: UPD with DELAY only.
        pairs: UPD with both counters, and without UPDATE.
        fine: UPD with UPDATE 32 and without, pages of the smallest size, many values of DELAY.
        others: by protocol.
    """

    name: str
    references: NumaReferences
    singles: dict[int, list[NumaRun]] = field(default_factory=dict)
    pairs: dict[int, list[NumaRun]] = field(default_factory=dict)
    fine: list[NumaRun] = field(default_factory=list)
    others: dict[int, dict[str, NumaRun]] = field(default_factory=dict)

    def pair(self, page_bytes: int, delay: int, update: int) -> NumaRun:
        """Return the run of one pair of initial values."""
        return next(run for run in self.pairs[page_bytes] if (run.delay, run.update) == (delay, update))

    def best_pair(self, page_bytes: int) -> NumaRun:
        """Return the best fixed pair, including DELAY alone and no replication."""
        remote = self.others[page_bytes]["always-remote"]
        return best([*self.pairs[page_bytes], *self.singles[page_bytes], remote])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs/results", help="folder (%(default)s)")
    parser.add_argument(
        "--part", type=float, default=1.0, help="share of each program's length, for trials (%(default)s)"
    )
    args = parser.parse_args()
    os.chdir(ROOT)
    programs = {}
    for name in PAPER_REFERENCES:
        programs[name] = _program(name, _generated(name, args.part))
    for name, rounds in RECORDED.items():
        label = f"{name}.c"
        programs[label] = _program(label, _recorded(name, max(1, round(rounds * args.part))))
    _figures(programs, args.docs / "reference-counters")
    tables = {
        "programs": _programs(programs),
        "first": _first(programs),
        "delay": _delays(programs),
        "both": _both(programs),
        "decade": _decade(programs),
        "tuned": _tuned(programs),
        "protocols": _protocols(programs),
        "parameters": _parameters(),
    }
    held_out = compared(PAGES, args.part)
    tables["held-out"], tables["held-out-each"] = distribution(held_out), each_of(held_out, PAGES)
    fill_tables(args.docs / "reference-counters.md", tables)


def _generated(name: str, part: float) -> NumaReferences:
    url = f"gen:{name}?n={round(PAPER_REFERENCES[name] * part)}&seed={SEEDS[name]}&processors={PROCESSORS}"
    with open_shared_trace(url) as trace:
        return read_references(trace)


def _recorded(name: str, rounds: int) -> NumaReferences:
    recording = Recording([ROOT / f"scenarios/threads/{name}.c"], [str(PROCESSORS), str(rounds)])
    with closing(recording.chunks()) as chunks:
        return read_references(chunks)


def _program(name: str, references: NumaReferences) -> Program:
    program = Program(name, references)
    began = time.monotonic()
    for page_bytes in PAGES:
        simulation = NumaSimulation(references, NumaMachine(PROCESSORS, page_bytes))
        program.singles[page_bytes] = simulation.sweep(DELAYS)
        program.pairs[page_bytes] = simulation.sweep(COUNTS, (0, *COUNTS))
        program.fine = program.fine or simulation.sweep(FINE, (0, 32))
        # An invalidate-based protocol fetches pages when they are needed: DELAY 1.
        program.others[page_bytes] = {other: simulation.run(other, delay=1) for other in OTHERS}
    print(f"{name}: {len(references):,} references, {time.monotonic() - began:.0f} s", flush=True)
    return program


def _figures(programs: Mapping[str, Program], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file, names in (
        ("figure1", [name for name in programs if "." not in name]),
        ("figure1-recorded", [name for name in programs if "." in name]),
    ):
        figure = delay_figure({name: _lines(programs[name]) for name in names}, {"speech": PAPER_DELAY})
        save_figure(figure, folder / f"{file}.png")
    speech = programs["speech"].pairs[PAGES[0]]
    drawn = [run for run in speech if (run.delay, run.update) == (1, 0)]
    drawn += [run for run in speech if run.delay in SURFACE and run.update in SURFACE]
    title = "speech, pages of 1 KiB"
    save_figure(surface_figure({title: drawn}, {title: PAPER_BOTH}), folder / "figure2.png")


def _lines(program: Program) -> list[NumaRun]:
    runs = [run for page_bytes in PAGES for run in program.singles[page_bytes]]
    return runs + [program.others[PAGES[0]][name] for name in ("always-remote", "self-tuned", "optimum")]


def _programs(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        references = program.references
        megabytes = np.unique(references.words).size * 4 / 1e6
        rows.append(
            [name, f"{len(references) / 1e6:.2f}", f"{megabytes:.2f}", f"{references.writes.mean():.1%}"]
        )
    return markdown(["program", "references, millions", "words touched, MB", "writes"], rows)


def _first(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        cells = []
        for page_bytes in PAGES:
            others = program.others[page_bytes]
            cells.append(f"{others['first-touch'].namc:.1f} / {others['always-remote'].namc:.1f}")
        rows.append([name, *cells])
    return markdown(["first touch / always remote", *map(_size, PAGES)], rows)


def _delays(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        least = [best(program.singles[page_bytes]) for page_bytes in PAGES]
        rows.append([name, *(f"{run.namc:.2f} at {run.delay}" for run in least)])
    return markdown(["DELAY alone: minimum NAMC", *map(_size, PAGES)], rows)


def _both(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        at = program.pair(PAGES[0], 64, 32)
        single, pair = best(program.singles[PAGES[0]]), program.best_pair(PAGES[0])
        rows.append(
            [
                name,
                f"{single.namc:.3f} at {single.delay}",
                f"{at.namc:.3f}",
                percent(at.namc / single.namc),
                f"{pair.namc:.3f} at {_pair_name(pair)}",
            ]
        )
    heads = ["1 KiB", "DELAY alone, best", "both at (64, 32)", "difference", "best pair"]
    return markdown(heads, rows)


def _decade(programs: Mapping[str, Program]) -> str:
    """Return the decade of DELAY in which both counters stay nearest to the best pair."""
    rows = []
    for name, program in programs.items():
        both = {run.delay: run.namc for run in program.fine if run.update}
        alone = {run.delay: run.namc for run in program.fine if not run.update}
        spans = [
            [delay for delay in FINE if low <= delay <= 10 * low] for low in FINE if 10 * low <= FINE[-1]
        ]
        span = min(spans, key=lambda span: max(both[delay] for delay in span))
        least = program.best_pair(PAGES[0]).namc
        rows.append(
            [
                name,
                f"{span[0]} to {10 * span[0]}",
                percent(max(both[delay] for delay in span) / least),
                percent(max(alone[delay] for delay in span) / min(alone.values())),
            ]
        )
    heads = ["1 KiB", "DELAY", "UPDATE 32: at most above the best pair", "DELAY alone: above its own best"]
    return markdown(heads, rows)


def _tuned(programs: Mapping[str, Program]) -> str:
    rows = []
    met = every = 0
    for name, program in programs.items():
        cells = []
        for page_bytes in PAGES:
            pair, tuned = program.best_pair(page_bytes), program.others[page_bytes]["self-tuned"]
            ratio = tuned.namc / pair.namc
            met, every = met + (ratio <= GOAL), every + 1
            text = f"{tuned.namc:.2f}, {percent(ratio)}"
            cells.append(text if ratio <= GOAL else f"**{text}**")
        rows.append([name, *cells])
        rows.append(["", *(f"{_pair_name(program.best_pair(size))}" for size in PAGES)])
    summary = f"Within {GOAL - 1:.0%} or better: {met} of {every}" + (
        "." if met == every else "; the others are in bold."
    )
    return markdown(["self-tuned, against the best pair", *map(_size, PAGES)], rows) + f"\n\n{summary}"


def _protocols(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        others = program.others[PAGES[0]]
        pair = program.best_pair(PAGES[0])
        cells = [f"{others[other].namc:.2f}" for other in ("always-remote", "first-touch", "invalidate")]
        rows.append(
            [
                name,
                *cells,
                f"{best(program.singles[PAGES[0]]).namc:.2f}",
                f"{pair.namc:.2f}",
                f"{others['self-tuned'].namc:.2f}",
                f"{others['optimum'].namc:.2f}",
            ]
        )
    heads = ["1 KiB", "always remote", "first touch", "invalidate", "best DELAY", "best pair", "self-tuned"]
    return markdown([*heads, "optimum"], rows)


def _parameters() -> str:
    costs = NumaMachine().costs
    rows = [
        ("processors", f"{PROCESSORS}; the first to touch a page is its home"),
        ("pages", ", ".join(_size(size) for size in PAGES) + f"; words of {costs.word_bytes} bytes"),
        (
            "costs, cycles",
            f"local access {costs.local_access}, remote read {costs.remote_read}, remote write"
            f" {costs.remote_write}, update {costs.update}, word transfer {costs.word_transfer}, page fault"
            f" {costs.page_fault}",
        ),
        ("DELAY alone", f"{DELAYS[0]} to {DELAYS[-1]:,}, powers of two"),
        ("pairs", f"DELAY and UPDATE {COUNTS[0]} to {COUNTS[-1]:,}, powers of two, and without UPDATE"),
        ("generated", "`gen:NAME`, seeds " + ", ".join(f"{name} {seed}" for name, seed in SEEDS.items())),
        (
            "recorded",
            f"[scenarios/threads](../../scenarios/README.md), {PROCESSORS} threads,"
            f" turns of {TURN} references; rounds "
            + ", ".join(f"{name} {rounds}" for name, rounds in RECORDED.items()),
        ),
        ("self-tuned", f"counters of {SelfTuned.counter_bits} bits; no other parameters"),
    ]
    return markdown(["", ""], rows)


def _pair_name(run: NumaRun) -> str:
    return f"({run.delay}, {run.update or '-'})"


def _size(page_bytes: int) -> str:
    return f"{page_bytes // 1024} KiB"


if __name__ == "__main__":
    main()
