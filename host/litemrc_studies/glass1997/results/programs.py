# SPDX-License-Identifier: BSD-2-Clause
"""The programs of glass1997/page.md, in the order of the paper's table 1: traces, and faults by policy."""

import functools
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from litemrc.traces import Chunk, Trace, open_trace
from litemrc.traces.formats.interval_records import smallest_opt_memory
from litemrc.traces.summary import SpaceTime, Summary, space_time
from litemrc_studies.glass1997.machine.fault_log import FaultLog
from litemrc_studies.glass1997.machine.memories import replay
from litemrc_studies.glass1997.policies import Lru, OnlinePolicy, Opt, Policy, Seq
from numpy.typing import NDArray

TRACES = Path(__file__).parents[4] / "tests/data/traces/glass1997"
PAGE_KB = 4
POLICIES: tuple[Policy, ...] = (Lru(), Seq(), Opt())
SIZES_BELOW = 5  # of OPT below LRU's minimum


@dataclass(frozen=True)
class Paper:
    """The paper's row of table 1: M instructions; KB of memory, executable, minimum for LRU and OPT."""

    instructions: int
    memory: int
    executable: int
    lru: int
    opt: int


@dataclass(frozen=True)
class Program:
    """A program of ours, and the program of the paper that it stands for.

    Attributes
    ----------
    name
        of its trace; of `../programs/NAME.c` if it is not a program of Debian.
    stands_for
        the paper's program.
    category
        the paper's in section 2.2: 1 memory-intensive, 2 with small patterns, 3 regular.
    """

    name: str
    stands_for: str
    description: str
    category: int
    paper: Paper

    @property
    def path(self) -> Path:
        return TRACES / f"{self.name}.inout.zst"

    @property
    def title(self) -> str:
        return f"{self.name} ({self.stands_for})" if self.name != self.stands_for else self.name


PROGRAMS = (
    Program(
        "implicit", "applu", "coupled equations, swept up and down", 3, Paper(1068, 14524, 136, 2432, 972)
    ),
    Program("ld", "blizzard", "GNU ld links libm into one object", 2, Paper(2122, 15632, 1153, 5332, 4772)),
    Program("deduction", "coral", "facts derived, in a binary tree", 1, Paper(4327, 20284, 940, 7084, 6780)),
    Program("electrostatics", "es", "passes over one region", 3, Paper(71003, 104488, 56, 696, 316)),
    Program("growth", "fgm", "a crystal grows in a lattice", 3, Paper(35210, 121508, 112, 10052, 2136)),
    Program("cc1", "gcc", "GNU C compiler 12, -O2", 2, Paper(1371, 3936, 1599, 1900, 1052)),
    Program("gnuplot", "gnuplot", "PostScript of 120,000 points", 3, Paper(4940, 62516, 602, 1552, 476)),
    Program("cjpeg", "jpeg", "an image into progressive JPEG", 3, Paper(42951, 8260, 152, 1112, 748)),
    Program("processor", "m88ksim", "simulator of a processor", 1, Paper(10020, 19352, 165, 1964, 328)),
    Program(
        "protocol", "murphi", "states of a protocol in a hash table", 1, Paper(1019, 9380, 238, 2132, 1472)
    ),
    Program("perl", "perl", "perl sorts words by prefix", 2, Paper(18980, 39344, 569, 9636, 8428)),
    Program("shallow", "swim", "fourteen arrays swept in parallel", 3, Paper(438, 15016, 56, 6932, 6216)),
    Program("tridiagonal", "trygtsl", "one tridiagonal system", 3, Paper(377, 69688, 26, 2444, 1400)),
    Program("turbulence", "turb3d", "Fourier transforms of fields", 3, Paper(17989, 26052, 71, 7720, 6360)),
    Program("sqlite3", "vortex", "a database in memory", 1, Paper(2507, 9676, 600, 3024, 2028)),
    Program("plasma", "wave5", "particles over grids", 3, Paper(3774, 28700, 511, 3652, 1708)),
)
OF_PAPER = {program.stands_for: program for program in PROGRAMS}


def opened(program: Program) -> Trace:
    """Return the program's trace."""
    return open_trace(program.path)


def pages_of(chunks: Iterable[Chunk]) -> NDArray[np.uint64]:
    """Return the distinct pages, in rising order."""
    return np.unique(np.concatenate([np.unique(chunk.pages) for chunk in chunks]))


@functools.cache
def executable_bytes() -> dict[str, int]:
    """Return the size of each program's executable, as `make glass1997-traces` found it."""
    sizes: dict[str, int] = json.loads((TRACES / "executables.json").read_text("utf-8"))
    return sizes


def sizes_of(minimum: int, pages: int, count: int = 24) -> list[int]:
    """Return memory sizes in pages from the minimum simulatable one to all pages, as in figures 1 to 4."""
    return sorted(set(np.linspace(minimum, pages, count).astype(int).tolist()))


@dataclass(frozen=True, eq=False)
class Measured:
    """A program alone in memories of several sizes.

    Attributes
    ----------
    pages
        distinct pages.
    instructions
        length of the trace.
    lru_minimum, opt_minimum
        minimum simulatable memories in pages.
    sizes
        memory sizes in pages, from `lru_minimum` to `pages`.
    faults
        faults without cold faults by name of the policy, one for each size.
    below
        sizes below `lru_minimum`, and OPT's faults there.
    graph
        pages over time.
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

    Raises
    ------
    UserError
        IN/OUT records do not determine the faults in so small a memory.
    """
    log = replay(trace, chunks, [], [size], logged=(policy, size)).log
    assert log is not None, "it is asked for"
    return log


def ratio(above: Sequence[int], below: Sequence[int]) -> float:
    """Return the ratio of two policies' faults, each summed over all memory sizes."""
    return sum(above) / sum(below) if sum(below) else math.inf
