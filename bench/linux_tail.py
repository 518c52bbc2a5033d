#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tail on a real kernel: misses in larger memories, predicted from one run, beside runs in them.

Linux of `make linux-images` in qemu, with the driver and a monitor in software. Each program of
bench/rightsize.py runs in a cgroup with a `memory.max`; the kernel chooses what it evicts. The refault
distances of the run in the smallest memory predict the misses in each larger one: refaults at positions
beyond it, and those whose page is unknown. Counted is the second half of each run. qemu sets accessed bits;
VexRiscv does not.

Then Senpai's rule shrinks each program's limit, from all its pages, for half an hour. The rule
decides after every 1,000 references, which take 1 s and their refaults more. It gets the share of this time
that refaults took, as seconds of one second.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count, cycle
from pathlib import Path

import numpy as np
from litemrc.policies.rightsizing.rightsize import FaultCost, Window, rightsize
from litemrc.policies.rightsizing.senpai import SenpaiRule
from litemrc.traces.opening import open_trace
from numpy.typing import NDArray

from bench.rightsize import FAULT_S, GOAL, PROGRAMS, REFERENCE_S, SENPAI_S
from scripts.docs.page_tables import fill_tables, markdown
from tests.linux.driver.building import ROOT, build_initramfs
from tests.linux.driver.following import CGROUPS
from tests.linux.driver.guest import FAKE, Guest, S

IMAGES = ROOT / "build/linux"
OUT = ROOT / "build/bench/linux_tail"
REFERENCES = 30_000
WORK_S = REFERENCES / 2 * REFERENCE_S
SMALLEST, LARGEST = 512, 2048
PAGE_BYTES = 4096
SWAP_BYTES = 16 << 20
SECOND = round(1 / REFERENCE_S)
CONTEXT = f"{S}contexts/1/"
PAGE = ROOT / "docs/evicted.md"
HEADINGS = (
    "program",
    f"misses in {SMALLEST} pages",
    f"predicted in {2 * SMALLEST:,}",
    "measured there",
    "largest difference, all sizes",
    "`rightsize`, pages",
    "by trying sizes",
)
SPENT_HEADINGS = (
    "program",
    "`rightsize`, pages",
    "Senpai, pages",
    "refaults until it backs off",
    "in half an hour",
    f"of `rightsize`, observing in {SMALLEST} pages",
)


@dataclass(frozen=True)
class Row:
    """Refaults of a program in memories of all sizes.

    Attributes
    ----------
    predicted
        from the run in the smallest memory, as is `rightsize`, the size for the goal.
    unidentified
        pages of that run.
    observed
        refaults of that run, both halves.
    senpai
        its limit in pages, and its refaults until it first backs off, and in all.
    """

    program: str
    sizes: list[int]
    predicted: list[int]
    measured: list[int]
    rightsize: int | None
    unidentified: int
    observed: int
    senpai: tuple[int, int, int]


def trace_of(name: str) -> Path:
    """Write the pages of a program, in the order of its references, for `replay` of the guest."""
    pages = np.concatenate([chunk.pages for chunk in open_trace(f"{PROGRAMS[name]}&n={REFERENCES}")])
    _, numbers = np.unique(pages, return_inverse=True)
    path = OUT / f"{name}.trace"
    path.write_bytes(numbers.astype("<u2").tobytes())
    return path


def boot(traces: dict[str, Path]) -> Guest:
    kernel = IMAGES / "kernel"
    initramfs = build_initramfs(
        kernel, OUT / "guest", {f"{name}.trace": path for name, path in traces.items()}
    )
    guest = Guest(IMAGES / "shim-virt.bin", kernel, initramfs, timeout_s=600)
    guest.load_driver()
    for command in ("insmod /litemrc_fake.ko", f"swap {SWAP_BYTES}"):
        guest.do(command)
    guest.do(f"w {CGROUPS}/cgroup.subtree_control +memory")
    guest.do(f"w {S}enable 1")
    return guest


@contextmanager
def followed(guest: Guest, number: int, pages: int) -> Iterator[tuple[str, str]]:
    """Follow a cgroup with a limit in pages; yield its folder and the process in it."""
    folder, worker = f"{CGROUPS}/run{number}", f"w{number}"
    guest.do(f"mkdir {folder}")
    guest.do(f"w {folder}/memory.max {pages * PAGE_BYTES}")
    guest.do(f"w {folder}/cgroup.procs {guest.spawn(worker)}")
    guest.do(f"w {CONTEXT}cgroup /run{number}")
    yield folder, worker
    guest.do(f"w {CONTEXT}cgroup -")
    guest.end(worker)
    guest.do(f"rmdir {folder}")


def replay(guest: Guest, worker: str, name: str, begin: int, count: int) -> int:
    """Perform references of a program as one epoch; return its refaults."""
    guest.do(f"@ {worker} replay /{name}.trace {begin} {count}")
    guest.do(f"w {S}end_epoch 1")
    return int(guest.read(CONTEXT + "refaults"))


