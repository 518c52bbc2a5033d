# SPDX-License-Identifier: BSD-2-Clause
"""The cost of a fault, as a device with an operating system measures it."""

import time
from dataclasses import dataclass

from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError, SilentDeviceError

_POLL_S = 0.2


@dataclass(frozen=True)
class FaultTimes:
    """Time of a page's return from swap, with the eviction that it forces, in ns.

    Attributes
    ----------
    blocks, faults
        of the measurement.
    low, median, high
        10th, 50th and 90th percentile over the blocks of the mean time in a block.
    """

    blocks: int
    faults: int
    low: int
    median: int
    high: int


def measure_fault_cost(device: Device, timeout_s: float) -> FaultTimes:
    """Have the device measure the cost of a fault, and return it.

    Parameters
    ----------
    timeout_s
        for the measurement, which takes up to 20 s of the device's clock.

    Raises
    ------
    RequestRefusedError
        the device cannot evict pages: it has no operating system, or no swap.
    SilentDeviceError
        the measurement takes too long.
    LinkError
        the device is gone, or sends nonsense.
    """
    device.request("measure_fault_cost")
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            answer = device.request("get_fault_cost")
        except RequestRefusedError as refused:
            if refused.code != "busy":
                raise
        else:
            return FaultTimes(*device.numbers(answer, 5))
        if time.monotonic() > deadline:
            raise SilentDeviceError(
                f"the measurement of a fault's cost did not end within {timeout_s:g} s",
                where=device.url,
                remedy="give it more time with --timeout, or name the cost with --fault-cost",
            )
        time.sleep(_POLL_S)
