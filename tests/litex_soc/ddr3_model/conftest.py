# SPDX-License-Identifier: BSD-2-Clause
"""The checker of DDR3 streams, compiled once for all workers."""

from pathlib import Path

import pytest

from tests.litex_soc.ddr3_model import checker_program
from tests.litex_soc.ddr3_model.checker_program import BUILD, CHECKED, MODEL, compile_checker
from tests.products import alone_in


@pytest.fixture(scope="session")
def check_stream() -> Path:
    """The program; with sanitizers."""
    program = BUILD / "check_stream"
    with alone_in(BUILD):
        inputs = [*MODEL.glob("*.?pp"), Path(checker_program.__file__)]
        newest = max(path.stat().st_mtime_ns for path in inputs)
        if not program.exists() or program.stat().st_mtime_ns < newest:
            compile_checker(MODEL, program, *CHECKED)
    return program
