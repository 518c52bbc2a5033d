# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios of multiprogrammed runs: memory, disk, processes and measurement.

Times are whole ticks of `Scenario.tick_s` seconds.
"""

from dataclasses import dataclass, field

from litemrc.native.os_tracker import DEFAULT_SCAN_LIST, TrackerCosts

KINDS = ("batch", "interactive", "server")
POLICIES = ("global-clock", "global-lru", "equal", "static", "mrc")
CURVES = ("hull", "steps")
UTILITIES = ("hit ratio", "end performance")


@dataclass(frozen=True)
class Costs:
    """Times in ticks.

    Attributes
    ----------
    time_slice
        longest turn on the CPU.
    page_read, write_out
        disk time of a page.
    fault, zero_fill
        CPU time of a page fault and of a zero-filled page.
    """

    time_slice: int
    page_read: int
    write_out: int
    fault: int = 0
    zero_fill: int = 0


@dataclass(frozen=True)
class Part:
    """A section of a process's references.

    Attributes
    ----------
    trace
        file or gen: URL; all parts share one address space.
    touches
        their number; a shorter trace is repeated. None: the trace once, or without limit in the last
        part of a process that does not end.
    release
        the process frees all its memory at the end.
    """

    trace: str
    touches: int | None = None
    release: bool = False


@dataclass(frozen=True)
class ProcessSpec:
    """A process.

    Attributes
    ----------
    kind
        batch, interactive or server; selects the results that are reported.
    touch
        CPU time of a touch.
    tracking
        overhead of curve tracking, as a share of `touch`; engine os computes it instead.
    start
        time of its begin.
    request_touches
        touches of a request; None: all of its parts.
    clients
        number of closed-loop clients; 0: open loop.
    pause
        think time, or time between arrivals; if `random`, the mean of an exponential distribution.
    requests
        number of requests after which it ends; 0: no limit.
    weight, minimum_pages
        for policy mrc.
    command
        of a batch process: the shell command that it stands for, which `demo linux-govern` runs.
    file
        its pages are those of a file; their first touch is a page fault, too.
    """

    name: str
    kind: str
    parts: tuple[Part, ...]
    touch: int
    tracking: float = 0.0
    start: int = 0
    request_touches: int | None = None
    clients: int = 1
    pause: int = 0
    random: bool = False
    requests: int = 1
    weight: float = 1.0
    minimum_pages: int = 1
    command: str = ""
    file: bool = False


@dataclass(frozen=True)
class Mrc:
    """Parameters of policy mrc.

    Attributes
    ----------
    engine
        exact, group, bucket, shards or os, of `litemrc.native.engines`.
    engine_frames, engine_groups
        of engines group and bucket.
    engine_rate
        of engine shards.
    group_pages
        pages between two sizes of the curves.
    epoch
        references of a process between two updates of its curve.
    half_life
        references after which a count has half the weight.
    delta_pages
        amount of memory for gains and losses.
    curve
        one of `CURVES`: the convex hull, or the steps of the curve.
    utility
        one of `UTILITIES`.
    engine_scan_list, engine_seen_only, engine_costs
        of engine os. Its groups are those of the curves;
        its stack has as many pages as the memory.
    engine_period
        of engine os: a process's own CPU time between two scans; None: 100 ms.
    """

    engine: str = "exact"
    engine_frames: int | None = None
    engine_groups: int | None = None
    engine_rate: float | None = None
    group_pages: int = 64
    epoch: int = 1024
    half_life: int = 65536
    delta_pages: int = 64
    curve: str = CURVES[0]
    utility: str = UTILITIES[0]
    engine_scan_list: int = DEFAULT_SCAN_LIST
    engine_period: int | None = None
    engine_seen_only: bool = False
    engine_costs: TrackerCosts = field(default_factory=TrackerCosts)


@dataclass(frozen=True)
class Scenario:
    """All of a run except the policy.

    Attributes
    ----------
    tick_s
        seconds per tick.
    shares
        pages of each process under policy static, by name; empty: not given.
    policies
        the policies to compare; the first one is the baseline.
    duration
        time limit; 0: the run ends when all processes with a request limit have ended.
    measure_from
        time from which responses and faults are counted.
    sample
        time between two samples of resident pages; 0: none.
    seed
        of pauses and of generated traces without their own.
    reclaim_below, reclaim_to
        when fewer than `reclaim_below` frames are free, pages are evicted in the
        background until `reclaim_to` are; 0: only at the fault. Policies equal and static do not.
    """

    title: str
    memory_pages: int
    tick_s: float
    costs: Costs
    processes: tuple[ProcessSpec, ...]
    policies: tuple[str, ...] = POLICIES
    mrc: Mrc = field(default_factory=Mrc)
    shares: dict[str, int] = field(default_factory=dict)
    duration: int = 0
    measure_from: int = 0
    sample: int = 0
    seed: int = 1
    page_bytes: int = 4096
    reclaim_below: int = 0
    reclaim_to: int = 0
