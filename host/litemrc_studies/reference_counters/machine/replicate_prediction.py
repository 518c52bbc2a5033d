# SPDX-License-Identifier: BSD-2-Clause
"""Predicts the cost of the firmware's workload `replicate` by the NUMA machine."""

import numpy as np

from litemrc_studies.reference_counters.machine.numa import (
    NumaMachine,
    NumaReferences,
    NumaRun,
    NumaSimulation,
)
from litemrc_studies.reference_counters.machine.replicate_scenario import (
    HOME,
    PROCESSOR,
    WORD_BYTES,
    ReplicateScenario,
    replicate_references,
)


class ReplicatePrediction:
    """The references of a run on two nodes: the processor, and the master that is home of all pages.

    Parameters
    ----------
    repeats
        the scale of the run.
    """

    def __init__(self, scenario: ReplicateScenario, repeats: int = 1) -> None:
        self._scenario = scenario
        words = scenario.page_bytes // WORD_BYTES
        trace = [
            (each.page * words + each.word, each.processor, each.write)
            for each in replicate_references(scenario, repeats)
        ]
        self._words, self._processors, self._writes = (
            np.array(column) for column in zip(*trace, strict=True)
        )
        self._mine = np.cumsum(self._processors == PROCESSOR)

    def accesses(self, references: int) -> int:
        """Return the accesses of both masters up to `references` references of the processor."""
        if references >= self._mine[-1]:
            return self._words.size
        return int(np.searchsorted(self._mine, references + 1))

    def run(self, references: int, protocol: str = "upd", **initial_values: int) -> NumaRun:
        """Simulate them and return the result.

        Parameters
        ----------
        references
            of the processor.
        protocol, initial_values
            as in `NumaSimulation.run`; default: those of the scenario.
        """
        if protocol == "upd" and not initial_values:
            initial_values = {"delay": self._scenario.delay, "update": self._scenario.update}
        end = self.accesses(references)
        predicted = NumaReferences(
            words=self._words[:end].astype(np.uint64),
            processors=self._processors[:end].astype(np.uint16),
            writes=self._writes[:end].astype(np.uint8),
        )
        machine = NumaMachine(
            processors=2,
            page_bytes=self._scenario.page_bytes,
            home=HOME,
            local_pages=self._scenario.local_pages,
        )
        return NumaSimulation(predicted, machine).run(protocol, **initial_values)
