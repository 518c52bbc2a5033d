"""Compiles check_stream.cpp under build/ddr3_model, once for all workers."""

import fcntl
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).parents[3]
MODEL = REPO / "litex-soc" / "ddr3_model"
BUILD = REPO / "build" / "ddr3_model"
FLAGS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined")


@pytest.fixture(scope="session")
def check_stream() -> Path:
    """The program; with sanitizers."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program, sources = BUILD / "check_stream", sorted(MODEL.glob("*.?pp"))
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(path.stat().st_mtime_ns for path in [*sources, Path(__file__)])
        if not program.exists() or program.stat().st_mtime_ns < newest:
            command = ["g++", *FLAGS, MODEL / "check_stream.cpp", "-o", program]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    return program
