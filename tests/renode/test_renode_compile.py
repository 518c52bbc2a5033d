# SPDX-License-Identifier: BSD-2-Clause
"""A peripheral that a Renode cannot compile: whoever sees that also sees which Renode it needs."""

import shutil
import subprocess

import pytest

from tests.renode.renode_machine import REPO, why_not
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.skipif(bool(why_not()), reason=str(why_not()))


def test_what_does_not_compile_names_the_renode_it_needs(tmp_path):
    copy = tmp_path / "renode"
    shutil.copytree(REPO / "renode", copy)
    peripheral = copy / "peripherals/RankPower.cs"
    peripheral.write_text(peripheral.read_text().replace("IDoubleWordPeripheral", "INoSuchPeripheral"))
    command = [
        "renode",
        "--disable-xwt",
        "--console",
        "--plain",
        "-e",
        f"include @{copy}/peripherals.resc; quit",
    ]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=scaled_timeout(120)
    )
    said = done.stdout + done.stderr
    assert "need Renode 1.15.2" in said
    assert "error CS" in said[said.index("need Renode 1.15.2") :]
