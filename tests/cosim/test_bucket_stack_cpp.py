"""bucket_stack in C++ is its golden model, and close to exact LRU."""

import subprocess
from pathlib import Path

import pytest
from builder import Sizes, accuracy, replay
from vectors import write_vectors

pytestmark = pytest.mark.cosim

SMALL = Sizes(frames=256, groups=16, contexts=4)
SOC = Sizes(frames=8192, groups=64, contexts=8)
EDGE = Sizes(
    frames=16, groups=16, contexts=1
)  # groups of one page: every access of a closed bucket takes an id
BOARD = Sizes(frames=65536, groups=64, contexts=1)  # 256 MB
ACCESSES = 1_000_000


def output_of(*command: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    return done.stdout


@pytest.mark.parametrize("sizes", [SMALL, SOC, EDGE], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: Sizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_vectors(vectors, "bucket_stack", sizes, seed=6, operations=100_000)
    counts = dict(line.split() for line in output_of(replay("bucket_stack", sizes), vectors).splitlines())
    assert counts["operations"] == "100000"
    assert int(counts["window_words_compared"]) > 50 * 2 * sizes.groups * sizes.contexts


def test_curves_are_close_to_exact_lru() -> None:
    """All but a short loop beside zipf: half of its accesses lie at one position, near a group's border."""
    looser = {"zipf+loop_3072": 0.002}
    rows = [line.split() for line in output_of(accuracy(BOARD), ACCESSES).splitlines()]
    assert len(rows) == 18
    for name, _, mean_error, _, _, most_groups_off, _ in rows:
        assert float(mean_error) < looser.get(name, 0.0002), name
        assert int(most_groups_off) <= 1, name