def run(guest: Guest, name: str, pages: int, number: int) -> tuple[NDArray[np.int64], dict[str, int]]:
    """Run a program in a memory of n pages; return its tail by group, and its other numbers by name."""
    with followed(guest, number, pages) as (_, worker):
        halves = [replay(guest, worker, name, begin, REFERENCES // 2) for begin in (0, REFERENCES // 2)]
        tail = np.array(guest.read(CONTEXT + "tail").split(), np.int64)
        unidentified = int(guest.read(CONTEXT + "unidentified"))
    return tail, {"refaults": halves[1], "unidentified": unidentified, "both_halves": sum(halves)}


def senpai(guest: Guest, name: str, number: int) -> tuple[int, int, int]:
    """Return the limit in pages that Senpai's rule finds, its refaults until it backs off, and in all."""
    with followed(guest, number, LARGEST) as (folder, worker):
        for begin in (0, REFERENCES // 2):
            replay(guest, worker, name, begin, REFERENCES // 2)
        limits = [int(guest.read(f"{folder}/memory.current")) / PAGE_BYTES]
        rule = SenpaiRule(limits[0], pressure_s=GOAL * 6)
        spent, found, now_s, begins = 0, None, 0.0, cycle(range(0, REFERENCES, SECOND))
        while now_s < SENPAI_S:
            refaults = replay(guest, worker, name, next(begins), SECOND)
            spent += refaults
            length_s = 1 + refaults * FAULT_S
            now_s += length_s
            limits.append(rule.tick(refaults * FAULT_S / length_s))
            guest.do(f"w {folder}/memory.max {max(round(limits[-1]), 1) * PAGE_BYTES}")
            if found is None and limits[-1] > limits[-2]:
                found = spent
    return round(float(np.median(limits[-len(limits) // 4 :]))), found or spent, spent


def size_for_goal(tail: NDArray[np.int64], ends: dict[str, int], group_pages: int) -> int | None:
    """Return what `litemrc rightsize` says to a run; the monitor in software counts no hits in memory."""
    window = Window(
        reuses=tail[np.newaxis].astype(np.float64),
        refaults=np.array([ends["refaults"]], np.float64),
        unknown=np.array([ends["unidentified"]], np.float64),
        seconds=np.array([WORK_S + ends["refaults"] * FAULT_S]),
        group_pages=group_pages,
        open_group=tail.size - 1,
    )
    return rightsize(window, FaultCost(FAULT_S, FAULT_S, FAULT_S), GOAL).pages


def tried(row: Row) -> int | None:
    """Return the smallest of the memories in which the program was as fast as the goal asks."""
    measured = zip(row.sizes, row.measured, strict=True)
    return next((size for size, refaults in measured if refaults * FAULT_S <= GOAL * WORK_S), None)


def measure(guest: Guest, name: str, sizes: list[int], group_pages: int, numbers: Iterator[int]) -> Row:
    """Run a program in memories of all sizes; predict the refaults in all from the run in the smallest."""
    runs = [run(guest, name, size, next(numbers)) for size in sizes]
    tail, ends = runs[0]
    beyond = [int(tail[size // group_pages :].sum()) + ends["unidentified"] for size in sizes]
    refaults = [each["refaults"] for _, each in runs]
    answer = size_for_goal(tail, ends, group_pages)
    unidentified, observed = ends["unidentified"], ends["both_halves"]
    spent = senpai(guest, name, next(numbers))
    return Row(name, sizes, beyond, refaults, answer, unidentified, observed, spent)


def cells(row: Row) -> list[str]:
    """Return the row of the table."""
    predicted, measured = (
        [2 * each / REFERENCES for each in counts] for counts in (row.predicted, row.measured)
    )
    twice = row.sizes.index(2 * SMALLEST)
    largest, size = max((abs(p - m), size) for p, m, size in zip(predicted, measured, row.sizes, strict=True))
    return [
        row.program,
        f"{measured[0]:.4f}",
        f"{predicted[twice]:.4f}",
        f"{measured[twice]:.4f}",
        f"{largest:.4f} at {size:,}",
        *(f"{size:,}" if size else "none" for size in (row.rightsize, tried(row))),
    ]


def cells_of_spent(row: Row) -> list[str]:
    """Return the row of the table of refaults spent."""
    return [
        row.program,
        *(f"{each:,}" if each else "none" for each in (row.rightsize, *row.senpai, row.observed)),
    ]


def main() -> None:
    """Print the tables, and fill them into docs/evicted.md."""
    OUT.mkdir(parents=True, exist_ok=True)
    guest = boot({name: trace_of(name) for name in PROGRAMS})
    group_pages = int(guest.read(f"{S}parameters/pages")) // int(guest.read(f"{S}parameters/groups"))
    sizes = list(range(SMALLEST, LARGEST + 1, group_pages))
    numbers = count()
    rows = [measure(guest, name, sizes, group_pages, numbers) for name in PROGRAMS]
    violations = guest.read(FAKE + "violations")
    guest.close()
    assert violations.split()[0] == "0", violations
    (OUT / "linux_tail.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    tables = {
        "linux-tail": markdown(HEADINGS, [cells(row) for row in rows]),
        "linux-senpai": markdown(SPENT_HEADINGS, [cells_of_spent(row) for row in rows]),
    }
    print(*tables.values(), sep="\n")
    fill_tables(PAGE, tables)


if __name__ == "__main__":
    main()
