# SPDX-License-Identifier: BSD-2-Clause
"""The testbench of dram_traffic finds a changed line of the unit; `make -C hls` runs it without a fault."""

import shutil
import subprocess

import pytest

from tests.compiling import CXX_FLAGS
from tests.mutation import mutated_source
from tests.products import REPO, run_tool
from tests.timeouts import scaled_timeout

HLS = REPO / "hls"
SIZES = ("BANKS=32", "RANKS=2", "COUNTER_BITS=3", "CYCLE_BITS=8")
FAULTS = {
    "first_access_is_a_hit": (
        "row_hits_.add(index, known, row_accessed_[bank] == 1)",
        "row_hits_.add(index, known, true)",
    ),
    "activate_keeps_the_row_accessed": ("row_accessed_[int(now.activate_bank)] = 0;", ""),
    "precharge_all_closes_for_a_row": ("now.precharge_all | now.refresh", "now.refresh"),
    "refresh_keeps_closes": ("now.precharge_all | now.refresh", "now.precharge_all"),
    "ranks_close_together": ("if (closed[rank_of(bank)])", "if (closed != 0)"),
    "conflicts_count_for_another_bank": (
        "row_conflicts_.add(index, known",
        "row_conflicts_.add(buffer_, known",
    ),
    "activate_opens_no_row": ("row_opened_[int(now.activate_bank)] = 1;", ""),
    "rows_are_followed_only_while_counting": ("    follow(now);", "    if (now.count)\n        follow(now);"),
    "queue_is_that_of_a_cycle_later": (
        "level_before_ > totals_[buffer_].queue_peak",
        "level_ > totals_[buffer_].queue_peak",
    ),
    "clear_ends_the_epoch": ("if (now.clear)", "if (false)"),
    "counts_outlive_their_epoch": (
        "const bool known = totals.activated[counted] == 1;",
        "const bool known = true;",
    ),
    "cycles_wrap": ("totals.cycles[CYCLE_BITS] == 0", "true"),
    "refreshes_wrap": (" && totals.refreshes != counter_t(~counter_t(0))", ""),
}


@pytest.mark.parametrize(("old", "new"), FAULTS.values(), ids=FAULTS)
def test_the_testbench_finds_a_fault(tmp_path, old: str, new: str) -> None:
    sources = tmp_path / "hls"
    for part in ("common", "small_int", "dram_traffic"):
        shutil.copytree(HLS / part, sources / part)
    source = sources / "dram_traffic" / "dram_traffic.cpp"
    source.write_text(mutated_source(HLS / "dram_traffic" / "dram_traffic.cpp", old, new))
    files = [source, sources / "dram_traffic" / "dram_traffic_tb.cpp", "-o", tmp_path / "bench"]
    sizes = [f"-DLITEMRC_{size}" for size in SIZES]
    run_tool(["g++", *CXX_FLAGS, "-O0", *sizes, "-isystem", sources / "small_int", *files])
    done = subprocess.run(
        [tmp_path / "bench", "60000"], capture_output=True, text=True, timeout=scaled_timeout(60)
    )
    assert done.returncode == 1, done.stdout
    assert "dram_traffic_tb: cycle" in done.stderr, done.stderr
