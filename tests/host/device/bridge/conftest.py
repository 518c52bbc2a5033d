# SPDX-License-Identifier: BSD-2-Clause
"""A device behind LiteX's server, whose SoC is plain numbers."""

import pytest
from litemrc.device.device import Device

from tests.host.device.bridge.fake_soc import FakeSoC, served
from tests.timeouts import scaled_timeout

pytest.importorskip("litex")


@pytest.fixture
def soc():
    return FakeSoC()


@pytest.fixture
def device(soc, tmp_path):
    with served(soc, tmp_path) as url, Device(url, timeout_s=scaled_timeout(5)) as device:
        yield device
