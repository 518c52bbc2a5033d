# SPDX-License-Identifier: BSD-2-Clause
"""Memory and speed of the exact engine over a trace larger than memory, generated on the fly.

    make bench-long        -> build/bench/long_trace.json

Pages are drawn log-uniformly (nearly zipf 1.0) from 16 Mi, scattered over 64-bit numbers unless --dense.
Generating takes most of the time; the processor time of the engine is measured separately.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from litemrc.native.exact_stack import ExactStack

from bench.peak_memory import peak_resident_bytes, reset_peak

CHUNK = 1 << 18
LIMIT_BYTES_A_PAGE, LIMIT_BYTES = 64, 64 << 20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--accesses", type=float, default=1e9)
    parser.add_argument("--pages", type=int, default=1 << 24)
    parser.add_argument("--dense", action="store_true", help="page numbers below the number of pages")
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(2004)
    factor = np.uint64(1 if args.dense else 0x9E3779B97F4A7C15)
    engine = ExactStack()
    seconds, accesses = 0.0, 0
    generator.random(CHUNK)
    reset_peak()
    before = peak_resident_bytes()
    while accesses < args.accesses:
        pages = (args.pages ** generator.random(CHUNK)).astype(np.uint64) * factor
        begin = time.thread_time()
        engine.access(pages)
        seconds += time.thread_time() - begin
        accesses += CHUNK
    curve = engine.curve()
    peak = peak_resident_bytes() - before
    footprint = engine.footprint_pages
    result = {
        "accesses": accesses,
        "footprint_pages": footprint,
        "accesses_a_second": accesses / seconds,
        "peak_bytes": peak,
        "bytes_a_page_above_64_MB": (peak - LIMIT_BYTES) / footprint,
        "within_the_limit": peak <= LIMIT_BYTES_A_PAGE * footprint + LIMIT_BYTES,
        "miss_ratio_of_a_quarter": curve.at(pages=footprint // 4),
    }
    (args.out / "long_trace.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
