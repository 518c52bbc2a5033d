# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc soc` as a user meets it: it prints the link, serves a device there and ends by Ctrl-C."""

import json
import signal
import subprocess
import sys

import pytest
from litemrc.device.device import Device

from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc


def test_soc_prints_its_link_serves_a_device_and_ends_by_ctrl_c(build_arguments, cli_environment, tmp_path):
    command = [sys.executable, "-m", "litemrc.cli.main", "soc", *build_arguments, "--json", "-o", tmp_path]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cli_environment
    ) as process:
        described = json.loads(process.stdout.readline())
        assert described["console"] == str(tmp_path / "console.log")
        with Device(described["link"], timeout_s=scaled_timeout(60)) as device:
            assert device.hello.frames == 8192
        process.send_signal(signal.SIGINT)
        _, notes = process.communicate(timeout=scaled_timeout(30))

    assert process.returncode == 0
    assert notes == "litemrc: note: Ctrl-C ends the simulation\n"
