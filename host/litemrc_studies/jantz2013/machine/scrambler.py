"""The memory scrambler: fragments memory as long use would (Jantz et al. 2013, section 8)."""

from dataclasses import dataclass

import numpy as np
from litemrc.errors import UserError

from litemrc_studies.jantz2013.machine.memory import Memory


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
        order = rng.permutation(-(-frames.size // self.chunk_pages))
        freed = (order[:, None] * self.chunk_pages + np.arange(self.chunk_pages)).ravel()
        in_order = frames[freed[freed < frames.size]]  # the last chunk may be shorter
        memory.let_go(in_order[: frames.size - self.hold_pages])
