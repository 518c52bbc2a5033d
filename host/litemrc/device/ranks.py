"""The power domains of a device: their sleep policy, requests to sleep, and the working set."""

from dataclasses import dataclass

from litemrc.device.device import Device, printable
from litemrc.device.link.protocol import Message, host_requests


@dataclass(frozen=True)
class Dram:
    """The DRAM that the rank meter of a device observes.

    Attributes:
        ranks: their number.
        virtual: they are equal address slices of one rank, which sleeps only if all may.
        states: names of the power states they reach.
        part: name of the chips.
        chips: side by side in a rank.
        phases: clocks of the DRAM in one of the system.
        kept: what of the array self_refresh_partial keeps, as MR2 of DDR3 takes it.
    """

    ranks: int
    virtual: bool
    states: tuple[str, ...]
    part: str
    chips: int
    phases: int
    kept: int


@dataclass(frozen=True)
class RankPolicy:
    """Who sends domains to sleep; names as in the schema.

    Attributes:
        policy: none, static, dynamic or mrc.
        static_state: of every idle domain, under static.
        mrc_state: of the idle domains without a page of the working set, under mrc.
        mrc_base: policy of the others.
        threshold_power_down, threshold_self_refresh: idle clocks, under dynamic; 0: never.
    """

    policy: str
    static_state: str
    mrc_state: str
    mrc_base: str
    threshold_power_down: int
    threshold_self_refresh: int


@dataclass(frozen=True)
class WorkingSetSize:
    """How many pages of each context's stack are its working set.

    Attributes:
        automatic: found anew at the end of each epoch, the smallest size with at most `epsilon` of the hits
            beyond.
        groups: page groups, where it is not automatic.
        epsilon: a fraction from 0 to below 1.
    """

    automatic: bool
    groups: int
    epsilon: float


_EPSILON_UNIT = 1 << 16


def power_states() -> tuple[str, ...]:
    """Names of the states that a domain can be sent to."""
    return tuple(_choices("set_rank_state", "state"))


def power_state_number(name: str) -> int:
    """The number that the registers have for a power state."""
    return _choices("set_rank_state", "state")[name]


def rank_policies() -> tuple[str, ...]:
    """Names of the policies."""
    return tuple(_choices("set_rank_policy", "policy"))


def get_dram(device: Device) -> Dram:
    """Return the DRAM that the rank meter observes.

    Raises:
        LinkError: as `get_policy`; it meters none.
    """
    answer = device.request_of("rank meter and no rank power", "sim-ranks", "get_dram")
    ranks, virtual, states, chips, phases, kept = device.numbers(answer, 6)
    reachable = tuple(
        name for name, number in _choices("set_rank_state", "state").items() if states >> number & 1
    )
    part = printable(answer.payload.decode(errors="replace"))
    return Dram(ranks, bool(virtual), reachable, part, chips, phases, kept)


def get_policy(device: Device) -> RankPolicy:
    """Ask for the policy in force.

    Raises:
        LinkError: the device refuses, sends nonsense, or is gone.
    """
    return _policy(device, device.request("get_rank_policy"))


def set_policy(device: Device, policy: RankPolicy) -> RankPolicy:
    """Change the policy; returns the one in force.

    Raises:
        LinkError: as `get_policy`; a state the DRAM cannot reach, or mrc as its own base.
    """
    return _policy(device, device.request("set_rank_policy", **vars(policy)))


def set_state(device: Device, domain: int, state: str) -> None:
    """Send a domain to a state, as soon as it is idle, until an access or another request wakes it.

    Raises:
        LinkError: as `get_policy`; the device runs from the domain, or data would be lost.
    """
    device.request("set_rank_state", domain=domain, state=state)


def set_loss(device: Device, domain: int, *, allowed: bool, part: int = 0) -> None:
    """Say whether a domain may lose data in self_refresh_partial, and what part of the ranks keeps them.

    Raises:
        LinkError: as `get_policy`; live pages are in the domain.
    """
    device.request("set_rank_loss", domain=domain, allowed=allowed, part=part)


def get_working_set(device: Device) -> WorkingSetSize:
    """Ask what counts as the working set.

    Raises:
        LinkError: as `get_policy`.
    """
    return _working_set(device, device.request("get_working_set"))


def set_working_set(device: Device, size: WorkingSetSize) -> WorkingSetSize:
    """Say what counts as the working set; returns what is in force.

    Raises:
        LinkError: as `get_policy`; more groups than a stack has.
    """
    epsilon = round(size.epsilon * _EPSILON_UNIT)
    answer = device.request("set_working_set", automatic=size.automatic, groups=size.groups, epsilon=epsilon)
    return _working_set(device, answer)


def _choices(request: str, field: str) -> dict[str, int]:
    (found,) = (f for f in host_requests().types[request].body if f.name == field)
    return dict(found.choices)


def _policy(device: Device, answer: Message) -> RankPolicy:
    policy, static_state, mrc_state, mrc_base, *thresholds = device.numbers(answer, 6)
    return RankPolicy(
        device.choice("set_rank_policy", "policy", policy),
        device.choice("set_rank_policy", "static_state", static_state),
        device.choice("set_rank_policy", "mrc_state", mrc_state),
        device.choice("set_rank_policy", "mrc_base", mrc_base),
        *thresholds,
    )


def _working_set(device: Device, answer: Message) -> WorkingSetSize:
    automatic, groups, epsilon = device.numbers(answer, 3)
    return WorkingSetSize(bool(automatic), groups, epsilon / _EPSILON_UNIT)
