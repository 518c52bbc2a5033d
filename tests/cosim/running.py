# SPDX-License-Identifier: BSD-2-Clause
"""Runs benches and reads their counts."""

import subprocess

from tests.timeouts import scaled_timeout

BENCH_SECONDS = 300


def run(*command: object, seconds: float = BENCH_SECONDS) -> subprocess.CompletedProcess:
    """Run a bench; its exit code is 0 if it found no difference, else 1."""
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=scaled_timeout(seconds)
    )


def output_of(*command: object, seconds: float = BENCH_SECONDS) -> str:
    """Return the output of a program, which must succeed."""
    done = run(*command, seconds=seconds)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def counts_of(*command: object, seconds: float = BENCH_SECONDS) -> dict[str, float]:
    """Return the counts of a bench, which must find no difference."""
    output = output_of(*command, seconds=seconds)
    print(output)
    return {name: float(value) for name, value in map(str.split, output.splitlines())}
