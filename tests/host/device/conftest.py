# SPDX-License-Identifier: BSD-2-Clause
"""A device whose answers a test scripts."""

import pytest
from litemrc.device.device import Device

from tests.host.scripted_device import ScriptedLink, device_at


@pytest.fixture
def link() -> ScriptedLink:
    return ScriptedLink()


@pytest.fixture
def device(link: ScriptedLink, monkeypatch: pytest.MonkeyPatch) -> Device:
    return device_at(link, monkeypatch)
