# SPDX-License-Identifier: BSD-2-Clause
"""The SoC without a processor behind LiteX's own server, with the limits of a busy machine."""

from pathlib import Path

from scripts import bridged_soc
from tests.timeouts import scaled_timeout

ROOT = Path(__file__).resolve().parents[2]


def bridged(build, run_dir):
    """Run a SoC of `sim_bridge.py` with UARTBone, and start its DRAM."""
    return bridged_soc.bridged(build, run_dir, limit_s=scaled_timeout(60))


def litex_server(log, *options):
    """Run `litex_server`; yields the process and its TCP port."""
    return bridged_soc.litex_server(log, *options, limit_s=scaled_timeout(60))
