# SPDX-License-Identifier: BSD-2-Clause
"""Compiles check_stream.cpp of the DDR3 model under build/ddr3_model."""

import subprocess
from pathlib import Path

REPO = Path(__file__).parents[3]
MODEL = REPO / "litex-soc" / "ddr3_model"
BUILD = REPO / "build" / "ddr3_model"
CHECKED = ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined")


def compile_checker(sources: Path, program: Path, *flags: str) -> None:
    """Compile the program of the model in `sources` to `program`."""
    command = ["g++", "-std=c++17", *flags, sources / "check_stream.cpp", "-o", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
