# SPDX-License-Identifier: BSD-2-Clause
"""Tables of glass1997/page.md of further traces: part of `make results-glass1997`."""

from collections.abc import Sequence
from pathlib import Path

from litemrc.native.exact_stack import ExactStack
from litemrc.traces import open_trace
from litemrc_studies.glass1997.machine.memories import Replay, replay
from litemrc_studies.glass1997.policies import Clock, Lru, Opt, Policy, Seq

from scripts.docs.page_tables import fill_tables, page_parser

CAPTURED = ("grid.inout.zst", "grid.parquet", "sort.parquet", "bzip2.parquet", "python.parquet")
GENERATED = (
    "gen:sweeps?pages=20000&regions=1&n=600000",
    "gen:sweeps?pages=20000&regions=1&turn=1&n=600000",
    "gen:sweeps?pages=20000&regions=16&n=600000",
    "gen:zipf?pages=20000&n=600000",
)
TRAILING = Seq(distance=80)  # after caches, write-backs trail a sweep by 64 pages (see the page)


def main() -> None:
    parser = page_parser(__doc__, "glass1997")
    parser.add_argument("--traces", type=Path, default=Path("tests/data/traces"), help="folder (%(default)s)")
    args = parser.parse_args()
    table = _local_table([*(args.traces / name for name in CAPTURED), *GENERATED])
    fill_tables(args.docs / "page.md", {"local": table})


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
        name = trace.name if isinstance(trace, Path) else trace
        for size in sizes:
            lru, clock, opt, seq, trailing = (
                faults.get((policy, size)) for policy in (Lru(), Clock(), Opt(), Seq(), TRAILING)
            )
            counts = [footprint, size, lru, clock, opt, seq]
            cells = [f"`{name}`", *("-" if count is None else f"{count:,}" for count in counts)]
            cells += [f"{seq / lru:.3f}", f"{seq / opt:.3f}", f"{trailing:,}"]
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
