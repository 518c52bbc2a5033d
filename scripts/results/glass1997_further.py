"""Tables of docs/results/glass1997.md of further traces: part of `make results-glass1997`."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from litemrc.machines.replacement.memories import Replay, replay
from litemrc.machines.replacement.round_robin import Scheduling, run_together
from litemrc.native.exact_stack import ExactStack
from litemrc.plots.files import save_figure
from litemrc.plots.machines.replacement import PagingPoint, fault_rate_figure, interfault_figure
from litemrc.plots.mrc import mrc_figure
from litemrc.plots.traces import space_time_figure
from litemrc.policies.replacement import POLICIES, Clock, Lru, Opt, Policy, Seq
from litemrc.traces import open_trace
from litemrc.traces.space_time import space_time
from litemrc.traces.summary import Summary
from litemrc.traces.trace import PAGE_BYTES
from page_tables import fill_tables

SHOWN = "grid.inout.zst"
SHOWN_SIZES = range(100, 1101, 50)
CAPTURED = (SHOWN, "grid.parquet", "sort.parquet", "bzip2.parquet", "python.parquet")
GENERATED = (
    "gen:sweeps?pages=20000&regions=1&n=600000",
    "gen:sweeps?pages=20000&regions=1&turn=1&n=600000",
    "gen:sweeps?pages=20000&regions=16&n=600000",
    "gen:zipf?pages=20000&n=600000",
)
MIXES = (
    (SHOWN, "python.parquet"),
    (SHOWN, SHOWN),
    ("sort.parquet", "bzip2.parquet"),
    (SHOWN, "sort.parquet", "bzip2.parquet"),
)
TRAILING = Seq(distance=80)  # after caches, write-backs trail a sweep by 64 pages (see the page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--traces", type=Path, default=Path("tests/data/traces"), help="folder (%(default)s)")
    parser.add_argument("--docs", type=Path, default=Path("docs/results"), help="folder (%(default)s)")
    args = parser.parse_args()
    _draw(args.traces / SHOWN, args.docs / "glass1997")
    tables = {
        "local": _local_table([*(args.traces / name for name in CAPTURED), *GENERATED]),
        "global": _global_table([[args.traces / name for name in mix] for mix in MIXES]),
    }
    fill_tables(args.docs / "glass1997.md", tables)


def _draw(trace: Path, folder: Path) -> None:
    """Draw the four pictures of one program."""
    policies = [Lru(), Opt(), Seq()]
    result = _replayed(trace, policies, SHOWN_SIZES)
    points = [
        PagingPoint(count.policy.name, count.memory_pages, count.faults - count.cold_faults, result.duration)
        for count in result.counts
    ]
    summary = Summary()
    with open_trace(trace) as chunks:
        for chunk in chunks:
            summary.add(chunk)
    with open_trace(trace) as chunks:
        graph = space_time(chunks, summary, rows=400, columns=800)
    unit = "instructions"  # counted by `litemrc trace capture`; not stated in IN/OUT records
    style = {"page_bytes": PAGE_BYTES, "time_unit": unit}
    figures = {
        "space_time": space_time_figure(graph, **style),
        "miss_ratio": mrc_figure([replace(result.curve, page_bytes=PAGE_BYTES)]),
        "fault_rate": fault_rate_figure(points, **style),
        "interfault": interfault_figure(points, **style),
    }
    for name, figure in figures.items():
        figure.set_dpi(150)
        save_figure(figure, folder / f"{name}.png")


def _replayed(trace: Path | str, policies: Sequence[Policy], sizes: Sequence[int]) -> Replay:
    with open_trace(trace) as opened:
        return replay(opened, opened, policies, sizes)


def _local_table(traces: Sequence[Path | str]) -> str:
    lines = [
        "| trace | pages | memory | LRU | CLOCK | OPT | SEQ | SEQ / LRU | SEQ / OPT | SEQ, M = 80 |",
        "| --- " * 10 + "|",
    ]
    for trace in traces:
        footprint = _footprint(trace)
        sizes = [footprint * share // 8 for share in (2, 4, 6)]
        clock = [] if str(trace).endswith(".inout.zst") else [Clock()]
        result = _replayed(trace, [Lru(), *clock, Opt(), Seq(), TRAILING], sizes)
        faults = {(count.policy, count.memory_pages): count.faults for count in result.counts}
        name = trace.name if isinstance(trace, Path) else trace.replace("&n=600000", "")
        for size in sizes:
            lru, clock, opt, seq, trailing = (
                faults.get((policy, size)) for policy in (Lru(), Clock(), Opt(), Seq(), TRAILING)
            )
            counts = [footprint, size, lru, clock, opt, seq]
            cells = [f"`{name}`", *("-" if count is None else f"{count:,}" for count in counts)]
            cells += [f"{seq / lru:.3f}", f"{seq / opt:.3f}", f"{trailing:,}"]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _global_table(mixes: Sequence[Sequence[Path]]) -> str:
    names = ["lru", "seq"]
    lines = [
        "| programs | memory |"
        + "".join(f" {name.upper()}: faults | {name.upper()}: time |" for name in names),
        "| --- " * (2 + 2 * len(names)) + "|",
    ]
    for mix in mixes:
        pages = sum(_footprint(trace) for trace in mix)
        for size in (pages // 4, pages // 2):
            cells = [" + ".join(trace.name.split(".")[0] for trace in mix), f"{size:,}"]
            for name in names:
                openers = [lambda trace=trace: open_trace(trace) for trace in mix]
                result = run_together(openers, POLICIES[name](), size, Scheduling())
                cells += [f"{result.faults:,}", f"{result.time / 1e6:,.0f}"]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _footprint(trace: Path | str) -> int:
    stack = ExactStack()
    with open_trace(trace) as opened:
        for chunk in opened:
            stack.access(chunk.pages)
    return stack.footprint_pages


if __name__ == "__main__":
    main()
