# SPDX-License-Identifier: BSD-2-Clause
"""Linux in the simulated SoC: what its tests share."""

from litemrc.device.simulation.simulator import Simulator

from tests.linux.console import Console
from tests.linux.qemu import READY
from tests.timeouts import scaled_timeout


def shell_of(machine: Simulator, timeout_s: float) -> Console:
    """Return a shell that reads whole lines: the console's line editing costs 100,000 cycles per key."""
    machine.wait_ready(scaled_timeout(30))
    console = Console(machine.type, machine.console, lambda: machine.running, timeout_s)
    console.wait_for(READY)
    machine.type(b"cat | sh\n")
    return console
