# SPDX-License-Identifier: BSD-2-Clause
"""A device under a lease: changed settings are sent, and expire with the lease."""

from collections.abc import Mapping
from dataclasses import replace

from litemrc.device.contexts import Budget, get_budget, set_budget
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.rank_commands import WorkingSetSize, get_dram, get_policy, set_policy, set_working_set
from litemrc.errors import UserError

_MOST_CYCLES = 2**32 - 1
# Idle cycles before a rank of the working set enters power-down, where no threshold is set.
_POWER_DOWN_CLOCKS = 100


def lease_cycles(device: Device, seconds: float) -> int:
    """A lease of n seconds of the device's clock, in its cycles.

    Raises
    ------
    UserError
        the device cannot count that far.
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

    Raises
    ------
    LinkError
        the device knows no leases, or is gone.
    """
    device.request("set_lease", cycles=cycles)


def end_lease(device: Device) -> None:
    """End the lease: the device restores its own settings.

    Raises
    ------
    LinkError
        as `take_lease`.
    """
    device.request("set_lease", cycles=0)


class GovernedDevice:
    """Applies budgets and the size of the working set to a device.

    Parameters
    ----------
    lease_cycles
        how long the device obeys without hearing from here, in its clock cycles.
    energy
        its ranks are governed, too.
    dry_run
        nothing is sent.

    Attributes
    ----------
    budgets
        in force, pages by context.
    groups
        size of the working set in force; None: not sent yet.
    answers
        what the device answered to the last budget of each context.

    Raises
    ------
    UserError
        its ranks are to be governed, and it has none.
    LinkError
        it is gone, or knows no leases.
    """

    def __init__(self, device: Device, lease_cycles: int, *, energy: bool, dry_run: bool) -> None:
        self.budgets: dict[int, int] = {}
        self.groups: int | None = None
        self.answers: dict[int, Budget] = {}
        self._device, self._lease_cycles = device, lease_cycles
        self._energy, self._dry_run = energy, dry_run
        states = get_dram(device).states if energy else ()
        self.prolong()
        if energy and not dry_run:
            self._let_ranks_sleep(states)

    def prolong(self) -> None:
        """Take or renew the lease."""
        if not self._dry_run:
            take_lease(self._device, self._lease_cycles)

    def obey(self, budgets: Mapping[int, int], groups: int) -> bool:
        """Send budgets and the working set that changed; return whether any did.

        Raises
        ------
        LinkError
            the device is gone, or refuses for another reason than that a program has ended.
        """
        changed = {context: pages for context, pages in budgets.items() if self.budgets.get(context) != pages}
        self.budgets |= changed
        resized = self._energy and groups != self.groups
        self.groups = groups
        if self._dry_run:
            return bool(changed) or resized
        for context, pages in changed.items():
            self._set_budget(context, pages)
        if resized:
            set_working_set(self._device, WorkingSetSize(automatic=False, groups=groups, epsilon=0.0))
        return bool(changed) or resized

    def forget_budget(self, context: int) -> None:
        """A program began in this context and has no budget yet."""
        self.budgets = {other: pages for other, pages in self.budgets.items() if other < context}

    def has_budget(self, context: int) -> bool:
        """Return whether the device divides memory between this context and others."""
        return get_budget(self._device, context) is not None

    def release(self) -> None:
        """End the lease: the device returns to its own settings."""
        if not self._dry_run:
            end_lease(self._device)

    def _set_budget(self, context: int, pages: int) -> None:
        try:
            self.answers[context] = set_budget(self._device, context, pages)
        except RequestRefusedError as refused:
            if refused.code != "busy":
                raise
            del self.budgets[context]  # its program has ended, or its cgroup is gone

    def _let_ranks_sleep(self, states: tuple[str, ...]) -> None:
        """Set the deepest state that keeps data for ranks outside the working set, power-down for others."""
        before = get_policy(self._device)
        set_policy(
            self._device,
            replace(
                before,
                policy="mrc",
                mrc_state="self_refresh" if "self_refresh" in states else "power_down",
                mrc_base="dynamic",
                threshold_power_down=before.threshold_power_down or _POWER_DOWN_CLOCKS,
            ),
        )
