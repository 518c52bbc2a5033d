# SPDX-License-Identifier: BSD-2-Clause
"""One trace of `sort` by Lackey and by `litemrc trace capture`, for `measure.py`."""

import shutil
import statistics
import sys
from pathlib import Path

import numpy as np
from litemrc.traces import open_trace

from bench.qemu.runs import OUT, ROUNDS, lines, used
from scripts.docs.page_tables import markdown

TRACED_BYTES = 1 << 20


def traces() -> dict:
    """Return seconds, pages and instructions of one trace by Lackey and by `litemrc trace capture`."""
    sort = ["sort", "-o", "/dev/null", str(lines("traced", TRACED_BYTES))]
    log, own = OUT / "trace.lackey", OUT / "trace.parquet"
    captures = {"capture": [], "capture --cache none": ["--cache", "none"]}
    result: dict = {}
    for name, options in captures.items():
        command = [sys.executable, "-m", "litemrc.cli.main", "trace", "capture", "-q", *options]
        seconds = [used([*command, "-o", own, "--", *sort])[0] for _ in range(ROUNDS)]
        result[name] = {"seconds": statistics.median(seconds), **facts(own)}
    if shutil.which("valgrind") is None:
        print("Lackey: skipped, valgrind is not installed (apt-get install valgrind)", file=sys.stderr)
        return result
    seconds, _ = used(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={log}", *sort])
    result["lackey"] = {"seconds": seconds, **facts(log)}
    log.unlink()
    return result


def facts(path: Path) -> dict:
    """Return references, distinct pages and the last time of a trace."""
    pages: set[int] = set()
    references = last = 0
    with open_trace(path) as chunks:
        for chunk in chunks:
            pages.update(np.unique(chunk.pages).tolist())
            references += len(chunk.pages)
            last = int(chunk.times[-1]) if chunk.times is not None else last
    return {"references": references, "pages": len(pages), "instructions": last}


def trace_table(result: dict) -> str:
    """Return the traces as Markdown."""
    names = {
        "capture": "`litemrc trace capture`: what reaches memory, Parquet",
        "capture --cache none": "`litemrc trace capture --cache none`: all references, Parquet",
        "lackey": "Lackey: all references, text",
    }
    slowest = result.get("lackey", {}).get("seconds")
    rows = [
        [
            names[name],
            f"{of['seconds']:.1f} s",
            f"{slowest / of['seconds']:.0f}" if slowest else "",
            *(f"{of[key]:,}" for key in ("references", "pages", "instructions")),
        ]
        for name, of in result.items()
    ]
    heads = ["trace", "processor time", "times faster than Lackey", "references", "pages", "instructions"]
    return markdown(heads, rows)
