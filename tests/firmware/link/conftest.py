# SPDX-License-Identifier: BSD-2-Clause
"""Build the C programs of these tests under build/link, once for all workers, and start the peer device."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.firmware.link.peer import Peer
from tests.firmware.service.served import built_service
from tests.products import alone_in, make

HERE = Path(__file__).parent
BUILD = HERE.parents[2] / "build" / "link"


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the built programs: codec, codec-mutant, guards."""
    with alone_in(BUILD):
        make(HERE, f"BUILD={BUILD}", f"PYTHON={sys.executable}")
    return BUILD


@pytest.fixture(scope="session")
def service() -> Path:
    """The service that peers answer by."""
    return built_service()


@pytest.fixture
def start_peer(service: Path) -> Iterator[Callable[..., Peer]]:
    """Start a peer on its own port, with the options of `Peer`."""
    started: list[Peer] = []

    def start(**options: object) -> Peer:
        started.append(Peer(service, **options))
        return started[-1]

    yield start
    for peer in started:
        peer.end()
