# SPDX-License-Identifier: BSD-2-Clause
"""Cost of an allocation and a free in each page allocator: `make bench-placement`.

As in Panwar 2015, table 5: pages are allocated one at a time to build up pressure, then freed, on 32 GB in
256 banks. Means are processor time of whole sequences, the minimum over the rounds. The worst case is the
longest operation, where each operation counts with its fastest time over the rounds: all rounds do the same
work, so the rest is noise. Moves and list changes are counted, not timed, and equal on every machine.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from litemrc_studies._core import Allocator, PlacementMachine
from litemrc_studies.panwar2015.machine.placement import ALLOCATORS, Placement
from litemrc_studies.panwar2015.machine.workloads.events import FREE
from numpy.typing import NDArray

from scripts.docs.page_tables import fill_tables, fill_values

COMPARED = ("buddy", "bank-array", "bank-list", "adaptive")
MACHINE = Placement()
BIG_BANKS = replace(MACHINE, units=32)  # of 1 GB
AT_ONCE = 0  # moves_per_operation: as in the paper
PAGES = (10_000, 100_000, 1_000_000, 2_000_000, 4_000_000)
# Panwar 2015, table 5: mean and worst allocation, ns: buddy, Adaptive-Buddy.
PAPER = {
    10_000: (285, 267, 755, 1305),
    100_000: (266, 260, 988, 2596),
    1_000_000: (260, 255, 999, 20794),
    2_000_000: (250, 255, 999, 20794),
    4_000_000: (249, 277, 999, 21432),
}
ORDERS = ("in order", "by process", "at random")  # of frees
BOTH = ("buddy", "adaptive")
FREED_PAGES = 512  # consecutive frees of a process


@dataclass
class Cost:
    """Cost of n pages in one allocator, in ns per operation."""

    pages: int
    allocator: str
    allocate_ns: float
    free_ns: float
    worst_allocate_ns: int
    worst_free_ns: int
    most_moves: int
    most_list_work: int
    millions_per_s: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--pages", type=int, default=PAGES[-1], help="largest number of pages (%(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench/placement.json"), help="all figures (%(default)s)"
    )
    parser.add_argument("--page", type=Path, help="also fill tables and values of this documentation page")
    args = parser.parse_args()
    sizes = [pages for pages in PAGES if pages <= args.pages]
    costs = measured_costs(sizes, args.rounds)
    tables = {"table5": cost_table(costs)}
    orders = {order: measured_order(sizes[-1], 2 * args.rounds, order) for order in ORDERS}
    tables["orders"] = orders_table(sizes[-1], orders)
    steps = measured_moves(args.rounds)
    tables["moves"] = moves_table(steps)
    print("\n\n".join(tables.values()))
    if args.page:
        fill_tables(args.page, tables)
        fill_values(args.page, page_values(costs))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    figures = {"rounds": args.rounds, "costs": [vars(cost) for cost in costs], "moves": steps}
    figures["orders"] = {"pages": sizes[-1], "ns": orders}
    args.out.write_text(json.dumps(figures, indent=1))


def measured_costs(sizes: list[int], rounds: int) -> list[Cost]:
    """Measure every allocator with every number of pages."""
    return [
        _cost(name, lambda name=name: _made(name, MACHINE), pages, rounds, ORDERS[1])
        for pages in sizes
        for name in COMPARED
    ]


def measured_order(pages: int, rounds: int, order: str) -> dict[str, float]:
    """Return ns of one allocation and one free in buddy and adaptive, which alternate."""
    comes, goes = np.zeros(pages, np.uint8), np.full(pages, FREE, np.uint8)
    numbers, freed = np.arange(pages, dtype=np.uint32), freed_order(pages, order)
    made = {name: _made(name, MACHINE) for name in BOTH}
    best = dict.fromkeys(BOTH, (float("inf"), float("inf")))
    for _ in range(rounds):
        for name, (_, machine) in made.items():
            began = time.process_time()
            machine.run(comes, numbers)
            between = time.process_time()
            machine.run(goes, freed)
            took = (between - began, time.process_time() - between)
            best[name] = tuple(map(min, best[name], took))
    return {name: sum(parts) / pages * 1e9 for name, parts in best.items()}


def freed_order(pages: int, order: str) -> NDArray[np.uint32]:
    """Return page numbers in the order of their frees."""
    numbers = np.arange(pages, dtype=np.uint32)
    random = np.random.default_rng(1)
    if order == ORDERS[2]:
        return random.permutation(numbers)
    if order == ORDERS[1]:
        runs = np.split(numbers, range(FREED_PAGES, pages, FREED_PAGES))
        return np.concatenate([runs[index] for index in random.permutation(len(runs))])
    return numbers


def _made(name: str, placement: Placement) -> tuple[Allocator, PlacementMachine]:
    allocator = ALLOCATORS[name](placement.memory(), placement)
    return allocator, PlacementMachine(allocator)


def _cost(
    name: str,
    make: Callable[[], tuple[Allocator, PlacementMachine]],
    pages: int,
    rounds: int,
    order: str,
) -> Cost:
    comes, goes = np.zeros(pages, np.uint8), np.full(pages, FREE, np.uint8)
    numbers, freed = np.arange(pages, dtype=np.uint32), freed_order(pages, order)
    least = [np.full(pages, 2**32 - 1, np.uint32) for _ in range(2)]
    best = [float("inf")] * 2
    for _ in range(rounds):
        allocator, machine = make()
        machine.run(comes, numbers)  # touches the memory of the simulator itself
        machine.run(goes, freed)
        _settle(allocator)
        machine.run_recorded(comes, numbers, least[0])
        machine.run_recorded(goes, freed, least[1])
        _settle(allocator)
        began = time.process_time()
        machine.run(comes, numbers)
        between = time.process_time()
        machine.run(goes, freed)
        took = (between - began, time.process_time() - between)
        best = [min(pair) for pair in zip(best, took, strict=True)]
    work = allocator.work
    return Cost(
        pages=pages,
        allocator=name,
        allocate_ns=best[0] / pages * 1e9,
        free_ns=best[1] / pages * 1e9,
        worst_allocate_ns=int(least[0].max()),
        worst_free_ns=int(least[1].max()),
        most_moves=work.most_moves,
        most_list_work=work.most_list_work,
        millions_per_s=2 * pages / sum(best) / 1e6,
    )


def _settle(allocator: Allocator) -> None:
    while not allocator.tidy():
        pass


def cost_table(costs: list[Cost]) -> str:
    """Return a row for each number of pages and allocator, the paper's values beside ours."""
    measures = [f"{what}: {value}, ns" for what in ("paper", "ours", "free") for value in ("mean", "worst")]
    heads = ["pages, allocator", *measures, "max. moves", "max. list changes", "M operations/s"]
    rows = []
    for cost in costs:
        buddy, adaptive, buddy_worst, adaptive_worst = PAPER[cost.pages]
        paper = {"buddy": (buddy, f"{buddy_worst:,}"), "adaptive": (adaptive, f"{adaptive_worst:,}")}
        rows.append(
            (
                f"{cost.pages:,}, {cost.allocator}",
                *paper.get(cost.allocator, ("", "")),
                f"{cost.allocate_ns:.1f}",
                f"{cost.worst_allocate_ns:,}",
                f"{cost.free_ns:.1f}",
                f"{cost.worst_free_ns:,}",
                cost.most_moves,
                cost.most_list_work,
                f"{cost.millions_per_s:.0f}",
            )
        )
    return _markdown(heads, rows)


