"""The smallest memory for which IN/OUT records determine the decisions of OPT (Belady).

Glass and Cao 1997, section 2.1: OPT evicts the IDLE page whose next IN is furthest in the future. That IN
must be at least two intervals after the current one, so that every ACTIVE page is certainly used before. (The
limit for LRU is found while reading; see `intervals.py`.)
"""

from heapq import heappop, heappush
from pathlib import Path

from litemrc.traces.formats.interval_records import RecordReader
from litemrc.traces.formats.streams import open_source

_NEVER = 1 << 192  # after all times by more than any interval


def smallest_opt_memory(path: str | Path) -> int:
    """Return the smallest memory, in pages, in which OPT finds a victim at every fault.

    All records are kept in memory.

    Raises:
        UserError: as in `RecordReader`.
    """
    records: list[tuple[int, bool, int]] = []
    source = open_source(path)
    try:
        reader = RecordReader(source)
        for part in reader:
            records += zip(part.times.tolist(), part.ins.tolist(), part.pages.tolist(), strict=True)
    finally:
        source.close()
    returns = _returns(records)
    # Larger memories also suffice: OPT has the inclusion property.
    too_small, enough = 0, max(len({page for _, _, page in records}), 1)
    while enough - too_small > 1:
        memory = (too_small + enough) // 2
        if _finds_victims(records, returns, reader.interval, memory):
            enough = memory
        else:
            too_small = memory
    return enough


def _returns(records: list[tuple[int, bool, int]]) -> list[int]:
    """Return for each record the time of its page's next IN."""
    following: dict[int, int] = {}
    returns = [_NEVER] * len(records)
    for index in range(len(records) - 1, -1, -1):
        time, is_in, page = records[index]
        returns[index] = following.get(page, _NEVER)
        if is_in:
            following[page] = time
    return returns


def _finds_victims(
    records: list[tuple[int, bool, int]], returns: list[int], interval: int, memory: int
) -> bool:
    resident: set[int] = set()
    idle: dict[int, int] = {}  # IDLE pages, resident or not, and their next IN
    furthest: list[tuple[int, int]] = []  # heap of (-next IN, page); it may hold pages that came IN since
    for (time, is_in, page), back in zip(records, returns, strict=True):
        if not is_in:
            idle[page] = back
            heappush(furthest, (-back, page))
            continue
        idle.pop(page, None)
        if page not in resident and len(resident) == memory:
            while furthest and not _still_idle(furthest[0], idle, resident):
                heappop(furthest)
            if not furthest or -furthest[0][0] // interval < time // interval + 2:
                return False
            resident.remove(heappop(furthest)[1])
        resident.add(page)
    return True


def _still_idle(entry: tuple[int, int], idle: dict[int, int], resident: set[int]) -> bool:
    return entry[1] in resident and idle.get(entry[1]) == -entry[0]
