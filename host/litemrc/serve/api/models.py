# SPDX-License-Identifier: BSD-2-Clause
"""The records of the API, for its description in OpenAPI; the server's answers are made without them."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A record without other fields."""

    model_config = ConfigDict(extra="forbid")


class Asked(Strict):
    """A body of a request: a value of another type is refused, not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Error(Strict):
    """What is wrong, and what to do."""

    error: str
    remedy: str


class HistoryExtent(Strict):
    """What is kept: arrival of the first and the last epoch in seconds since 1970, epochs, bytes of files."""

    first: float | None
    last: float | None
    epochs: int
    bytes: int


class Parameters(Strict):
    """A device as it said hello; `session` is the beginning of the session in ms since 1970.

    `banks` of the DRAM, whose commands each epoch counts; 0: they are not counted. `peak_bandwidth`: bytes
    per second that the DRAM can move; null: unknown.
    """

    session: int
    clock_hz: int
    page_bytes: int
    memory_bytes: int
    engine: str
    contexts: int
    groups: int
    group_bytes: int
    system: str
    programs: list[str]
    ranks: int
    rank_states: list[str]
    accessed: bool
    hot: bool
    base_address: int
    banks: int
    peak_bandwidth: int | None


class DeviceRecord(Strict):
    """A device: `epochs` arrived in `sessions`; `failure` is why no session runs.

    `rate`: epochs in a second, over the last 20; null: fewer than two, or they have stopped.
    `idle_s`: seconds since the last one arrived.
    """

    name: str
    labels: dict[str, str]
    connected: bool
    failure: str | None
    rate: float | None
    idle_s: float | None
    epochs: int
    sessions: int
    history: HistoryExtent | None
    parameters: Parameters | None


class Devices(Strict):
    """All devices; `control`: settings can be changed with the token."""

    devices: list[DeviceRecord]
    control: bool
    version: str


class Points(Strict):
    """A miss-ratio curve: memory sizes in bytes; null: nothing was counted."""

    bytes: list[int]
    miss_ratio: list[float | None]


class CurveRecord(Points):
    """The curve of a context; `dropped` accesses of all contexts were lost in its epochs."""

    context: int
    name: str
    accesses: int
    misses: int
    dropped: int


class DamageRecord(Strict):
    """What damage of a file of the history took from an answer; arrival of what is lost, null: unknown."""

    file: str
    what: str
    lost: str
    first: float | None
    last: float | None


class Curves(Strict):
    """Curves of `epochs` epochs that arrived from `first` to `last`."""

    epochs: int
    first: float | None
    last: float | None
    curves: list[CurveRecord]
    damages: list[DamageRecord] = []


class ContextRecord(Strict):
    """Counters of a context in an epoch, and the curve of the window that ends with it.

    `bandwidth`: bytes per second of its accesses; null: unknown.
    """

    context: int
    name: str
    accesses: int
    misses: int
    working_set_bytes: int
    bandwidth: float | None
    curve: Points


class RankRecord(Strict):
    """A power domain in an epoch; shares of its time in each state."""

    rank: int
    state: str
    working: bool
    live_pages: int
    shares: dict[str, float]
    reads: int
    writes: int
    wake_ups: int


class BankRecord(Strict):
    """Commands to a bank of the DRAM in an epoch; null: rows are not observed."""

    reads: int
    writes: int
    row_hits: int | None
    activates: int | None
    row_conflicts: int | None


class TrafficRecord(Strict):
    """Commands to the DRAM in an epoch, of all masters; null: unknown.

    Bandwidths are in bytes per second. `peak_share`: share of the `cycles` in which the data bus was busy,
    each with a read or write of `access_bytes`. `row_hit_rate`: share of the reads and writes that found
    their row open and already accessed. `queue_peak`: most requests that the controller had accepted and not
    issued.
    """

    access_bytes: int
    bytes_read: int
    bytes_written: int
    seconds: float | None
    read_bandwidth: float | None
    write_bandwidth: float | None
    peak_share: float | None
    row_hit_rate: float | None
    cycles: int | None
    refreshes: int | None
    refresh_share: float | None
    queue_peak: int | None
    banks: list[BankRecord]


class Hot(Strict):
    """Hot pages, as address and count; `more` were hot than are listed."""

    accesses: int
    more: bool
    pages: list[tuple[int, int]]


class Heat(Strict):
    """Share of pages accessed, in ranges of `bin_bytes` from the address `first` on."""

    bins: list[float]
    first: int
    bin_bytes: int


class Link(Strict):
    """Frames of the link since the session began."""

    model_config = ConfigDict(extra="allow")

    frames: int
    damaged: int
    oversized: int
    lost: int
    restarts: int


class EpochRecord(Strict):
    """An epoch; `link` is null in a history, `traffic` where the device does not count DRAM commands.

    `curve_epochs` epochs, the first of which arrived at `curve_first`, are counted in its curves.
    """

    device: str
    session: int
    number: int
    arrived: float
    curve_epochs: int
    curve_first: float
    contexts: list[ContextRecord]
    dropped: int
    outside: int
    unsampled: int
    scale: int
    ranks: list[RankRecord]
    hot: Hot | None
    heat: Heat | None
    traffic: TrafficRecord | None
    link: Link | None
    epochs_lost: int


class Epochs(Strict):
    """Epochs, the oldest first."""

    epochs: list[EpochRecord]
    damages: list[DamageRecord] = []


class PointContext(Strict):
    """A context in a part of the time; the working set is the mean of its epochs."""

    context: int
    name: str
    accesses: int
    miss_ratio_full: float | None
    working_set_bytes: int


class HistoryPoint(Strict):
    """A part of the time that begins at `at`."""

    at: float
    epochs: int
    contexts: list[PointContext]
    dropped: int


class HistoryPoints(Strict):
    """An overview of a time."""

    points: list[HistoryPoint]
    damages: list[DamageRecord] = []


class Merged(Strict):
    """The curve of all contexts with a value; `how` says whether counters were summed."""

    value: str
    devices: list[str]
    how: str
    curve: CurveRecord
