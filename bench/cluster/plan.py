# SPDX-License-Identifier: BSD-2-Clause
"""What a curve of 10^13 references on 1,000 cores costs, checked against 64 workers: `make bench-cluster`.

The constants are measured on five other parts; then 64 parts are measured and joined in three ways, and their
times and bytes compared with those that the formulas of `model.py` predict.
"""

import argparse
import json
import statistics
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np
from litemrc.native.exact_stack import ExactStack
from litemrc.traces.generators.urls import GeneratedTrace

from bench.cluster.model import Constants, Plan, Zipf, integer_bytes, measured_constants, state_bytes
from bench.cluster.simulation import (
    Network,
    Outcome,
    chain,
    measured_parts,
    message_bytes,
    timed,
    tree,
    wave,
)
from bench.cluster.workers import moved_by_dask
from scripts.docs.page_tables import fill_tables, fill_values, markdown

WORKERS = 64
PAGES = 1 << 20
NETWORK = Network(bytes_s=1.25e9, latency_s=1e-3)  # 10 Gbit/s into each worker
WAYS = {"tree": tree, "chain": chain, "wave": wave}

CORES, REFERENCES = 1000, 1e13
LARGE = (20, 24, 28, 30)  # log2 of footprints in pages
MEASURED = (20, 24, 25)  # of which the constants are measured; larger ones have those of the last
STORED_BYTES = 24  # of a reference in oracleGeneral
ENGINE_BYTES = 63  # of memory a page while a part is measured: 55 (make bench-long), and the list of pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--references", type=float, default=WORKERS << 22, help="of the simulation (%(default)s)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench/cluster_plan.json"), help="(%(default)s)"
    )
    parser.add_argument("--page", type=Path, help="also fill tables and values of this documentation page")
    args = parser.parse_args()
    url = f"gen:zipf?pages={PAGES}&n={int(args.references)}"
    rows, loop = simulated(url), exact_bytes()
    constants = {size: measured_constants(1 << size, 20_000_000) for size in MEASURED}
    plan = planned(constants)
    tables = {
        "simulation": simulation_table(rows),
        "constants": constants_table(constants),
        "plan": plan_table(plan),
    }
    print("\n\n".join(tables.values()))
    if args.page:
        fill_tables(args.page, tables)
        fill_values(
            args.page, page_values(args.references, rows, loop, plan, constants[MEASURED[-1]].join_bytes)
        )
    args.out.parent.mkdir(parents=True, exist_ok=True)
    found = {"url": url, "simulation": rows, "loop_bytes": loop, "plan": plan}
    found["constants"] = {2**size: asdict(each) for size, each in constants.items()}
    args.out.write_text(json.dumps(found, indent=1) + "\n")


def simulated(url: str) -> dict[str, dict[str, float]]:
    """Return, for each way to join 64 parts, seconds and bytes as predicted and as simulated."""
    references = GeneratedTrace(url).references // WORKERS
    expected = Zipf(PAGES)
    # The constants: from five parts of other references, before anything is measured.
    states, seconds = measured_parts(f"gen:zipf?pages={PAGES}&n={5 * references}&seed=2", 5)
    joins = [timed(one.join, other) for one, other in pairwise(states)]
    join_s = statistics.median(spent / joined.pages.size for joined, spent in joins)
    appends = [chain([one, other], [0.0, 0.0], NETWORK).work for one, other in pairwise(states)]
    append_s = statistics.median(appends) / states[0].pages.size
    constants = Constants(0, join_s, append_s)
    plan = Plan(
        WORKERS,
        statistics.median(seconds),
        lambda parts: expected.footprint(parts * references),
        lambda pages: state_bytes(pages, PAGES - 1, pages),
        expected.travelling(references),
        integer_bytes(PAGES - 1),
        constants,
        NETWORK,
    )
    parts, parts_s = measured_parts(url, WORKERS)
    wanted = ExactStack()
    for chunk in GeneratedTrace(url):
        wanted.access(chunk.pages)
    rows = {}
    for name, way in WAYS.items():
        found: Outcome = way(parts, parts_s, NETWORK)
        assert np.array_equal(found.histogram, wanted.histogram()), f"{name} is not exact"
        predicted_s, predicted_moved = getattr(plan, name)()
        rows[name] = {
            "predicted_s": predicted_s,
            "seconds": found.seconds,
            "part_s": max(parts_s),
            "predicted_bytes": predicted_moved,
            "bytes": found.moved,
            "work_s": found.work,
        }
    return rows


def exact_bytes() -> dict[str, int]:
    """Return the bytes of a tree of 64 parts of a loop, whose footprints are known: predicted and real."""
    pages, references = 100_000, 250_000
    url = f"gen:loop?pages={pages}&n={WORKERS * references}"
    parts, parts_s = measured_parts(url, WORKERS)
    found = tree(parts, parts_s, NETWORK)
    # 2^16 < pages: page numbers, ranks and counts have 4 bytes; every state has all pages.
    size = 4 * pages + 4 * pages + 4 * (pages + 1)
    assert message_bytes(parts[0]) == size
    return {
        "predicted": (WORKERS - 1) * size,
        "moved": found.moved,
        "dask_predicted": (WORKERS - 1) * size + 4 * (pages + 1),  # and the histogram to the client
        "dask_moved": moved_by_dask(url, WORKERS),
    }


