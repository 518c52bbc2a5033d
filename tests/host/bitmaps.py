# SPDX-License-Identifier: BSD-2-Clause
"""Small page bitmaps, and random ones."""

import numpy as np
from litemrc.pages.page_bitmaps import PageBitmaps, PagesShown, packed_bits

DRAM = 0x4000_0000


def shown(*ranges: range, base_address: int = DRAM) -> PagesShown:
    return PagesShown(page_bytes=4096, base_address=base_address, ranges=ranges)


def bitmaps_of_sets(pages, accessed, written=None, *, epochs=None, **more) -> PageBitmaps:
    """Return the bitmaps of the bits that are listed for each epoch."""
    written = [()] * len(accessed) if written is None else written
    epochs = range(len(accessed)) if epochs is None else epochs
    columns = {"cycles": [0] * len(accessed), "accesses": [0] * len(accessed)} | more
    return PageBitmaps(
        shown=pages,
        epoch=np.array(epochs, np.uint32),
        cycles=np.array(columns.pop("cycles"), np.uint64),
        accesses=np.array(columns.pop("accesses"), np.uint64),
        accessed=_packed(pages, accessed),
        written=_packed(pages, written),
        **columns,
    )


def random_bitmaps(seed: int, epochs: int = 20, pages: int = 100) -> PageBitmaps:
    """Return epochs 3, 4 ... of one range, a third of the pages accessed, a third of these written."""
    generator = np.random.default_rng(seed)
    accessed = generator.random((epochs, pages)) < 1 / 3
    written = accessed & (generator.random((epochs, pages)) < 1 / 3)
    sets = ([np.flatnonzero(row) for row in bits] for bits in (accessed, written))
    return bitmaps_of_sets(
        shown(range(pages)),
        *sets,
        epochs=range(3, 3 + epochs),
        cycles=generator.integers(1, 1 << 40, epochs),
        accesses=generator.integers(pages, 1 << 40, epochs),
        clock_hz=50_000_000,
        source="socket://localhost:1234",
    )


def _packed(pages: PagesShown, sets):
    bits = np.zeros((len(sets), pages.pages), bool)
    for row, marked in enumerate(sets):
        bits[row, list(marked)] = True
    return packed_bits(bits)
