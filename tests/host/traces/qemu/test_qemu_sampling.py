# SPDX-License-Identifier: BSD-2-Clause
"""The curve of sampled pages, its confidence band, and the exact curve of the same program."""

import json
import subprocess
import sys

import numpy as np
import pytest
from litemrc.golden.monitor.lru_stack import LruStack
from litemrc.golden.monitor.page_filter import hashed
from litemrc.traces.qemu.counts import Counts, read_counts
from litemrc.traces.qemu.monitored import FRAME_BITS, Monitor, running

from tests.host.traces.qemu.qemu_programs import WALK, recorded, transfers
from tests.timeouts import scaled_timeout

GROUPS = 8  # of pages, for the jackknife: native/qemu/sample_groups.hpp
NOTHING_BEFORE_MEMORY = {"levels": (), "instructions": None, "fetches": False}

# Increments of bytes on 16,384 pages; the product of two uniform numbers makes some pages popular.
SKEWED = """
static volatile char data[16384 * 4096];
void _start(void) {
    unsigned x = 1;
    for (int i = 0; i < 600000; i++) {
        x = x * 1664525 + 1013904223;
        unsigned first = x >> 18;
        x = x * 1664525 + 1013904223;
        data[(first * (x >> 18) >> 14) * 2531u % 16384 * 4096]++;
    }
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
}
"""
FREE = ("-nostdlib", "-fno-stack-protector", "-fno-builtin")


@pytest.fixture(scope="module")
def skewed(compiled):
    return compiled("skewed", SKEWED, *FREE)


def counts_of(program: str, monitor: Monitor) -> Counts:
    with running([program], monitor) as process:
        process.process.wait(scaled_timeout(60))
        (counts,) = read_counts(process.folder, program)
    return counts


def mixed(page: int) -> int:
    """Return the finalizer of MurmurHash3, which divides the sample into groups."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        page = (page ^ page >> 33) * factor % 2**64
    return page ^ page >> 33


def test_the_sample_without_a_group_has_the_distances_of_the_golden_stack(compiled):
    monitor = Monitor(**NOTHING_BEFORE_MEMORY, engine="exact", sampling=2, raw=True)
    run = recorded([compiled("walk", WALK, *FREE)], monitor)
    numbers = [hashed(address >> 12, FRAME_BITS) for address, _ in transfers(run.accesses, monitor)]
    sampled = [number for number in numbers if number >> FRAME_BITS - 2 == 0]
    assert len(run.counts[0].without) == GROUPS and len(sampled) > 1000
    for group, found in enumerate(run.counts[0].without):
        stack, expected = LruStack(), {}
        for number in sampled:
            if mixed(number) % GROUPS != group:
                position = stack.access(number)
                distance = 0 if position is None else position + 1
                expected[distance] = expected.get(distance, 0) + 1
        assert {distance: count for distance, count in enumerate(found.tolist()) if count} == expected


@pytest.mark.parametrize("engine, group_pages", [("exact", 1), ("bucket", 4096 // 256)])
@pytest.mark.parametrize("sampling", [3, 4])
def test_the_band_of_a_sample_contains_the_exact_curve(skewed, engine, group_pages, sampling):
    size = {"frames": 4096, "groups": 256} if engine == "bucket" else {}
    true = counts_of(skewed, Monitor(**NOTHING_BEFORE_MEMORY, engine="exact")).curve(4096, 1, 0)
    counts = counts_of(skewed, Monitor(**NOTHING_BEFORE_MEMORY, engine=engine, **size, sampling=sampling))
    curve = counts.curve(4096, group_pages, sampling)
    assert curve.low is not None and curve.high is not None and true.low is None
    sizes = np.linspace(1000, 13000, 13).astype(int)
    at = np.searchsorted(curve.sizes_pages, sizes, side="right") - 1
    expected = true.at_sizes(sizes)
    low, high = curve.low[at], curve.high[at]
    # Of 13 sizes, 95 % are 12.
    assert ((low <= expected) & (expected <= high)).sum() >= 12
    assert (high - low).max() < 0.1 and (high - low).mean() > 0.001
    assert np.abs(curve.miss_ratio[at] - expected).mean() < 0.02


def test_the_command_prints_the_band(skewed):
    command = [
        sys.executable,
        "-m",
        "litemrc.cli.main",
        "qemu",
        "--json",
        "--sample-rate",
        "1/8",
        "--",
        skewed,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(120))
    curve = json.loads(done.stdout)
    bounds = np.array([curve["miss_ratio_low"], curve["miss_ratio"], curve["miss_ratio_high"]])
    assert (np.diff(bounds, axis=0) >= 0).all() and (bounds[2] > bounds[0]).any()
