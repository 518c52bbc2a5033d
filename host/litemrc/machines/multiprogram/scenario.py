"""What a multiprogrammed run consists of: memory, disk, processes, and how they are watched.

Times are whole ticks; `Scenario.tick_s` says how long one is.
"""

from dataclasses import dataclass, field

KINDS = ("batch", "interactive", "server")
POLICIES = ("global-clock", "global-lru", "equal", "static", "mrc")
CURVES = ("hull", "steps")
UTILITIES = ("hit ratio", "end performance")


@dataclass(frozen=True)
class Costs:
    """What things take, in ticks.

    Attributes:
        time_slice: longest turn on the CPU.
        page_read, write_out: of a page, from and to the paging disk.
        fault, zero_fill: CPU time of a page fault, and of a page filled with zeros.
    """

    time_slice: int
    page_read: int
    write_out: int
    fault: int = 0
    zero_fill: int = 0


@dataclass(frozen=True)
class Part:
    """A stretch of a process' references.

    Attributes:
        trace: file or gen: URL; its pages are of one address space with the other parts'.
        touches: how many; a trace that ends before is read again. None: the trace once, or without end in
            the last part of a process that does not end.
        release: behind it, the process gives back all its memory.
    """

    trace: str
    touches: int | None = None
    release: bool = False


@dataclass(frozen=True)
class ProcessSpec:
    """A process.

    Attributes:
        kind: batch, interactive or server; says what is reported of it.
        touch: CPU time of a touch.
        tracking: what keeping its curve adds to that, as a share.
        start: when it begins.
        request_touches: touches of a request; None: all of its parts.
        clients: how many think, ask, wait and think again; 0: requests come by themselves.
        pause: thinking time, or time between arrivals; if `random`, the mean of an exponential distribution.
        requests: after so many it ends; 0: never.
        weight, minimum_pages: for policy mrc.
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


@dataclass(frozen=True)
class Mrc:
    """How policy mrc tracks curves and decides.

    Attributes:
        engine: exact, group, bucket or shards, of `litemrc.native.engines`.
        engine_frames, engine_groups: of group and bucket.
        engine_rate: of shards.
        group_pages: pages between two sizes of the curves.
        epoch: references of a process until its curve is taken again.
        half_life: references after which a count weighs half.
        delta_pages: unit of what is gained and lost.
        curve: one of `CURVES`: gains and losses are those of the curve's steps, or of its convex hull.
        utility: one of `UTILITIES`.
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


@dataclass(frozen=True)
class Scenario:
    """All of a run but the policy.

    Attributes:
        tick_s: seconds.
        shares: pages of each process under policy static, by name; empty: none are given.
        policies: which ones to compare, the first being what the others are compared with.
        duration: the run ends then at the latest; 0: when all processes have ended that can.
        measure_from: responses to requests, and faults, count from then on.
        sample: time between two looks at who has how much memory; 0: none.
        seed: of generated traces that do not tell theirs, and of pauses.
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
