# SPDX-License-Identifier: BSD-2-Clause
"""DRAMTraffic equals the C++ and plain integers, commands in every cycle; the C++ equals the golden model."""

from pathlib import Path

import pytest

from tests.cosim.builder import TrafficSizes, replay
from tests.cosim.running import counts_of
from tests.cosim.vectors import write_traffic_vectors

pytestmark = pytest.mark.cosim

FOUR = TrafficSizes(banks=4, counter_bits=5, cycle_bits=8)  # counts that saturate
EIGHT = TrafficSizes(banks=8)
SIXTEEN = TrafficSizes(banks=16, ranks=2)
THIRTY_TWO = TrafficSizes(banks=32, ranks=4)  # two of which count together


@pytest.mark.parametrize("sizes", [FOUR, EIGHT, SIXTEEN, THIRTY_TWO], ids=str)
def test_cpp_is_the_golden_model_on_its_vectors(sizes: TrafficSizes, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    write_traffic_vectors(vectors, sizes, 7, cycles=30_000)
    counts = counts_of(replay("dram_traffic", sizes), vectors)
    assert counts["cycles"] == 30_000
    assert min(counts["epochs"], counts["commands"]) > 1_000
    assert (counts["overflows"] > 0) == (sizes.cycle_bits < 36)
