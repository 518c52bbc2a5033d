# SPDX-License-Identifier: BSD-2-Clause
"""The simulated SoC of `make sim firmware`, for all tests of this folder; LITEMRC_SIM names another one."""

import os
from pathlib import Path

import pytest
from litemrc.device.simulation.simulator import Simulator

ROOT = Path(__file__).resolve().parents[2]
SIM = ROOT / os.environ.get("LITEMRC_SIM", "build/sim")
FIRMWARE = ROOT / os.environ.get("LITEMRC_FIRMWARE", "build/firmware/firmware.bin")


@pytest.fixture(scope="session")
def soc(tmp_path_factory):
    """soc(bootargs="") -> Simulator, not yet started, in a folder of its own."""
    return lambda bootargs="": Simulator(SIM, FIRMWARE, tmp_path_factory.mktemp("soc") / "run", bootargs)


@pytest.fixture(scope="session")
def build_arguments():
    """Options of `litemrc demo soc` that name the build."""
    return ["--sim", str(SIM), "--firmware", str(FIRMWARE)]


@pytest.fixture(scope="session")
def cli_environment():
    """Environment for the command line as a subprocess: no terminal tricks."""
    return {**os.environ, "TERM": "dumb", "COLUMNS": "120"}
