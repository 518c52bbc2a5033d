# SPDX-License-Identifier: BSD-2-Clause
"""The testbench of hot_pages finds a changed line of the unit; `make -C hls` runs it without a fault."""

import shutil
import subprocess

import pytest

from tests.compiling import CXX_FLAGS
from tests.mutation import mutated_source
from tests.products import REPO, run_tool
from tests.timeouts import scaled_timeout

HLS = REPO / "hls"
SIZES = ("FRAMES=256", "GROUPS=16", "HOT_SETS=32", "HOT_PAGES=8", "HOT_COUNT_BITS=7", "HOT_ERROR_BITS=3")
FAULTS = {
    "error_is_not_inherited": ("hot_error_t(inherited)}", "hot_error_t(0)}"),
    "neighbours_are_admitted": ("neighbour || !admits", "!admits"),
    "window_is_shorter": ("int i = HOT_WINDOW - 1; i >= 0", "int i = HOT_WINDOW - 2; i >= 0"),
    "equal_counts_change_places": ("page.count > this->page(at - 1)", "page.count >= this->page(at - 1)"),
    "upper_frame_is_left_out": ("op.frame <= settings.upper", "op.frame < settings.upper"),
    "sampling_is_of_one_more_bit": (">> HOT_ADMISSION_BITS) & unsampled", ">> HOT_ADMISSION_BITS) & 1"),
    "saturation_is_not_said": ("running_.saturated = 1;", ""),
    "random_numbers_go_on": ("random_ = SEED;", "random_ = swept_ ? random_ : ap_uint<32>(SEED + 1);"),
}


@pytest.mark.parametrize(("old", "new"), FAULTS.values(), ids=FAULTS)
def test_the_testbench_finds_a_fault(tmp_path, old: str, new: str) -> None:
    sources = tmp_path / "hls"
    for part in ("common", "small_int", "hot_pages"):
        shutil.copytree(HLS / part, sources / part)
    source = sources / "hot_pages" / "hot_pages.cpp"
    source.write_text(mutated_source(HLS / "hot_pages" / "hot_pages.cpp", old, new))
    files = [source, sources / "hot_pages" / "hot_pages_tb.cpp", "-o", tmp_path / "bench"]
    sizes = [f"-DLITEMRC_{size}" for size in SIZES]
    run_tool(["g++", *CXX_FLAGS, "-O0", *sizes, "-isystem", sources / "small_int", *files])
    done = subprocess.run(
        [tmp_path / "bench", "60000"], capture_output=True, text=True, timeout=scaled_timeout(60)
    )
    assert done.returncode == 1, done.stdout
    assert "hot_pages_tb: operation" in done.stderr, done.stderr