def page_values(costs: list[Cost]) -> dict[str, str]:
    """Return the mean of the largest number of pages, the worst allocation and the largest counts."""
    of = {name: [cost for cost in costs if cost.allocator == name] for name in BOTH}
    buddy, adaptive = of["buddy"], of["adaptive"]
    return {
        "table5-means": f"{buddy[-1].allocate_ns:.1f} / {adaptive[-1].allocate_ns:.1f} ns",
        "table5-worst": " / ".join(f"{max(cost.worst_allocate_ns for cost in of[name]):,}" for name in BOTH)
        + " ns",
        "table5-moves": f"{max(cost.most_moves for cost in adaptive)}",
        "table5-lists": f"{max(cost.most_list_work for cost in adaptive)}",
        "table5-buddy-lists": f"{max(cost.most_list_work for cost in buddy)}",
    }


def orders_table(pages: int, orders: dict[str, dict[str, float]]) -> str:
    """Return a row for each order of frees."""
    rows = [
        (
            f"{pages:,} pages, {order}",
            *(f"{ns:.1f}" for ns in both.values()),
            f"{both['adaptive'] / both['buddy'] - 1:+.1%}",
            f"{2e3 / both['adaptive']:.0f}",
        )
        for order, both in orders.items()
    ]
    heads = ["order of frees", *(f"{name}, ns" for name in BOTH), "adaptive / buddy"]
    return _markdown([*heads, "adaptive, M operations/s"], rows)


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [" | ".join(heads), " | ".join(["---"] + ["---:"] * (len(heads) - 1))]
    return "\n".join(f"| {line} |" for line in (*lines, *(" | ".join(map(str, row)) for row in rows)))


