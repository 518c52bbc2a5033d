# SPDX-License-Identifier: BSD-2-Clause
"""The native decoders under sanitizers: kept and well-formed inputs, and mutations of them, find nothing."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.native import seeds
from tests.fuzz.target import HERE, kept_inputs
from tests.products import alone_in, make
from tests.timeouts import scaled_timeout

BUILD = HERE.parents[1] / "build" / "fuzz-native"
MUTATIONS = 20_000
WELL_FORMED: dict[str, Callable[[], list[bytes]]] = {
    "link_requests": lambda: [b"\1" + request for request in seeds.requests()],
    "daemon_input": lambda: list(seeds.sessions()),
}


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the targets, built with gcc; clang and libFuzzer are for long runs (make FUZZER=1)."""
    with alone_in(BUILD):
        make(HERE / "native", f"OUT={BUILD}", f"PYTHON={sys.executable}")
    return BUILD


def run(program: Path, inputs: list[bytes], folder: Path, mutations: int) -> subprocess.CompletedProcess:
    """Try the inputs, and mutations of them."""
    for number, content in enumerate(inputs):
        (folder / f"input{number:04}").write_bytes(content)
    return subprocess.run(
        [program, f"-runs={mutations}", "-seed=1", folder],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        timeout=scaled_timeout(60),
        env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0:handle_abort=1"},
    )


@pytest.mark.parametrize("name", WELL_FORMED)
def test_kept_inputs_and_mutations_of_them_find_nothing(programs, name, tmp_path):
    (folder := tmp_path / "inputs").mkdir()
    ran = run(programs / name, [*WELL_FORMED[name](), *kept_inputs(name)], folder, MUTATIONS)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert f"and {MUTATIONS} mutations: nothing found" in ran.stdout
