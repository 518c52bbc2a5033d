# SPDX-License-Identifier: BSD-2-Clause
"""Section 6 of Jantz et al. 2013: SciMark on two nodes, eden bound by a NUMA library and by colors."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from litemrc.energy.parts.files import find_part
from litemrc.plots.files import save_figure
from litemrc_studies.jantz2013.machine.hardware import PAGES_OF_MIB, Hardware
from litemrc_studies.jantz2013.machine.memory import Memory
from litemrc_studies.jantz2013.machine.node_heap import SCIMARK, WAYS, HeapRun, HeapShape, Kernel, NodeHeap
from litemrc_studies.jantz2013.plots import groups_figure
from litemrc_studies.jantz2013.results.cases import MINUS, Made

from scripts.docs.page_tables import markdown, percent

SEEDS = (1, 2, 3)
OPERATIONS = 6  # of each thread
SHAPE = HeapShape(eden=2150 * PAGES_OF_MIB, survivor=269 * PAGES_OF_MIB, tenured=5376 * PAGES_OF_MIB)
LABELS = {"default": "default", "library": "NUMA library", "colors": "node affinity colors"}
TIME, LOCAL = "run time relative to the default", "references to the own node in %"
PAPER_LU, PAPER_MEAN = 0.85, 0.91  # "about 15 % faster", "about a 9 % average improvement" (section 6.2)
Runs = Mapping[str, Mapping[str, list[HeapRun]]]


def figure2(pictures: Path) -> Made:
    """Return the tables and the values of section 6, and draw figure 2."""
    machines = {way: _memory(way) for way in WAYS}
    runs: Runs = {
        kernel.name: {way: [_run(machines[way], SHAPE, kernel, way, seed) for seed in SEEDS] for way in WAYS}
        for kernel in SCIMARK
    }
    times = {way: {name: _relative(each, way) for name, each in runs.items()} for way in WAYS}
    local = {
        way: {name: [100 * run.local_share for run in each[way]] for name, each in runs.items()}
        for way in WAYS
    }
    means = {
        way: [float(np.exp(np.mean(np.log(seed)))) for seed in zip(*times[way].values(), strict=True)]
        for way in WAYS
    }
    panels = {
        TIME: {LABELS[way]: {**times[way], "mean": means[way]} for way in WAYS[1:]},
        LOCAL: {LABELS[way]: local[way] for way in WAYS},
    }
    known = {TIME: {"lu": PAPER_LU, "mean": PAPER_MEAN}}
    save_figure(groups_figure(panels, known), pictures / "figure2.png")
    rows = [
        [
            name,
            *(f"{np.mean(local[way][name]):.1f} %" for way in WAYS),
            *(percent(float(np.mean(times[way][name]))) for way in WAYS[1:]),
        ]
        for name in runs
    ]
    rows.append(["geometric mean", "", "", "", *(percent(float(np.mean(means[way]))) for way in WAYS[1:])])
    heads = [*(f"local, {LABELS[way]}" for way in WAYS), *(f"time, {LABELS[way]}" for way in WAYS[1:])]
    apart = max(
        abs(one - two) for name in runs for one, two in zip(*(times[w][name] for w in WAYS[1:]), strict=True)
    )
    faster = sum(np.mean(times["colors"][name]) < 0.98 for name in runs)
    lu = percent(float(np.mean(times["colors"]["lu"])))
    mean = percent(float(np.mean(means["colors"])))
    values = {
        "figure2-time": f"lu {lu}, mean {mean}; {faster} of 5 faster",
        "figure2-local": f"{_span(local['default'])} by default, {_span(local['colors'])} with colors",
        "figure2-fft": f"{np.mean(local['default']['fft']):.0f} to {np.mean(local['colors']['fft']):.0f} %",
        "figure2-apart": f"{100 * apart:.1f}",
    }
    return {
        "figure2": markdown(["kernel", *heads], rows),
        "figure2-parameters": _parameters(machines, runs),
    }, values


def _parameters(machines: Mapping[str, Memory], known: Runs) -> str:
    """Return two kernels with one parameter varied at a time."""
    lu, fft = (next(kernel for kernel in SCIMARK if kernel.name == name) for name in ("lu", "fft"))
    mib = PAGES_OF_MIB
    variants = {
        "lu, as above": (lu, SHAPE),
        "lu, 20 ns of computation per reference instead of 60": (replace(lu, compute_ns=20.0), SHAPE),
        "lu, remote reads of 105 ns instead of 130": (lu, replace(SHAPE, remote_ns=105.0)),
        "lu, eden of 1,024 MiB instead of 2,150": (lu, replace(SHAPE, eden=1024 * mib, survivor=128 * mib)),
        "fft, as above": (fft, SHAPE),
        "fft, eden of 256 MiB": (fft, replace(SHAPE, eden=256 * mib, survivor=32 * mib)),
        "fft, eden of 64 MiB: arrays are tenured at once": (
            fft,
            replace(SHAPE, eden=64 * mib, survivor=8 * mib),
        ),
    }
    rows = []
    for name, (kernel, shape) in variants.items():
        default, library = (
            known[kernel.name][way]
            if name.endswith("as above")
            else [_run(machines[way], shape, kernel, way, seed) for seed in SEEDS]
            for way in WAYS[:2]
        )
        local = [f"{100 * np.mean([run.local_share for run in runs]):.1f} %" for runs in (default, library)]
        apart = [100 * (two.local_share - one.local_share) for one, two in zip(default, library, strict=True)]
        ratio = np.mean(
            [two.operation_ns / one.operation_ns for one, two in zip(default, library, strict=True)]
        )
        change = f"{min(apart):+.1f} to {max(apart):+.1f}".replace("-", MINUS)
        rows.append([name, *local, change, percent(float(ratio))])
    heads = ["local, default", "local, NUMA library", "difference, all seeds", "time, NUMA library"]
    return markdown(["", *heads], rows)


def _memory(way: str) -> Memory:
    """Return the paper's machine with both sockets."""
    hardware = Hardware(find_part("MT41J256M8-187E:D"), trays=16, nodes=2)
    return Memory(hardware, "tray" if way == "colors" else "buddy")


def _run(memory: Memory, shape: HeapShape, kernel: Kernel, way: str, seed: int) -> HeapRun:
    result = NodeHeap(memory, shape, kernel, way, seed).run(OPERATIONS)
    memory.exit(0)
    return result


def _relative(runs: Mapping[str, list[HeapRun]], way: str) -> list[float]:
    pairs = zip(runs[way], runs["default"], strict=True)
    return [run.operation_ns / default.operation_ns for run, default in pairs]


def _span(shares: Mapping[str, list[float]]) -> str:
    means = [float(np.mean(each)) for each in shares.values()]
    return f"{min(means):.0f} to {max(means):.0f} %"
