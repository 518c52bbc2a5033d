# SPDX-License-Identifier: BSD-2-Clause
"""A Java-like program on two nodes: local references and times, by arithmetic and against each other."""

import pytest
from litemrc_studies.jantz2013.machine.memory import Memory
from litemrc_studies.jantz2013.machine.node_heap import SCIMARK, HeapShape, Kernel, NodeHeap
from litemrc_studies.jantz2013.tests.tray_machines import small

# 8 trays of 1,024 pages on two nodes; the heap has 5,760 of 8,192 pages.
ROOMY = HeapShape(eden=3200, survivor=160, tenured=2240, tlab=16, threads=4)
ROWS = Kernel("rows", pages=64, piece_pages=4, passes=3)


def run(way, shape=ROOMY, kernel=ROWS, operations=6, seed=1):
    memory = Memory(small(trays=8, nodes=2), "tray" if way == "colors" else "buddy")
    return NodeHeap(memory, shape, kernel, way, seed).run(operations)


@pytest.mark.parametrize("way", ["library", "colors"])
def test_bound_eden_is_local_while_nothing_is_collected(way):
    """4 threads x 7 operations x 64 pages fit into eden; each pass is 64 x 64 references of 60 + 80 ns."""
    result = run(way)
    assert result.collections == 0
    assert result.local_share == 1
    assert result.tenured_share == 0
    assert result.operation_ns == pytest.approx(3 * 64 * 64 * 140.0)


def test_eden_that_all_have_touched_is_local_by_half():
    shares = [run("default", seed=seed).local_share for seed in range(8)]
    assert sum(shares) / 8 == pytest.approx(0.5, abs=0.05)
    half = run("default")
    # The latency lies between 80 and 130 ns by the share.
    assert half.operation_ns == pytest.approx(3 * 64 * 64 * (60 + 130 - 50 * half.local_share))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_colors_give_what_the_library_gives(seed):
    """The statement of section 6.2, with collections and promotions."""
    tight = HeapShape(eden=640, survivor=64, tenured=2240, tlab=16, threads=4)
    library, colors = (run(way, tight, operations=12, seed=seed) for way in ("library", "colors"))
    assert library.collections > 3
    assert colors == library
    assert run("default", tight, operations=12, seed=seed).local_share < library.local_share - 0.1


def test_arrays_that_survive_collections_are_tenured_and_lose_their_node():
    old, young = (
        run("library", HeapShape(640, 64, 2240, tlab=16, threads=4, old_age=age), operations=12)
        for age in (1, 99)
    )
    assert old.tenured_share > young.tenured_share
    assert old.local_share < 1


def test_an_array_of_half_of_eden_is_tenured_at_once():
    """A thread touches it first, so it is local before memory of the tenured generation is used again."""
    huge = Kernel("huge", pages=64, piece_pages=64, passes=2)
    shape = HeapShape(eden=128, survivor=16, tenured=4096, tlab=16, threads=4)
    result = run("library", shape, huge, operations=4)
    # The first two arrays of all fit into eden, one on each node; they are used in the warm-up alone.
    assert result.tenured_share == 1
    assert result.local_share == 1
    assert result.collections == 0


def test_a_full_tenured_generation_is_compacted_and_goes_on():
    shape = HeapShape(eden=160, survivor=16, tenured=512, tlab=16, threads=4)
    result = run("library", shape, operations=20)
    assert result.collections > 20
    assert 0 < result.local_share < 1


def test_the_arrays_of_scimark_are_those_of_its_large_inputs():
    pages = {kernel.name: kernel.pages * 4096 for kernel in SCIMARK}
    assert pages["fft"] == 2 * 2**21 * 8
    assert pages["lu"] == 2 * pages["sor"] == 2 * 2048 * 2048 * 8
    assert all(kernel.piece_pages * 4096 == 2048 * 8 for kernel in SCIMARK if kernel.name in ("lu", "sor"))
