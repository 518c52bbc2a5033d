# SPDX-License-Identifier: BSD-2-Clause
"""Tables and figures of reference_counters/page.md: `make results-reference-counters`.

Four generated programs of the length of the paper's, and threaded programs that each run records.
"""

from collections.abc import Mapping
from pathlib import Path

from litemrc.plots.files import save_figure
from litemrc.traces.generators.parallel import PAPER_REFERENCES
from litemrc.traces.recorder.recording import TURN
from litemrc_studies.reference_counters.machine.numa import NumaMachine, NumaRun
from litemrc_studies.reference_counters.plots import delay_figure, surface_figure
from litemrc_studies.reference_counters.policies import SelfTuned
from litemrc_studies.reference_counters.results.claims import claims_table
from litemrc_studies.reference_counters.results.held_out import compared, distribution, each_of, misjudged
from litemrc_studies.reference_counters.results.programs import (
    BEST_ALONE,
    BEST_BOTH,
    BEST_DELAY,
    COUNTS,
    DELAYS,
    FINE,
    FIRST_TOUCH,
    FLAT,
    GOAL,
    PAGES,
    PAIR,
    PROCESSORS,
    RECORDED,
    SEEDS,
    SURFACE,
    Program,
    generated,
    megabytes,
    pair_name,
    recorded,
    simulated,
    size_name,
    values,
)
from litemrc_studies.reference_counters.results.varied import half_fft, latency_table, varied_tables

from scripts.docs.page_tables import fill_tables, fill_values, markdown, page_parser, percent

HELD_OUT_PAGES = PAGES[::2]
PAPER_MEGABYTES = {"fft": 0.25, "simple": 2.5, "weather": 5.4, "speech": 2.1}  # table 1(a)


def main() -> None:
    parser = page_parser(__doc__, "reference_counters")
    parser.add_argument(
        "--part", type=float, default=1.0, help="share of each program's length, for trials (%(default)s)"
    )
    args = parser.parse_args()
    papers = {name: simulated(name, generated(name, args.part)) for name in PAPER_REFERENCES}
    ours = {f"{name}.c": simulated(f"{name}.c", recorded(name, args.part)) for name in RECORDED}
    _figures(papers, ours, args.docs / "pictures")
    varied = {name: papers[name].references for name in ("speech", "weather")}
    latency, copies = latency_table(varied)
    claims, claimed = claims_table(papers)
    programs = papers | ours
    tables = {
        "programs": _programs(papers),
        "latency": latency,
        "first": _first(papers),
        "delay": _delays(papers),
        "both": _both(papers),
        "claims": claims,
        "recorded-programs": _programs(ours),
        "recorded-first": _first(ours),
        "recorded-delay": _delays(ours),
        "recorded-both": _both(ours),
        "recorded-decade": _decade(ours)[0],
        "protocols": _protocols(programs),
        "parameters": _parameters(),
    }
    tables |= varied_tables(varied, args.part)
    tables["decade"], decades = _decade(papers)
    tables["tuned"], tuned = _tuned(programs)
    held_out = compared(HELD_OUT_PAGES, args.part)
    tables["held-out"], (held, held_pair) = distribution(held_out)
    tables["held-out-each"] = each_of(held_out, HELD_OUT_PAGES)
    page = args.docs / "page.md"
    fill_tables(page, tables)
    found = {
        "working-sets": ", ".join(f"{megabytes(program.references):.2f}" for program in papers.values()),
        "latency-copies": f"{100 * (copies - 1):.2f} %",
        "tuned-within": tuned,
        "held-out-within": held,
        "held-out-pair": held_pair,
        "speech-tuned": f"{papers['speech'].others[PAGES[0]]['self-tuned'].namc:.2f}",
        "speech-decade": decades["speech"],
        "pair-worse": _pair_worse(programs),
    }
    fill_values(page, values(papers) | claimed | found | half_fft(args.part) | misjudged(args.part))


