"""The enumerations that rank meter, rank power and software share: states, policies, counters."""

from enum import IntEnum


class PowerState(IntEnum):
    """The power state in which a domain's cycle is counted."""

    ACTIVE_STANDBY = 0  # CKE high, a row is open
    PRECHARGE_STANDBY = 1  # CKE high, all rows are closed; also entry to a low state and wake-up
    POWER_DOWN = 2  # precharge power-down
    SELF_REFRESH = 3
    SELF_REFRESH_PARTIAL = 4  # a part of the array keeps its data, the rest loses it


AWAKE = 0  # a request of a command or policy, besides the low states of PowerState
LOW_STATES = (PowerState.POWER_DOWN, PowerState.SELF_REFRESH, PowerState.SELF_REFRESH_PARTIAL)


class Policy(IntEnum):
    """The policy that sends domains to sleep."""

    NONE = 0  # commands of software only
    STATIC = 1  # every idle domain enters one state at once
    DYNAMIC = 2  # idle domains enter a state by two thresholds
    MRC = 3  # domains without a page of the working set enter a state at once; the others by another policy


class MeterWord(IntEnum):
    """Counters of a domain, in the order of the window; since the last snapshot unless noted."""

    READS = 0
    WRITES = 1
    ACTIVATES = 2
    REFRESHES = 3
    ACTIVE_STANDBY = 4  # cycles in each PowerState: their sum is the cycles of the snapshot
    PRECHARGE_STANDBY = 5
    POWER_DOWN = 6
    SELF_REFRESH = 7
    SELF_REFRESH_PARTIAL = 8
    ENTERED_POWER_DOWN = 9
    ENTERED_SELF_REFRESH = 10
    ENTERED_SELF_REFRESH_PARTIAL = 11
    WAKE_UPS = 12  # caused by an access
    WAKING = 13  # cycles
    IDLE = 14  # cycles since the last access, at the snapshot; not reset by snapshots
    TOP_PAGES = 15  # pages of the working set in the domain, at the snapshot
