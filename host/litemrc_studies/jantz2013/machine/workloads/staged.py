# SPDX-License-Identifier: BSD-2-Clause
"""The staged workload: a growing memory that is read and written continuously (Jantz et al. 2013, 8.1)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from litemrc_studies.jantz2013.machine.events import Event, Phase, Visits
from litemrc_studies.jantz2013.machine.hardware import LINE_BYTES, LINES

CHUNK = 32_768


@dataclass(frozen=True)
class Staged:
    """Each stage adds pages; all pages so far are read and written sequentially until the stage ends.

    Threads divide each stage's pages equally and walk concurrently through their parts of all stages.

    Attributes
    ----------
    stage_pages
        pages added per stage.
    stages
        number of stages.
    stage_s
        seconds per stage.
    bytes_s
        bytes read and written per second, in total.
    threads
        number of threads.
    """

    stage_pages: int
    stages: int
    stage_s: float
    bytes_s: float
    threads: int = 16

    @property
    def resident_pages(self) -> int:
        return self.stage_pages * self.stages

    @property
    def processes(self) -> int:
        return 1

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """Yield the stages in order."""
        line_ns = LINE_BYTES / self.bytes_s * 1e9
        visits = max(1, round(self.stage_s * 1e9 / (2 * LINES * line_ns)))
        part = self.stage_pages // self.threads
        for stage in range(1, self.stages + 1):
            yield Phase(f"stage {stage}")
            own = part * stage  # pages of a thread
            # Threads begin with the new pages and continue far apart from each other.
            begin = np.arange(self.threads) * own // self.threads
            first = (stage - 1) * part
            for at in range(0, visits, CHUNK):
                numbers = np.arange(at, min(at + CHUNK, visits))
                thread = numbers % self.threads
                turn = numbers // self.threads
                walked = np.where(turn < part, first + turn, (begin[thread] + turn) % own)
                page = walked // part * self.stage_pages + thread * part + walked % part
                yield Visits(0, page, LINES, LINES, line_ns)
