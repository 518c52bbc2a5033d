"""The memory scrambler: memory as after long use, no tray all free or all taken (Jantz et al. 2013, 8)."""

from dataclasses import dataclass

import numpy as np

from litemrc.errors import UserError
from litemrc.machines.trays.memory import Memory


@dataclass(frozen=True)
class Scrambler:
    """Takes all memory in chunks, then frees chunks in random order until only so much is held.

    Attributes:
        hold_pages: that stay taken, by nobody who uses them.
        chunk_pages: of a chunk.
    """

    hold_pages: int
    chunk_pages: int = 16

    def run(self, memory: Memory, rng: np.random.Generator) -> None:
        """Scramble the free memory.

        Raises:
            UserError: there is not as much memory as is to be held.
        """
        frames = memory.hold(memory.hardware.pages)
        if frames.size < self.hold_pages:
            raise UserError(
                f"the scrambler is to hold {self.hold_pages:,} pages, {frames.size:,} are free",
                remedy="hold less",
            )
        chunks = -(-frames.size // self.chunk_pages)
        order = rng.permutation(chunks)
        freed = np.argsort(order, kind="stable").repeat(self.chunk_pages)[: frames.size]
        in_order = frames[np.argsort(freed, kind="stable")]
        memory.let_go(in_order[: frames.size - self.hold_pages])
