# SPDX-License-Identifier: BSD-2-Clause
"""The testbenches of hls/ find no difference to their references."""

import subprocess
import sys

import pytest

from tests.products import REPO
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.cosim


def test_c_simulation_of_the_units_passes() -> None:
    command = ["make", "-C", str(REPO / "hls"), f"PYTHON={sys.executable}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(300))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr, done.stderr
    # Ten units in three sizes, and the moves of group_stack; with the vendor's ap_int and hls/small_int.
    # Five of them in three sizes on memories that write late.
    results = done.stdout.count(" as the reference (")
    assert results == 2 * 33 + 15