def measured_moves(rounds: int) -> list[dict]:
    """Measure adding and isolating a bank, in bounded parts and at once."""
    return [
        _moves(placement, moves, rounds)
        for placement in (MACHINE, BIG_BANKS)
        for moves in (MACHINE.moves_per_operation, AT_ONCE)
    ]


def _moves(placement: Placement, moves: int, rounds: int) -> dict:
    """Measure the worst allocation while the users' pool grows by two banks, on a new machine, and the
    worst step of isolating one of these banks when every second page of it is free.
    """
    placement = replace(placement, moves_per_operation=moves)
    pages = placement.unit_frames * 2
    comes, numbers = np.zeros(pages, np.uint8), np.arange(pages, dtype=np.uint32)
    half = np.ascontiguousarray(numbers[::2])
    least = np.full(pages, 2**32 - 1, np.uint32)
    isolating: list[int] = []
    for _ in range(rounds):
        allocator, machine = _made("adaptive", placement)
        machine.run_recorded(comes, numbers, least)
        machine.run(np.full(len(half), FREE, np.uint8), half)
        _settle(allocator)
        steps = []
        done = False
        while not done:
            began = time.perf_counter_ns()
            done = allocator.isolate(placement.units - 1)
            steps.append(time.perf_counter_ns() - began)
        isolating = steps if not isolating else [min(pair) for pair in zip(isolating, steps, strict=True)]
    return {
        "banks": placement.units,
        "moves_per_operation": moves,
        "most_moves": allocator.work.most_moves,
        "worst_allocate_ns": int(least.max()),
        "isolate_steps": len(isolating),
        "worst_isolate_ns": max(isolating),
    }


def moves_table(steps: list[dict]) -> str:
    """Return a row for each machine and bound."""
    rows = [
        (
            f"{step['banks']} banks, {_how(step['moves_per_operation'])}",
            step["most_moves"],
            f"{step['worst_allocate_ns']:,}",
            f"{step['isolate_steps']:,}",
            f"{step['worst_isolate_ns']:,}",
        )
        for step in steps
    ]
    heads = ["32 GB, a bank joins and leaves", "max. moves per allocation", "worst allocation, ns"]
    return _markdown([*heads, "steps to isolate a bank", "longest step, ns"], rows)


def _how(moves: int) -> str:
    return f"{moves} blocks per operation" if moves else "at once"


if __name__ == "__main__":
    main()
