# SPDX-License-Identifier: BSD-2-Clause
"""bucket_stack in C++ equals its golden model and is close to exact LRU."""

from pathlib import Path

import pytest

from tests.cosim.builder import Sizes, accuracy, replay
from tests.cosim.running import counts_of, output_of
from tests.cosim.vectors import write_vectors

pytestmark = pytest.mark.cosim

SMALL = Sizes(frames=256, groups=16, contexts=4)
SOC = Sizes(frames=8192, groups=64, contexts=8)
EDGE = Sizes(
    frames=16, groups=16, contexts=1
)  # groups of one page: every second access of a closed bucket takes an id
BOARD = Sizes(frames=65536, groups=64, contexts=1)  # 256 MB
ACCESSES = 1_000_000


@pytest.mark.parametrize("sizes", [SMALL, SOC, EDGE], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: Sizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_vectors(vectors, "bucket_stack", sizes, seed=6, operations=100_000)
    counts = counts_of(replay("bucket_stack", sizes), vectors)
    assert counts["operations"] == 100_000
    assert counts["window_words_compared"] > 50 * 2 * sizes.groups * sizes.contexts


def test_curves_are_close_to_exact_lru() -> None:
    """The error is below 0.0002; more is allowed for loops among other accesses, which are hard to detect."""
    rows = [line.split() for line in output_of(accuracy(BOARD), ACCESSES).splitlines()]
    assert len(rows) == 36
    for name, _, mean_error, _, _, most_groups_off, *_ in rows:
        bound = 0.0005 if name.endswith("_25%") else 0.0002
        assert float(mean_error) < bound, name
        assert int(most_groups_off) <= 1, name


def test_cliffs_of_two_loops_are_displaced_by_a_quarter_of_a_group_at_most() -> None:
    """Two interleaved loops are the worst known: a cliff moved across a border is wrong by its height."""
    sizes = Sizes(frames=8192, groups=64, contexts=1)
    rows = [line.split() for line in output_of(accuracy(sizes), 300_000, "loops").splitlines()]
    assert len(rows) == 4 * 60
    for name, _, _, _, _, most_groups_off, _, beyond_quarter, *_ in rows:
        assert int(most_groups_off) <= 1, name
        assert float(beyond_quarter) < 0.01, name
    assert max(float(row[3]) for row in rows) > 0.3  # so these pairs do have cliffs at borders
