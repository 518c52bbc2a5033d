# SPDX-License-Identifier: BSD-2-Clause
"""The power domains of a device: policy, power states and the working set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litemrc.device.link.protocol import Message, host_requests
from litemrc.ranks.activity import KEPT
from litemrc.texts import printable

if TYPE_CHECKING:
    from litemrc.device.device import Device
    from litemrc.ranks.table import RankRows, RankTable


@dataclass(frozen=True)
class Dram:
    """The DRAM that the rank meter of a device observes.

    Attributes
    ----------
    ranks
        number of ranks.
    virtual
        the ranks are equal address slices of one rank, which sleeps only if all slices may.
    states
        names of the power states they reach.
    part
        part name of the chips.
    chips
        chips per rank.
    phases
        DRAM cycles per system cycle.
    kept
        part of the array that self_refresh_partial keeps, in the encoding of DDR3's MR2.
    """

    ranks: int
    virtual: bool
    states: tuple[str, ...]
    part: str
    chips: int
    phases: int
    kept: int

    def table(self, parts: "Sequence[RankRows]", clock_hz: int, *, interrupted: bool = False) -> "RankTable":
        """Return the rows of epochs as a table; `clock_hz` is the device's system clock."""
        from litemrc.ranks.table import RankTable  # numpy takes long to load

        return RankTable.from_rows(
            parts,
            clock_hz=clock_hz,
            phases=self.phases,
            domains=self.ranks,
            virtual=self.virtual,
            chips=self.chips,
            part=self.part,
            partial=self.kept,
            interrupted=interrupted,
        )


@dataclass(frozen=True)
class RankPolicy:
    """Policy that sends domains to sleep; names from the schema.

    Attributes
    ----------
    policy
        none, static, dynamic or mrc.
    static_state
        of every idle domain, under static.
    mrc_state
        of the idle domains without a page of the working set, under mrc.
    mrc_base
        policy of the others.
    threshold_power_down, threshold_self_refresh
        idle cycles, under dynamic; 0: never.
    """

    policy: str
    static_state: str
    mrc_state: str
    mrc_base: str
    threshold_power_down: int
    threshold_self_refresh: int


@dataclass(frozen=True)
class WorkingSetSize:
    """Size of the working set in each context's stack.

    Attributes
    ----------
    automatic
        computed at the end of each epoch: the smallest size with at most `epsilon` of the hits
        beyond it.
    groups
        page groups, where it is not automatic.
    epsilon
        a fraction from 0 to below 1.
    """

    automatic: bool
    groups: int
    epsilon: float


_EPSILON_UNIT = 1 << 16
_MOST_RANKS, _MOST_CHIPS = 255, 64
_MOST_PHASES = 1 << 16  # an emulated processor's clock may be slow


def power_states() -> tuple[str, ...]:
    """Return the names of the states that can be requested."""
    return tuple(_choices("set_rank_state", "state"))


def power_state_number(name: str) -> int:
    """Return the number of a power state in the registers."""
    return _choices("set_rank_state", "state")[name]


def get_dram(device: "Device") -> Dram:
    """Return the DRAM that the rank meter observes.

    Raises
    ------
    LinkError
        as `get_policy`; or the device has no rank meter.
    """
    answer = device.request_of("rank meter and no rank power", "sim-ranks", "get_dram")
    ranks, virtual, states, chips, phases, kept = device.numbers(answer, 6)
    reachable = tuple(
        name for name, number in _choices("set_rank_state", "state").items() if states >> number & 1
    )
    most = device.hello.ranks or _MOST_RANKS
    if not (
        1 <= ranks <= most and 1 <= chips <= _MOST_CHIPS and 1 <= phases <= _MOST_PHASES and kept < len(KEPT)
    ):
        raise device.fault(
            f"a DRAM of {ranks} of {most} ranks with {chips} chips each, {phases} DRAM cycles per cycle and"
            f" part {kept} retained"
        )
    part = printable(answer.payload.decode(errors="replace"))
    return Dram(ranks, bool(virtual), reachable, part, chips, phases, kept)


def get_policy(device: "Device") -> RankPolicy:
    """Return the current policy.

    Raises
    ------
    LinkError
        the device refuses, sends nonsense, or is gone.
    """
    return _policy(device, device.request("get_rank_policy"))


def set_policy(device: "Device", policy: RankPolicy) -> RankPolicy:
    """Change the policy and return the resulting one.

    Raises
    ------
    LinkError
        as `get_policy`; a state the DRAM cannot reach, or mrc as its own base.
    """
    return _policy(device, device.request("set_rank_policy", **vars(policy)))


def set_state(device: "Device", domain: int, state: str) -> None:
    """Send a domain to a state, as soon as it is idle, until an access or another request wakes it.

    Raises
    ------
    LinkError
        as `get_policy`; the device runs from the domain, or data would be lost.
    """
    device.request("set_rank_state", domain=domain, state=state)


def set_loss(device: "Device", domain: int, *, allowed: bool, part: int = 0) -> None:
    """Set whether a domain may lose data in self_refresh_partial, and the part of the ranks that keeps data.

    Raises
    ------
    LinkError
        as `get_policy`; live pages are in the domain.
    """
    device.request("set_rank_loss", domain=domain, allowed=allowed, part=part)


def get_working_set(device: "Device") -> WorkingSetSize:
    """Return the size of the working set.

    Raises
    ------
    LinkError
        as `get_policy`.
    """
    return _working_set(device, device.request("get_working_set"))


def set_working_set(device: "Device", size: WorkingSetSize) -> WorkingSetSize:
    """Set the size of the working set and return the resulting one.

    Raises
    ------
    LinkError
        as `get_policy`; more groups than a stack has.
    """
    epsilon = round(size.epsilon * _EPSILON_UNIT)
    answer = device.request("set_working_set", automatic=size.automatic, groups=size.groups, epsilon=epsilon)
    return _working_set(device, answer)


def _choices(request: str, field: str) -> dict[str, int]:
    return dict(host_requests().field(request, field).choices)


def _policy(device: "Device", answer: Message) -> RankPolicy:
    policy, static_state, mrc_state, mrc_base, *thresholds = device.numbers(answer, 6)
    return RankPolicy(
        device.choice("set_rank_policy", "policy", policy),
        device.choice("set_rank_policy", "static_state", static_state),
        device.choice("set_rank_policy", "mrc_state", mrc_state),
        device.choice("set_rank_policy", "mrc_base", mrc_base),
        *thresholds,
    )


def _working_set(device: "Device", answer: Message) -> WorkingSetSize:
    automatic, groups, epsilon = device.numbers(answer, 3)
    return WorkingSetSize(bool(automatic), groups, epsilon / _EPSILON_UNIT)
