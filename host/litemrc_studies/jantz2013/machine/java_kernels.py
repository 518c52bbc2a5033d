"""Java programs of `node_heap`: the kernels of SciMark, the heap that they use, and what a run gives."""

from dataclasses import dataclass

from litemrc_studies.jantz2013.machine.hardware import LINES, PAGES_OF_MIB


@dataclass(frozen=True)
class Kernel:
    """A benchmark; each thread runs it by itself.

    Attributes:
        name: of the benchmark.
        pages: of the arrays of an operation.
        piece_pages: pages of one array; small arrays, such as the rows of a matrix, come from TLABs.
        passes: times that an operation goes through its arrays.
        compute_ns: computation per reference to memory.
        references: to memory per pass; None: each line of the arrays once.
    """

    name: str
    pages: int
    piece_pages: int
    passes: int = 20
    compute_ns: float = 60.0
    references: int | None = None

    @property
    def pass_references(self) -> int:
        return self.pages * LINES if self.references is None else self.references


@dataclass(frozen=True)
class HeapShape:
    """Sizes in pages, and times.

    Attributes:
        eden, survivor, tenured: of the spaces; there are two survivor spaces.
        tlab: of an allocation buffer.
        threads: equally divided among the nodes.
        old_age: collections after which arrays are promoted.
        local_ns, remote_ns: of a reference to memory.
    """

    eden: int
    survivor: int
    tenured: int
    tlab: int = 256
    threads: int = 32
    old_age: int = 7
    local_ns: float = 80.0
    remote_ns: float = 130.0


@dataclass(frozen=True)
class HeapRun:
    """Result of a run.

    Attributes:
        local_share: of all references to memory, those on the node of their thread.
        operation_ns: mean time of an operation.
        collections: of the young generation.
        tenured_share: of all references, those to the tenured generation.
    """

    local_share: float
    operation_ns: float
    collections: int
    tenured_share: float


# The arrays of SPECjvm2008, scimark.*.large: fft has 2^21 complex numbers, lu two and sor one matrix of
# 2,048 rows of 16 KiB, sparse the values and columns of a sparse matrix; monte_carlo computes in the cache.
SCIMARK = (
    Kernel("fft", 32 * PAGES_OF_MIB, 32 * PAGES_OF_MIB),
    Kernel("lu", 64 * PAGES_OF_MIB, 4),
    Kernel("sor", 32 * PAGES_OF_MIB, 4),
    Kernel("sparse", 48 * PAGES_OF_MIB, 24 * PAGES_OF_MIB),
    Kernel("monte carlo", 64, 4, compute_ns=5_000.0, references=LINES),
)
