"""Leases: the time for which a device keeps a host's settings without contact."""

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
    """Take or renew the lease on rank policy, working set and budgets.

    When the lease ends, the device goes back to the policy, working set and budgets of cgroups that it had
    before, and lifts the budgets of its pager.

    Raises:
        LinkError: the device knows no leases, or is gone.
    """
    device.request("set_lease", cycles=cycles)


def end_lease(device: Device) -> None:
    """End the lease: the device restores its own settings.

    Raises:
        LinkError: as `take_lease`.
    """
    device.request("set_lease", cycles=0)
