#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tracker without hardware on a real kernel: its curves beside the exact ones, and its faults.

Linux of `make linux-images` in qemu, with the driver and litemrc_os.ko. Each program of bench/rightsize.py
runs with all memory, and its accessed bits are scanned every `PERIOD` references. Counted are the trace's
pages alone, in the second half of each run, from the tracker's log; the process's other pages are in the
stack, too. Accesses that the tracker does not see are hits of the first group. `predicted` is engine `os`.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from litemrc.native.os_tracker import OsTracker
from numpy.typing import NDArray

from bench.linux_tail import IMAGES, REFERENCES, trace_of
from bench.rightsize import PROGRAMS
from scripts.docs.page_tables import fill_tables, markdown
from tests.linux.driver.building import ROOT, build_initramfs
from tests.linux.driver.following import follow
from tests.linux.driver.guest import Guest, S

OUT = ROOT / "build/bench/linux_tail"  # of the traces, too
PAGE = ROOT / "docs/os-tracker.md"
TRACKER = "/sys/devices/platform/litemrc.0.auto/tracker/"
SCAN_LISTS = (64, 256, 1024)
PERIOD = 500
HALF = REFERENCES // 2
MOST_PAGES = 4096  # of a program: of the guest's replay
HEADINGS = (
    "program",
    "scan list, pages",
    "faults per 1,000 references",
    "predicted",
    "largest error",
    "predicted",
)


@dataclass(frozen=True)
class Counts:
    """Of the second half of a run: accesses by group of their stack distance, misses, protection faults."""

    hits: NDArray[np.int64]
    misses: int
    faults: int

    def with_unseen(self) -> NDArray[np.float64]:
        """Return the miss ratio at one group, two groups ..., of all references."""
        hits = self.hits.copy()
        hits[0] += HALF - hits.sum() - self.misses
        return 1 - np.cumsum(hits) / HALF


@dataclass(frozen=True)
class Row:
    """Faults per 1,000 references, and the largest error over all sizes; those of the simulated tracker."""

    program: str
    scan_list: int
    faults: float
    predicted_faults: float
    error: float
    predicted_error: float


def boot() -> Guest:
    kernel = IMAGES / "kernel"
    traces = {f"{name}.trace": trace_of(name) for name in PROGRAMS}
    guest = Guest(
        IMAGES / "shim-virt.bin", kernel, build_initramfs(kernel, OUT / "guest", traces), timeout_s=600
    )
    guest.load_driver()
    return guest


def sizes_of(guest: Guest) -> tuple[int, int]:
    """Return the pages of a group, and the number of groups."""
    pages, groups = (int(guest.read(f"{S}parameters/{name}")) for name in ("pages", "groups"))
    return pages // groups, groups


def run(guest: Guest, name: str, groups: int) -> Counts:
    """Run a program under the tracker that is loaded."""
    follow(guest, 1, guest.spawn(name))
    guest.do(f"w {S}enable 1")
    guest.do(f"@ {name} replay /{name}.trace 0 0")  # maps its memory
    first = guest.ask(f"@ {name} first_page").result
    hits, misses, faults = np.zeros(groups, np.int64), 0, 0
    for begin in range(0, REFERENCES, PERIOD):
        guest.do(f"w {TRACKER}log 1")
        guest.do(f"@ {name} replay /{name}.trace {begin} {PERIOD}")
        guest.do(f"w {TRACKER}scan 1")
        for line in guest.do(f"counted {TRACKER}entries") if begin >= HALF else ():
            kind, _, page, group = line.split()
            if kind not in "fa" or not first <= int(page) < first + MOST_PAGES:
                continue
            faults += kind == "f"
            if int(group) < 0:
                misses += 1
            else:
                hits[int(group)] += 1
    guest.do(f"w {S}enable 0")
    guest.end(name)
    return Counts(hits, misses, faults)


def simulated(name: str, scan_list: int, group_pages: int, groups: int) -> Counts:
    """Run the trace through the engine; a scan list of one page sees all accesses but repeated ones."""
    pages = np.fromfile(trace_of(name), "<u2").astype(np.uint64)
    tracker = OsTracker(scan_list, PERIOD, group_pages, seen_only=True)
    seen = []
    for half in np.split(pages, 2):
        tracker.access(half)
        hits = np.zeros(groups, np.int64)
        hits[: tracker.hits.size] = tracker.hits
        seen.append((hits, tracker.misses, tracker.events["fault"]))
    (hits, misses, faults), (hits_2, misses_2, faults_2) = seen
    return Counts(hits_2 - hits, misses_2 - misses, faults_2 - faults)


def measure(guest: Guest, scan_list: int) -> list[Row]:
    """Run all programs with a scan list."""
    guest.do(f"insmod /litemrc_os.ko scan_list={scan_list} period_ms=0")
    group_pages, groups = sizes_of(guest)
    rows = []
    for name in PROGRAMS:
        found = run(guest, name, groups)
        model, exact = (simulated(name, pages, group_pages, groups) for pages in (scan_list, 1))
        errors = [float(np.abs(each.with_unseen() - exact.with_unseen()).max()) for each in (found, model)]
        faults = [1000 * each.faults / HALF for each in (found, model)]
        rows.append(Row(name, scan_list, *faults, *errors))
        print(rows[-1], flush=True)
    guest.do("rmmod litemrc_os")
    return rows


def cells(row: Row) -> Sequence[str]:
    """Return the row of the table."""
    faults = (f"{each:.1f}" for each in (row.faults, row.predicted_faults))
    errors = (f"{each:.4f}" for each in (row.error, row.predicted_error))
    return [row.program, f"{row.scan_list:,}", *faults, *errors]


def main() -> None:
    """Print the table, and fill it into docs/os-tracker.md."""
    OUT.mkdir(parents=True, exist_ok=True)
    guest = boot()
    rows = [row for scan_list in SCAN_LISTS for row in measure(guest, scan_list)]
    guest.close()
    rows.sort(key=lambda row: list(PROGRAMS).index(row.program))
    (OUT.parent / "linux_tracker.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    table = markdown(HEADINGS, [cells(row) for row in rows])
    print(table)
    fill_tables(PAGE, {"linux-tracker": table})


if __name__ == "__main__":
    main()
