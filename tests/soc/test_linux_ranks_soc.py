# SPDX-License-Identifier: BSD-2-Clause
"""The SoC of Linux on several ranks of DDR3: it takes Linux's images, and what cannot boot is refused."""

import subprocess
import sys
from pathlib import Path

import pytest
from litemrc_soc.sim import SimSoC, simulator_io
from litex.build.sim import SimPlatform

SIM = Path(__file__).resolve().parents[2] / "litex-soc/litemrc_soc/sim.py"


@pytest.fixture(scope="module")
def linux_ranks():
    return SimSoC(SimPlatform("SIM", simulator_io(4, "linux")), "linux", 4, engine="group_stack", groups=256)


def test_its_dram_takes_images_and_needs_no_initialisation(linux_ranks):
    """The shim does not load mode registers, so that the model must start with them."""
    assert linux_ranks.dram_layout == {"base": 0x4000_0000, "bytes": 64 << 20, "module": "ddr3"}
    assert linux_ranks.ddr3_arguments["cl"] > 0 and linux_ranks.ddr3_arguments["cwl"] > 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--variant", "linux", "--ranks", "3"), "--ranks 3: a power of two from 1 to 8"),
        (("--variant", "linux", "--ranks", "16"), "--ranks 16: a power of two from 1 to 8"),
        (("--ranks", "4", "--engine", "bucket_stack"), "--ranks needs --engine group_stack"),
    ],
)
def test_what_cannot_boot_is_refused_with_the_remedy(tmp_path, options, sentence):
    command = [sys.executable, SIM, "--output", tmp_path / "sim", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not (tmp_path / "sim").exists()
