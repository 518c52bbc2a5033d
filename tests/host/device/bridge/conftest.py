"""A device behind LiteX's server, whose SoC is plain numbers."""

import pytest
from fake_soc import FakeSoC, served
from litemrc.device.device import Device
from patience import patience

pytest.importorskip("litex")


@pytest.fixture
def soc():
    return FakeSoC()


@pytest.fixture
def device(soc, tmp_path):
    with served(soc, tmp_path) as url, Device.open(url, timeout_s=patience(5)) as device:
        yield device
