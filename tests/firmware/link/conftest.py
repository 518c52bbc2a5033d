# SPDX-License-Identifier: BSD-2-Clause
"""Build the C programs of these tests under build/link, once for all workers, and start the peer device."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.products import alone_in
from tests.timeouts import scaled_timeout

HERE = Path(__file__).parent
BUILD = HERE.parents[2] / "build" / "link"


@dataclass
class Peer:
    """A running peer program (peer.c)."""

    url: str
    process: subprocess.Popen

    def messages_sent(self) -> int:
        """Wait for the peer to end after the host hung up; return the number of epoch messages it sent."""
        said, _ = self.process.communicate(timeout=scaled_timeout(10))
        assert self.process.returncode == 0, "the sanitizers found something: see stderr"
        return int(said.split()[-1])


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the built programs: codec, codec-mutant, peer."""
    with alone_in(BUILD):
        make = ["make", "--no-print-directory", "-C", HERE, f"BUILD={BUILD}", f"PYTHON={sys.executable}"]
        environment = {
            name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")
        }
        done = subprocess.run(make, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return BUILD


@pytest.fixture
def start_peer(programs: Path) -> Iterator[Callable[..., Peer]]:
    """Start a peer on its own port, with the options of peer.c as keywords."""
    started = []

    def start(**options: object) -> Peer:
        arguments = [f"{name}={value}" for name, value in options.items()]
        process = subprocess.Popen([programs / "peer", *arguments], stdout=subprocess.PIPE, text=True)
        started.append(process)
        port = process.stdout.readline().split()[1]
        return Peer(f"socket://127.0.0.1:{port}", process)

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
