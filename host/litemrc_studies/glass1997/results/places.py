"""Where in its regions applu faults under SEQ, with other settings: a table for figure 7 of glass1997.md."""

from collections.abc import Sequence

import numpy as np
from litemrc.traces import Chunk
from litemrc_studies.glass1997.policies import Lru, OnlinePolicy, Seq
from litemrc_studies.glass1997.results.causes import FILLED, HOLE, PROGRAM, swept_pages, without_holes
from litemrc_studies.glass1997.results.measured import fault_log
from litemrc_studies.glass1997.results.programs import opened, pages_of
from numpy.typing import NDArray

from scripts.docs.page_tables import markdown

STEADY = 200_000_000  # instructions, after which all steps fault alike
REGION = 100  # pages: a smaller piece is no region
CASES: tuple[tuple[str, OnlinePolicy, float, bool], ...] = (
    ("SEQ in 50 % of the pages", Seq(), 0.5, True),
    ("SEQ in 70 %", Seq(), 0.7, True),
    ("SEQ in 85 %", Seq(), 0.85, True),
    ("SEQ in 70 %, L = M = 10", Seq(length=10, distance=10), 0.7, True),
    ("SEQ in 70 %, L = M = 30", Seq(length=30, distance=30), 0.7, True),
    ("SEQ in 70 %, without the holes", Seq(), 0.7, False),
    ("LRU in 70 %", Lru(), 0.7, True),
)


def places() -> str:
    """Return a table: shares of the faults in the lowest quarter, the middle and the highest of a region."""
    with opened(PROGRAM) as trace:
        holed = list(trace)
    swept = swept_pages(holed, FILLED)
    flat = list(without_holes(holed, swept))
    rows = []
    for name, policy, share, holes in CASES:
        chunks = holed if holes else flat
        found = _places(chunks, swept if holes else pages_of(flat), policy, share)
        quarters = np.histogram(found, bins=4, range=(0, 1))[0] / found.size
        rows.append(
            [name, *(f"{100 * each:.0f} %" for each in (quarters[0], quarters[1:3].sum(), quarters[3]))]
        )
    return markdown(["faults, not cold", "lowest quarter", "middle half", "highest quarter"], rows)


def _places(
    chunks: Sequence[Chunk], swept: NDArray[np.uint64], policy: OnlinePolicy, share: float
) -> NDArray[np.float64]:
    """Return the place of each fault in its region, from 0 to 1."""
    size = round(share * pages_of(chunks).size)
    with opened(PROGRAM) as trace:
        for _ in trace:
            pass  # its minimum is known at its end
        log = fault_log(trace, chunks, policy, size)
    pages = log.pages[~log.cold & (log.times > STEADY)].astype(np.float64)
    parts = np.split(swept, np.flatnonzero(np.diff(swept) > HOLE) + 1)
    regions = [(float(part[0]), float(part[-1])) for part in parts if part.size > REGION]
    return np.concatenate(
        [(pages[(pages >= low) & (pages <= high)] - low) / (high - low) for low, high in regions]
    )
