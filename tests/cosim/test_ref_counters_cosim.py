# SPDX-License-Identifier: BSD-2-Clause
"""RefCounters equals the C++ and plain arrays, cycle by cycle; the C++ equals the golden model."""

from pathlib import Path

import pytest

from tests.cosim.mutants import Mutant
from tests.cosim.ref_builder import RefSizes, refs_bench, refs_replay
from tests.cosim.ref_mutants import REF_MUTANTS
from tests.cosim.ref_vectors import write_ref_vectors
from tests.cosim.running import counts_of, run

pytestmark = pytest.mark.cosim

# 8 rows: most operations meet others of their page or row in flight, and a sweep is short.
SMALL = RefSizes(pages=64, contexts=4, masters=4, width=4, queue_depth=8)
TINY = RefSizes(pages=16, contexts=1, masters=1, width=2, queue_depth=1)
ODD = RefSizes(pages=256, contexts=2, masters=2, width=9, queue_depth=2)
SOC = RefSizes(pages=8192, contexts=8, masters=4, width=12, queue_depth=512)
CLOCKS = 1_000_000


@pytest.mark.parametrize(("sizes", "seed"), [(SMALL, 1), (SMALL, 2), (TINY, 3), (ODD, 4), (SOC, 5)], ids=str)
def test_rtl_is_the_cpp_on_random_requests_commands_and_resets(sizes: RefSizes, seed: int) -> None:
    counts = counts_of(refs_bench(sizes), "random", seed, CLOCKS)
    assert counts["clocks"] >= CLOCKS
    assert counts["requests"] > CLOCKS // 2
    assert min(counts["counted"], counts["reads"], counts["loads"], counts["commands_waited"]) > CLOCKS // 20
    assert min(counts["resets"], counts["resets_refused"]) > CLOCKS // 2000
    assert min(counts["hardware_resets"], counts["passes"]) > 3
    assert min(counts["fired"], counts["taken"]) > CLOCKS // 100
    assert counts["both_fired"] > 1000
    assert counts["lost"] > 0
    # Hazards: operations on one page, and on pages that share a tag, at every distance under way.
    for distance in range(1, 7):
        assert min(counts[f"same_page_{distance}"], counts[f"same_row_{distance}"]) > CLOCKS // 20


def test_every_event_is_taken_left_or_lost() -> None:
    counts = counts_of(refs_bench(SMALL), "random", 6, CLOCKS // 4)
    assert counts["fired"] == counts["taken"] + counts["left"] + counts["lost"]
    assert min(counts["taken"], counts["lost"]) > 1000


@pytest.mark.parametrize("sizes", [SMALL], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: RefSizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_ref_vectors(vectors, sizes, seed=7, requests=60_000)
    counts = counts_of(refs_replay(sizes), vectors)
    assert counts["requests"] == 60_000
    assert min(counts["reads"], counts["taken"], counts["lost"]) > 500
    assert counts["resets"] > 50


@pytest.mark.parametrize("mutant", REF_MUTANTS, ids=lambda mutant: mutant.name)
def test_bench_finds_the_mutant(mutant: Mutant) -> None:
    done = run(refs_bench(SMALL, mutant.sources()), "random", 1, CLOCKS)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("MISMATCH"), done.stdout
    print(done.stdout, end="")
