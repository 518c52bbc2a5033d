# SPDX-License-Identifier: BSD-2-Clause
import pytest
from litemrc.cluster.scheduler import open_client


@pytest.fixture(scope="session")
def scheduler():
    """The address of a scheduler with two workers."""
    with open_client(None, workers=2, say=lambda text: None) as client:
        yield client.scheduler.address
