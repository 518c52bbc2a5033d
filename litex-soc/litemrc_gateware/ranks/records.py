"""What the units of rank metering and rank power say to each other: states, policies, counters, moves."""

from enum import IntEnum


class PowerState(IntEnum):
    """The state a power domain's cycles are counted under."""

    ACTIVE_STANDBY = 0  # CKE high, a row is open
    PRECHARGE_STANDBY = 1  # CKE high, all rows are closed; entering a low state and waking, too
    POWER_DOWN = 2  # precharge power-down
    SELF_REFRESH = 3
    SELF_REFRESH_PARTIAL = 4  # a part of the array keeps its data, the rest loses them


AWAKE = 0  # what a command or policy asks for beside the low states of PowerState
LOW_STATES = (PowerState.POWER_DOWN, PowerState.SELF_REFRESH, PowerState.SELF_REFRESH_PARTIAL)


class Policy(IntEnum):
    """Who sends domains to sleep."""

    NONE = 0  # only commands of software
    STATIC = 1  # every idle domain, at once, to one state
    DYNAMIC = 2  # idle ones, by two thresholds
    MRC = 3  # those without a page of the working set, at once; the others by another policy


class MeterWord(IntEnum):
    """Counters of a domain, in the order of the window; all since the last snapshot unless told."""

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
    WAKE_UPS = 12  # begun by an access
    WAKING = 13  # cycles
    IDLE = 14  # cycles since the last access, at the snapshot; goes on over snapshots
    TOP_PAGES = 15  # pages of the working set in the domain, at the snapshot
