# SPDX-License-Identifier: BSD-2-Clause
"""References per second through each replacement policy: `make bench-replacement`.

Time is processor time without reading the trace; each figure is the best of the rounds. Each trace is
repeated to at least 5 M references, for one policy and memory size at a time.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from litemrc.traces import open_trace
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.policies import POLICIES, Policy

from bench.memory_trace import InMemory

ROUNDS = 3
REFERENCES = 5_000_000
ZIPF = "gen:zipf?pages=65536&n=5000000"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--traces", type=Path, default=Path("tests/data/traces"), help="folder (%(default)s)")
    args = parser.parse_args()
    print("| M references/s | memory |" + "".join(f" {name} |" for name in POLICIES))
    print("| --- " * (2 + len(POLICIES)) + "|")
    for trace in [*sorted(args.traces.glob("*.parquet")), ZIPF]:
        with open_trace(trace) as opened:
            pages = np.concatenate([chunk.pages for chunk in opened])
        footprint = np.unique(pages).size
        pages = np.tile(pages, -(-REFERENCES // pages.size))
        for size in (footprint // 8, footprint // 2):
            rates = [_rate(pages, policy(), size) for policy in POLICIES.values()]
            name = trace.name if isinstance(trace, Path) else trace
            print(f"| `{name}` | {size:,} |" + "".join(f" {rate / 1e6:.0f} |" for rate in rates))


def _rate(pages: np.ndarray, policy: Policy, size: int) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        trace = InMemory(pages)
        began = time.process_time()
        replay(trace, trace, [policy], [size])
        best = min(best, time.process_time() - began)
    return pages.size / best


if __name__ == "__main__":
    main()