def _figures(papers: Mapping[str, Program], ours: Mapping[str, Program], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    known = {"(a) speech": ((1, FIRST_TOUCH), (BEST_DELAY, BEST_ALONE))}
    flat = {"(c) weather": (FLAT[0], FLAT[-1])}
    panels = dict(zip("abcd", ("speech", "simple", "weather", "fft"), strict=True))
    lines = {f"({panel}) {name}": _lines(papers[name]) for panel, name in panels.items()}
    save_figure(delay_figure(lines, known, flat), folder / "figure1.png")
    recordings = {name: _lines(program) for name, program in ours.items()}
    save_figure(delay_figure(recordings), folder / "figure1-recorded.png")
    speech = papers["speech"].pairs[PAGES[0]]
    drawn = [run for run in speech if (run.delay, run.update) == (1, 0)]
    drawn += [run for run in speech if run.delay in SURFACE and run.update in SURFACE]
    title = "speech, pages of 1 KiB"
    save_figure(surface_figure({title: drawn}, {title: {PAIR: BEST_BOTH}}), folder / "figure2.png")


def _lines(program: Program) -> list[NumaRun]:
    runs = [run for page_bytes in PAGES for run in program.singles[page_bytes]]
    return runs + [program.others[PAGES[0]][name] for name in ("always-remote", "self-tuned", "optimum")]


def _programs(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        references = program.references
        row = [name, f"{len(references) / 1e6:.2f}", f"{megabytes(references):.2f}"]
        if name in PAPER_MEGABYTES:
            row.append(f"{PAPER_MEGABYTES[name]:g}")
        rows.append([*row, f"{references.writes.mean():.1%}"])
    heads = ["program", "references, millions", "words touched, MB"]
    heads += ["the paper's working set, MB"] if set(programs) <= set(PAPER_MEGABYTES) else []
    return markdown([*heads, "writes"], rows)


def _first(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        cells = []
        for page_bytes in PAGES:
            others = program.others[page_bytes]
            cells.append(f"{others['first-touch'].namc:.1f} / {others['always-remote'].namc:.1f}")
        rows.append([name, *cells])
    return markdown(["first touch / always remote", *map(size_name, PAGES)], rows)


def _delays(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        least = [program.least(page_bytes) for page_bytes in PAGES]
        rows.append([name, *(f"{run.namc:.2f} at {run.delay}" for run in least)])
    return markdown(["DELAY alone: minimum NAMC", *map(size_name, PAGES)], rows)


def _both(programs: Mapping[str, Program]) -> str:
    rows = []
    for name, program in programs.items():
        at = program.pair(PAGES[0], *PAIR)
        single, pair = program.least(), program.best_pair(PAGES[0])
        rows.append(
            [
                name,
                f"{single.namc:.3f} at {single.delay}",
                f"{at.namc:.3f}",
                percent(at.namc / single.namc),
                f"{pair.namc:.3f} at {pair_name(pair)}",
            ]
        )
    heads = ["1 KiB", "DELAY alone, best", "both at (64, 32)", "difference", "best pair"]
    return markdown(heads, rows)


def _pair_worse(programs: Mapping[str, Program]) -> str:
    """Return the programs in which the paper's pair is over 5 % worse than the best DELAY alone."""
    ratios = {
        name: program.pair(PAGES[0], *PAIR).namc / program.least().namc for name, program in programs.items()
    }
    return ", ".join(f"{name} ({percent(ratio)})" for name, ratio in ratios.items() if ratio > GOAL)


def _decade(programs: Mapping[str, Program]) -> tuple[str, dict[str, str]]:
    """Return the decade of DELAY in which both counters stay nearest to the best pair, and its summaries."""
    rows, summaries = [], {}
    for name, program in programs.items():
        both = {run.delay: run.namc for run in program.fine if run.update}
        alone = {run.delay: run.namc for run in program.fine if not run.update}
        spans = [
            [delay for delay in FINE if low <= delay <= 10 * low] for low in FINE if 10 * low <= FINE[-1]
        ]
        span = min(spans, key=lambda span: max(both[delay] for delay in span))
        least = program.best_pair(PAGES[0]).namc
        row = [
            f"{span[0]} to {10 * span[0]}",
            percent(max(both[delay] for delay in span) / least),
            percent(max(alone[delay] for delay in span) / min(alone.values())),
        ]
        rows.append([name, *row])
        summaries[name] = f"DELAY {row[0]}: at most {row[1]} with UPDATE, {row[2]} without"
    heads = ["1 KiB", "DELAY", "UPDATE 32: at most above the best pair", "DELAY alone: above its own best"]
    return markdown(heads, rows), summaries


def _tuned(programs: Mapping[str, Program]) -> tuple[str, str]:
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
        rows.append(["", *(f"{pair_name(program.best_pair(size))}" for size in PAGES)])
    summary = f"Within {GOAL - 1:.0%} or better: {met} of {every}" + (
        "." if met == every else "; the others are in bold."
    )
    table = markdown(["self-tuned, against the best pair", *map(size_name, PAGES)], rows)
    return f"{table}\n\n{summary}", f"{met} of {every}"


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
                f"{program.least().namc:.2f}",
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
        ("pages", ", ".join(size_name(size) for size in PAGES) + f"; words of {costs.word_bytes} bytes"),
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
            f"[shared/threads](../shared/README.md), {PROCESSORS} threads,"
            f" turns of {TURN} references; rounds "
            + ", ".join(f"{name} {rounds}" for name, rounds in RECORDED.items()),
        ),
        ("self-tuned", f"counters of {SelfTuned.counter_bits} bits; no other parameters"),
    ]
    return markdown(["", ""], rows)


if __name__ == "__main__":
    main()
