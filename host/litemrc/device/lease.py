"""Leases: how long a device obeys a host that governs it and then falls silent."""

from litemrc.device.device import Device
from litemrc.errors import UserError

_MOST_CYCLES = 2**32 - 1


def lease_cycles(device: Device, seconds: float) -> int:
    """A lease of so many seconds of the device's clock, in its cycles.

    Raises:
        UserError: the device cannot count that far.
    """
    cycles = round(seconds * device.hello.clock_hz)
    if not 1 <= cycles <= _MOST_CYCLES:
        raise UserError(
            f"a lease of {seconds:g} s is {cycles:,} clock cycles of the device",
            where=device.url,
            remedy=f"give up to {_MOST_CYCLES / device.hello.clock_hz:.0f} s",
        )
    return cycles


def take_lease(device: Device, cycles: int) -> None:
    """Answer for rank policy, working set and budgets from now on, or longer than before.

    When the lease ends, the device goes back to the policy and working set it had before, and lifts budgets.

    Raises:
        LinkError: the device knows no leases, or is gone.
    """
    device.request("set_lease", cycles=cycles)


def end_lease(device: Device) -> None:
    """Have the device go back to its own settings now.

    Raises:
        LinkError: as `take_lease`.
    """
    device.request("set_lease", cycles=0)
