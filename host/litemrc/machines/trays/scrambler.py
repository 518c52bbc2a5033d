"""The memory scrambler: fragments memory as long use would (Jantz et al. 2013, section 8)."""

from dataclasses import dataclass

import numpy as np

from litemrc.errors import UserError
from litemrc.machines.trays.memory import Memory


@dataclass(frozen=True)
class Scrambler:
    """Allocates all memory in chunks, then frees chunks in random order down to `hold_pages`.

    Attributes:
        hold_pages: pages that stay allocated without use.
        chunk_pages: pages per chunk.
    """

    hold_pages: int
    chunk_pages: int = 16

    def run(self, memory: Memory, rng: np.random.Generator) -> None:
        """Scramble the free memory.

        Raises:
            UserError: less memory is free than must be held.
        """
        frames = memory.hold(memory.hardware.pages)
        if frames.size < self.hold_pages:
            raise UserError(
                f"the scrambler must hold {self.hold_pages:,} pages, but only {frames.size:,} are free",
                remedy="reduce hold_mib",
            )
        chunks = -(-frames.size // self.chunk_pages)
        order = rng.permutation(chunks)
        freed = np.argsort(order, kind="stable").repeat(self.chunk_pages)[: frames.size]
        in_order = frames[np.argsort(freed, kind="stable")]
        memory.let_go(in_order[: frames.size - self.hold_pages])
