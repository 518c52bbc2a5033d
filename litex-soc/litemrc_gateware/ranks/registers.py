# SPDX-License-Identifier: BSD-2-Clause
"""States, policies and counters that rank meter, rank power and software share, and their registers."""

from enum import IntEnum

from litex.gen import LiteXModule
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from migen import log2_int

from litemrc_gateware.records import MAX_DOMAINS

RANK_REGISTERS_VERSION = 1
STATE_BITS = 4  # of a domain in the register `state`


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


_STATES = ", ".join(f"{state.value} {state.name.lower()}" for state in LOW_STATES)
_POLICIES = ", ".join(f"{policy.value} {policy.name.lower()}" for policy in Policy)


class RankRegisters(LiteXModule):
    """Registers of rank meter and rank power, to be connected by a subclass.

    Parameters
    ----------
    domains : int
        power domains, a power of two up to ``MAX_DOMAINS``; the layout is the same for fewer.
    virtual : bool
        they are address slices of one rank.
    groups : int
        page groups of a stack, the unit of N_mrc.
    partial : bool
        the board's address mapping allows self-refresh of a part of the array.
    """

    def __init__(self, domains, virtual, groups, partial):
        states = sum(
            1 << state for state in PowerState if partial or state != PowerState.SELF_REFRESH_PARTIAL
        )
        self._version = CSRStatus(
            16, reset=RANK_REGISTERS_VERSION, description="Version of this register layout."
        )
        self._capabilities = CSRStatus(
            description="What was built in.",
            fields=[
                CSRField(
                    "domains_log2", 4, reset=log2_int(domains), description="log2 of the power domains."
                ),
                CSRField(
                    "virtual",
                    reset=int(virtual),
                    description="Domains are equal address slices of one rank; it sleeps only if all may.",
                ),
                CSRField(
                    "states", 8, reset=states, description="Bit n: the state of number n can be reached."
                ),
            ],
        )
        self._policy = CSRStorage(
            description="The policy that sends domains to sleep.",
            fields=[
                CSRField("kind", 2, description=f"Policy: {_POLICIES}."),
                CSRField(
                    "static_state",
                    3,
                    reset=PowerState.POWER_DOWN,
                    description=f"static: the state of every idle domain. {_STATES}.",
                ),
                CSRField(
                    "mrc_state",
                    3,
                    reset=PowerState.SELF_REFRESH,
                    description=f"mrc: the state of idle domains that are not working. {_STATES}.",
                ),
                CSRField("mrc_base", 2, description=f"mrc: policy of the working domains. {_POLICIES}."),
            ],
        )
        self._threshold_power_down = CSRStorage(
            32, description="dynamic: idle cycles before power-down; 0: never."
        )
        self._threshold_self_refresh = CSRStorage(
            32, description="dynamic: idle cycles before self-refresh; 0: never."
        )
        self._command = CSRStorage(
            description="A write sends a domain to a state as soon as it is idle; an access or another "
            "command wakes it.",
            fields=[
                CSRField(
                    "domain", 4, description="The domain; if domains are virtual, the command is for all."
                ),
                CSRField("state", 3, description=f"0 awake, {_STATES}."),
            ],
        )
        self._partial = CSRStorage(
            3,
            description="Part of the array that self_refresh_partial keeps, in the encoding of MR2: 0 all, "
            "1 half, 2 a quarter, 3 an eighth of the banks, from the bottom; 4 three quarters, 5 half, 6 a "
            "quarter, 7 an eighth, from the top.",
        )
        self._partial_allowed = CSRStorage(
            MAX_DOMAINS,
            description="Bit n: domain n may lose data; else self_refresh_partial is self_refresh.",
        )
        self._state = CSRStatus(
            STATE_BITS * MAX_DOMAINS,
            description=f"{STATE_BITS} bits a domain, from the bottom: 0 awake, {_STATES}.",
        )
        self._working = CSRStatus(MAX_DOMAINS, description="Bit n: domain n holds a page of the working set.")
        self._n_mrc = CSRStorage(
            9,
            reset=groups,
            description="N_mrc of all contexts, in page groups, while n_mrc_auto.enable is 0.",
        )
        self._n_mrc_auto = CSRStorage(
            description="N_mrc computed at the end of each epoch.",
            fields=[
                CSRField(
                    "enable",
                    description="N_mrc of a context is the smallest size with at most epsilon of its hits "
                    "beyond; a context without accesses in the epoch keeps its N_mrc.",
                ),
                CSRField("epsilon", 16, offset=16, description="Fraction in units of 2^-16."),
            ],
        )
        self._meter_status = CSRStatus(
            description="State of the meter's window.",
            fields=[
                CSRField("overflow", description="A counter of the window reached 2^32 - 1."),
                CSRField(
                    "sampled", description="The monitor samples; pages of the working set are sampled pages."
                ),
            ],
        )
        self._snapshot_clocks = CSRStatus(32, description="Cycles counted in the snapshot of the window.")

    def state_of(self, domain):
        """The bits of a domain in the register `state`."""
        return self._state.status[STATE_BITS * domain : STATE_BITS * (domain + 1)]
