"""The checker of DDR3 streams, compiled once for all workers."""

import fcntl
from pathlib import Path

import checker_program
import pytest
from checker_program import BUILD, CHECKED, MODEL, compile_checker


@pytest.fixture(scope="session")
def check_stream() -> Path:
    """The program; with sanitizers."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / "check_stream"
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        inputs = [*MODEL.glob("*.?pp"), Path(checker_program.__file__)]
        newest = max(path.stat().st_mtime_ns for path in inputs)
        if not program.exists() or program.stat().st_mtime_ns < newest:
            compile_checker(MODEL, program, *CHECKED)
    return program
