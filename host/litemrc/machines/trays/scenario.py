"""A workload, and the configurations of a machine that it runs on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from litemrc.machines.trays.events import Event
from litemrc.machines.trays.machine import Configuration, Costs, TrayMachine
from litemrc.machines.trays.result import TrayRun
from litemrc.machines.trays.scrambler import Scrambler


class Workload(Protocol):
    """What runs; the same seed does the same on every machine."""

    @property
    def resident_pages(self) -> int:
        """All that it will ever touch."""

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """What it does, in order."""


@dataclass(frozen=True)
class Case:
    """A configuration, and the workload as it is there: limits may differ."""

    configuration: Configuration
    workload: Workload


@dataclass(frozen=True)
class TrayScenario:
    """What a scenario file tells.

    Attributes:
        title: of it.
        workload: its kind.
        cases: to be compared with the first of them.
    """

    title: str
    workload: str
    cases: tuple[Case, ...]
    costs: Costs
    scrambler: Scrambler | None = None
    seed: int = 1


def run_case(scenario: TrayScenario, case: Case, progress: Callable[[float], None] | None = None) -> TrayRun:
    """Run the workload on one configuration.

    Raises:
        UserError: as `TrayMachine.run`.
    """
    machine = TrayMachine(case.configuration, scenario.costs, scenario.scrambler, scenario.seed)
    return machine.run(case.workload.program(np.random.default_rng(scenario.seed)), progress)
