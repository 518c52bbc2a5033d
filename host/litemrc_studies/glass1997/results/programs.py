"""The programs of glass1997/page.md, in the order of the paper's table 1, and their traces."""

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from litemrc.traces import Chunk, open_trace
from litemrc.traces.trace import Trace
from numpy.typing import NDArray

TRACES = Path(__file__).parents[4] / "tests/data/traces/glass1997"
PAGE_KB = 4


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

    Attributes:
        name: of its trace; of `../programs/NAME.c` if it is not a program of Debian.
        stands_for: the paper's program.
        category: the paper's in section 2.2: 1 memory-intensive, 2 with small patterns, 3 regular.
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
