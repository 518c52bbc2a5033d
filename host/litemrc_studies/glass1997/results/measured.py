"""Page faults of the programs of glass1997/page.md under LRU, OPT and SEQ."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from litemrc.traces import Chunk, Trace
from litemrc.traces.formats.interval_records import smallest_opt_memory
from litemrc.traces.summary import SpaceTime, Summary, space_time
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.policies import Lru, OnlinePolicy, Opt, Policy, Seq
from litemrc_studies.glass1997.results.programs import Program, opened, sizes_of

POLICIES: tuple[Policy, ...] = (Lru(), Seq(), Opt())
SIZES_BELOW = 5  # of OPT below LRU's minimum


@dataclass(frozen=True, eq=False)
class Measured:
    """A program alone in memories of several sizes.

    Attributes:
        pages: distinct pages.
        instructions: length of the trace.
        lru_minimum, opt_minimum: minimum simulatable memories in pages.
        sizes: memory sizes in pages, from `lru_minimum` to `pages`.
        faults: faults without cold faults by name of the policy, one for each size.
        below: sizes below `lru_minimum`, and OPT's faults there.
        graph: pages over time.
    """

    program: Program
    pages: int
    instructions: int
    lru_minimum: int
    opt_minimum: int
    sizes: Sequence[int]
    faults: dict[str, list[int]]
    below: list[tuple[int, int]]
    graph: SpaceTime

    def line(self, policy: str) -> list[tuple[int, int]]:
        """Return memory sizes and faults of a policy."""
        points = list(zip(self.sizes, self.faults[policy], strict=True))
        return self.below + points if policy == "opt" else points


def measured(program: Program) -> Measured:
    """Run a program alone in all memories."""
    summary = Summary()
    with opened(program) as trace:
        chunks = list(trace)
        lru_minimum = trace.minimum_pages
    for chunk in chunks:
        summary.add(chunk)
    assert summary.last_time is not None
    pages = summary.pages.numbers().size
    opt_minimum = smallest_opt_memory(program.path)
    sizes = sorted(
        {*sizes_of(lru_minimum, pages), *(pages // n for n in (2, 4) if pages // n >= lru_minimum)}
    )
    below = sizes_of(opt_minimum, lru_minimum, SIZES_BELOW + 1)[:-1] if opt_minimum < lru_minimum else []
    faults = {policy.name: _faults(program, policy, sizes) for policy in POLICIES}
    return Measured(
        program,
        pages,
        summary.last_time,
        lru_minimum,
        opt_minimum,
        sizes,
        faults,
        list(zip(below, _faults(program, Opt(), below), strict=True)),
        space_time(chunks, summary, rows=220, columns=320),
    )


def _faults(program: Program, policy: Policy, sizes: Sequence[int]) -> list[int]:
    with opened(program) as trace:
        counts = replay(trace, trace, [policy], sizes).counts
    return [count.faults - count.cold_faults for count in counts]


def fault_log(trace: Trace, chunks: Iterable[Chunk], policy: OnlinePolicy, size: int) -> FaultLog:
    """Return the faults of a memory of `size` pages; `chunks` are of `trace`.

    Raises:
        UserError: IN/OUT records do not determine the faults in so small a memory.
    """
    log = replay(trace, chunks, [], [size], logged=(policy, size)).log
    assert log is not None, "it is asked for"
    return log


def ratio(above: Sequence[int], below: Sequence[int]) -> float:
    """Return the ratio of two policies' faults, each summed over all memory sizes."""
    return sum(above) / sum(below) if sum(below) else math.inf
