"""Runs benches and reads what they have counted."""

import subprocess

from patience import patience

BENCH_SECONDS = 300


def run(*command: object, seconds: float = BENCH_SECONDS) -> subprocess.CompletedProcess:
    """A finished bench: it returned 0 if it found no difference, 1 if it did."""
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=patience(seconds))


def output_of(*command: object, seconds: float = BENCH_SECONDS) -> str:
    """What a program prints that must succeed, a bench that finds no difference."""
    done = run(*command, seconds=seconds)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def counts_of(*command: object, seconds: float = BENCH_SECONDS) -> dict[str, float]:
    """What a bench that must find no difference has counted."""
    output = output_of(*command, seconds=seconds)
    print(output)
    return {name: float(value) for name, value in map(str.split, output.splitlines())}
