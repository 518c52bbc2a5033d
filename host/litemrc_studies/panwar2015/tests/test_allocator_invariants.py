# SPDX-License-Identifier: BSD-2-Clause
"""Random operations keep each allocator's invariants; faults seeded into the native sources are found."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from litemrc_studies._core import Buddy, stress_allocator
from litemrc_studies.panwar2015.tests.placement_machines import ALLOCATORS, BLOCK, MEMORIES, one_zone

from tests.mutation import mutated_source
from tests.timeouts import scaled_timeout

OPERATIONS = int(os.environ.get("LITEMRC_STRESS_OPERATIONS", "100_000"))
CHECKED_EVERY = max(1009, OPERATIONS // 100)  # a look at all of memory
NATIVE = Path(__file__).parents[1] / "native"
SHARED = Path(__file__).parents[2] / "shared" / "native" / "memory"
UNITS = ("adaptive", "adaptive_banks", "buddy", "machine", "memory/memory", "migration", "stress")
MAIN = """
#include "bank_buddies.hpp"
#include <cstdio>
using namespace litemrc_native;
template <typename A, typename... Rest> int tried(Rest... rest) {
    PhysicalMemory memory({16 * LARGEST_BLOCK, 2 * LARGEST_BLOCK, 0, {{0, 2, 0, 16 * LARGEST_BLOCK}}});
    A allocator(memory, rest...);
    const StressReport report = stress(allocator, {1, 60000, 97, 5, 499, true});
    std::printf("%s\\n", report.wrong.c_str());
    return !report.wrong.empty();
}
int main() { return tried<Adaptive>(AdaptiveParameters{100, 4}) + tried<BankList>() + tried<Buddy>(); }
"""
# File, what stands there, what the fault makes of it.
FAULTS = {
    "the upper half of a split block is forgotten": (
        "memory/free_lists.hpp",
        "while (from > to) {",
        "while (from > to + 1) {",
    ),
    "a buddy is merged but stays on its list": ("memory/free_lists.hpp", "memory.unlink(buddy);", ";"),
    "blocks are merged with buddies that are in use": (
        "memory/memory.hpp",
        "return this->order(frame) == order && is_free(frame);",
        "return this->order(frame) == order && states_[frame] != INSIDE;",
    ),
    "an isolated bank is off while it holds pages": (
        "adaptive_banks.cpp",
        "bank.state == ISOLATED && is_empty(index)",
        "bank.state == ISOLATED",
    ),
    "migration does not report the copy": ("migration.cpp", "machine_.moved(owner, target);", ";"),
}


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("name", ALLOCATORS)
@pytest.mark.parametrize(("seed", "unmovable"), [(1, 0), (2, 5), (3, 30)])
def test_pages_are_whole_owned_once_and_come_back(name, memory, seed, unmovable):
    allocator = ALLOCATORS[name](MEMORIES[memory]())
    report = stress_allocator(
        allocator,
        seed=seed,
        operations=OPERATIONS,
        fullest_percent=97,
        unmovable_percent=unmovable,
        checked_every=CHECKED_EVERY,
        migrates=True,
    )
    assert report.wrong == ""
    # The run met what it is about.
    assert report.allocations > OPERATIONS / 3
    assert report.offline_seen > 0
    if allocator.can_isolate():
        assert report.copied_frames > 0
        assert report.emptied_units > 0


def test_pages_smaller_than_a_block_may_be_interleaved_by_the_buddy():
    report = stress_allocator(
        Buddy(one_zone(16, 4, stripe_frames=8)),
        seed=1,
        operations=OPERATIONS,
        fullest_percent=100,
        unmovable_percent=10,
        checked_every=CHECKED_EVERY,
        migrates=False,
    )
    assert report.wrong == ""


@pytest.mark.parametrize("seed", range(3))
def test_with_banks_to_spare_no_operation_of_adaptive_moves_more_than_twice_what_it_may(seed):
    """A part of what is on its way, and one of what it needs itself."""
    moves = 4
    allocator = ALLOCATORS["adaptive"](one_zone(256, 16))
    report = stress_allocator(
        allocator,
        seed=seed,
        operations=OPERATIONS,
        fullest_percent=60,
        unmovable_percent=5,
        checked_every=0,
        migrates=True,
    )
    assert report.wrong == ""
    assert 0 < allocator.work.most_moves <= 2 * moves
    # Splitting from the largest block to a page takes 10 insertions and a removal; merging as many.
    assert allocator.work.most_list_work <= 2 * moves + 11
    assert BLOCK == 2**10


def compiled(folder: Path) -> Path:
    """One translation unit: the headers of the library take longest."""
    units = "".join(f'#include "{unit}.cpp"\n' for unit in UNITS)
    (folder / "main.cpp").write_text(units + MAIN)
    program = folder / "stress"
    subprocess.run(
        ["c++", "-std=c++17", "-O1", f"-I{folder}", "-o", program, folder / "main.cpp"], check=True
    )
    return program


def copied(folder: Path) -> Path:
    for path in (path for path in NATIVE.glob("*.?pp") if path.name != "bindings.cpp"):
        shutil.copy(path, folder)
    shutil.copytree(SHARED, folder / "memory")
    return folder


def test_without_a_fault_nothing_is_found(tmp_path):
    done = subprocess.run([compiled(copied(tmp_path))], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, [])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_is_found(fault, tmp_path):
    name, old, new = FAULTS[fault]
    folder = copied(tmp_path)
    (folder / name).write_text(mutated_source(folder / name, old, new))
    try:
        done = subprocess.run([compiled(folder)], capture_output=True, text=True, timeout=scaled_timeout(20))
    except subprocess.TimeoutExpired:
        return  # it runs in circles: found
    assert done.returncode != 0
