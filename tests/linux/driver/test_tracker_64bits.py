# SPDX-License-Identifier: BSD-2-Clause
"""The tracker on 64 bits, as its golden model says: page numbers of Sv48 need more than 32."""

import pytest

from tests.linux.driver.building import ROOT
from tests.linux.driver.conftest import boot
from tests.linux.driver.guest import Guests
from tests.linux.driver.test_harts import KERNEL, QEMU, SBI, pytestmark  # noqa: F401
from tests.linux.driver.test_tracker_module import (  # noqa: F401
    test_faults_and_scans_are_those_of_the_golden_model,
    tracker,
)


@pytest.fixture(scope="module")
def guests():
    """Yield guests of one hart, as the tracker wants."""
    out = ROOT / "build/linux/driver-tests-smp"
    one = [word if word != "4" else "1" for word in QEMU]
    guests = Guests(lambda: boot(SBI, KERNEL, out, memory_mb=64, timeout_s=120, qemu=one))
    yield guests
    guests.close()
