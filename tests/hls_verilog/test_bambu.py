# SPDX-License-Identifier: BSD-2-Clause
"""Verilog that Bambu makes of hls/, in the testbenches of the C simulation and in the monitor's benches."""

import shutil
from pathlib import Path

import pytest

from scripts.hls.bambu import INSTALL, make_verilog
from scripts.hls.tops import HLS, TOPS
from tests.cosim.builder import TRUE_SOURCES, FilterSizes, Sizes, rtl_bench
from tests.cosim.running import run
from tests.hls_verilog.cosimulation import bench
from tests.hls_verilog.recorded import recorded_counts
from tests.mutation import mutated_source
from tests.products import BUILD

pytestmark = [
    pytest.mark.cosim,
    pytest.mark.timeout(0),  # benches have their own limit
    pytest.mark.skipif(shutil.which("bambu") is None, reason=INSTALL),
]

OPERATIONS = 300_000
SECONDS = 1800  # Bambu and the benches, on a busy machine
SOC = Sizes(frames=8192, groups=64, contexts=8)
SOC_FILTER = FilterSizes(8192, 64, 8, memory_frames=8192, recent_pages=4)
# A changed line for each function: source, text, its replacement.
MUTANTS = {
    "group_stack": (
        "group_stack",
        "set_page(passed_on, Page{1, owner, group_t(g)})",
        "set_page(passed_on, Page{1, owner, 0})",
    ),
    "hit_counters": ("hit_counters", "hit || miss, overflow", "hit, overflow"),
    "working_set": ("working_set", "pages & ~page", "pages & page"),
    "bucket_stack": ("bucket_stack", "context.open_pages += 1;", "context.open_pages += 2;"),
    "page_filter": (
        "page_filter",
        "count(uncounted_.outside, frozen);",
        "count(uncounted_.unsampled, frozen);",
    ),
    "rank_meter": ("rank_meter", "if (was && !is)", "if (was)"),
    "ref_counters": ("ref_counters", "count = op.value;", "count = op.value + 1;"),
}


@pytest.mark.parametrize("top", TOPS)
def test_verilog_does_what_the_testbench_of_the_cpp_expects(top: str) -> None:
    counts = recorded_counts(bench(top, make_verilog(top)), OPERATIONS, 1, seconds=SECONDS)
    assert counts["calls"] >= OPERATIONS
    assert counts["resets"] >= 5


@pytest.mark.parametrize("top", MUTANTS)
def test_a_changed_line_of_the_cpp_is_found(top: str) -> None:
    unit, old, new = MUTANTS[top]
    hls = BUILD / "mutants" / f"bambu-{top}" / "hls"
    shutil.copytree(HLS, hls, dirs_exist_ok=True)
    source = hls / unit / f"{unit}.cpp"
    source.write_text(mutated_source(HLS / unit / f"{unit}.cpp", old, new))
    folder = make_verilog(top, hls=hls, label="mutant")
    done = run(bench(top, folder, label="mutant"), OPERATIONS, 1, seconds=SECONDS)
    assert done.returncode == 1, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("kind", "top", "sizes", "units"),
    [
        ("chain", "hls_group_stack", SOC, ("group_stack", "hit_counters")),
        ("counters", "hls_counters", SOC, ("hit_counters",)),
        ("monitor", "monitor-hls_group_stack", SOC_FILTER, ("group_stack", "hit_counters", "working_set")),
    ],
    ids=("chain", "counters", "monitor"),
)
def test_units_in_the_monitor_are_the_cpp(kind: str, top: str, sizes: Sizes, units: tuple[str, ...]) -> None:
    verilog: tuple[Path, ...] = tuple(make_verilog(unit) / f"{unit}.v" for unit in units)
    made = rtl_bench(kind, top, sizes, TRUE_SOURCES, verilog)
    counts = recorded_counts(made, "random", 1, OPERATIONS, seconds=SECONDS)
    assert counts["epochs_compared"] > 50
    assert counts["resets"] >= 1
