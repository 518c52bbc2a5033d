"""Power states of a rank and counters of the rank meter: names and numbers, equal to the hardware's."""

from enum import IntEnum


class PowerState(IntEnum):
    """Power states of a domain, numbered as in the hardware."""

    ACTIVE_STANDBY = 0  # CKE high, a row is open
    PRECHARGE_STANDBY = 1  # CKE high, all rows are closed
    POWER_DOWN = 2
    SELF_REFRESH = 3
    SELF_REFRESH_PARTIAL = 4


class MeterWord(IntEnum):
    """Counters of a domain, in the order of the hardware's register window."""

    READS = 0
    WRITES = 1
    ACTIVATES = 2
    REFRESHES = 3
    ACTIVE_STANDBY = 4  # clocks in each PowerState
    PRECHARGE_STANDBY = 5
    POWER_DOWN = 6
    SELF_REFRESH = 7
    SELF_REFRESH_PARTIAL = 8
    ENTERED_POWER_DOWN = 9
    ENTERED_SELF_REFRESH = 10
    ENTERED_SELF_REFRESH_PARTIAL = 11
    WAKE_UPS = 12  # begun by an access
    WAKING = 13  # clocks
    IDLE = 14  # clocks behind the last access, at the snapshot; goes on over snapshots
    TOP_PAGES = 15  # pages of the working set, at the snapshot