def planned(constants: dict[int, Constants]) -> dict[str, dict[str, float]]:
    """Return the costs of 10^13 references on 1,000 cores by footprint, if every part has all pages."""
    rows = {}
    references = REFERENCES / CORES
    reading_s = references * STORED_BYTES / NETWORK.bytes_s
    for size in LARGE:
        pages = 1 << size
        known = constants[min(size, MEASURED[-1])]
        part_s = references * known.reference_s
        # Pages are scattered over 64 bits; counts of 10^13 / pages references fit into 4 bytes.
        per_state = state_bytes(pages, 2**64 - 1, 2**32 - 1)
        plan = Plan(
            1 << (CORES - 1).bit_length(),
            0.0,
            lambda parts, pages=pages: pages,
            lambda pages, per_state=per_state: per_state,
            lambda step, pages=pages: pages if step == 1 else 0,
            8,
            known,
            NETWORK,
        )
        rows[str(size)] = {
            "reading_s": reading_s,
            "part_s": part_s,
            "tree_s": plan.tree()[0],
            "chain_s": (CORES - 1) / (plan.parts - 1) * plan.chain()[0],
            "wave_s": plan.wave()[0],
            "state_bytes": per_state,
            "moved_bytes": (CORES - 1) * per_state,
            "part_memory": ENGINE_BYTES * pages,
            # Small arrays reuse freed memory, so that only the largest footprint shows what a join needs.
            "join_memory": constants[MEASURED[-1]].join_bytes * pages + 2 * per_state,
        }
    return rows


def simulation_table(rows: dict[str, dict[str, float]]) -> str:
    heads = [
        "way",
        "predicted s",
        "simulated s",
        "error",
        "predicted MB",
        "moved MB",
        "error",
        "work of joins, s",
    ]
    return markdown(heads, [
        [
            name,
            f"{row['predicted_s']:.2f}",
            f"{row['seconds']:.2f}",
            _error(row["predicted_s"], row["seconds"]),
            f"{row['predicted_bytes'] / 1e6:,.1f}",
            f"{row['bytes'] / 1e6:,.1f}",
            _error(row["predicted_bytes"], row["bytes"], 2),
            f"{row['work_s']:.1f}",
        ]
        for name, row in rows.items()
    ])  # fmt: skip


def constants_table(constants: dict[int, Constants]) -> str:
    heads = ["pages", "reference r, ns", "join j, ns/page", "append c, ns/page"]
    return markdown(heads, [
        [
            f"2^{size}",
            f"{each.reference_s * 1e9:.0f}",
            f"{each.join_s * 1e9:.0f}",
            f"{each.append_s * 1e9:.0f}",
        ]
        for size, each in constants.items()
    ])  # fmt: skip


def plan_table(plan: dict[str, dict[str, float]]) -> str:
    heads = [
        "footprint", "parts, s", "tree, s", "chain, s", "wave, s",
        "state, GB", "sent, GB", "memory of a worker, GB",
    ]  # fmt: skip
    return markdown(heads, [
        [
            f"2^{size} pages, {_bytes(4096 << int(size))}",
            f"{max(row['part_s'], row['reading_s']):,.0f}",
            f"{row['tree_s']:,.1f}",
            f"{row['chain_s']:,.0f}",
            f"{row['wave_s']:,.1f}",
            f"{row['state_bytes'] / 1e9:,.2f}",
            f"{row['moved_bytes'] / 1e9:,.0f}",
            f"{max(row['part_memory'], row['join_memory']) / 1e9:,.1f}",
        ]
        for size, row in plan.items()
    ])  # fmt: skip


def page_values(
    references: float,
    rows: dict[str, dict[str, float]],
    loop: dict[str, int],
    plan: dict[str, dict[str, float]],
    join_bytes: float,
) -> dict[str, str]:
    """Return the values in the text of docs/cluster.md."""
    typical, huge = plan["24"], plan["28"]
    times = [(row["predicted_s"], row["seconds"]) for row in rows.values()]
    worst = max(times, key=lambda pair: abs(pair[0] / pair[1] - 1))
    return {
        "references": f"{int(references):,}",
        "join_bytes": f"{join_bytes:.0f}",
        "loop_predicted": f"{loop['predicted']:,}",
        "loop_moved": f"{loop['moved']:,}",
        "dask_predicted": f"{loop['dask_predicted']:,}",
        "dask_moved": f"{loop['dask_moved']:,}",
        "worst_time_error": _error(*worst),
        "plan_minutes": f"{(max(typical['part_s'], typical['reading_s']) + typical['tree_s']) / 60:.0f}",
        "plan_reading": f"{typical['reading_s']:.0f}",
        "plan_share": f"{100 * typical['tree_s'] / (typical['part_s'] + typical['tree_s']):.0f} %",
        "huge_share": f"{100 * huge['tree_s'] / (huge['part_s'] + huge['tree_s']):.0f} %",
        "huge_wave": f"{huge['wave_s']:.0f}",
        "huge_memory": f"{max(huge['part_memory'], huge['join_memory']) / 1e9:.0f}",
    }  # fmt: skip


def _error(predicted: float, found: float, digits: int = 0) -> str:
    return f"{100 * (predicted / found - 1):+.{digits}f} %".replace("-", "\N{MINUS SIGN}")


def _bytes(size: int) -> str:
    return f"{size >> 40} TiB" if size >= 1 << 40 else f"{size >> 30} GiB"


if __name__ == "__main__":
    main()
