"""Scenarios of the tray machine: a workload and the configurations to compare."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from litemrc.machines.trays.events import Event
from litemrc.machines.trays.machine import Configuration, Costs, TrayMachine
from litemrc.machines.trays.result import TrayRun
from litemrc.machines.trays.scrambler import Scrambler


class Workload(Protocol):
    """A workload; one seed gives the same events on every machine."""

    @property
    def resident_pages(self) -> int:
        """Return the number of distinct pages that it touches."""
        ...

    def program(self, rng: np.random.Generator) -> Iterator[Event]:
        """Yield its events, in order."""
        ...


@dataclass(frozen=True)
class Case:
    """A configuration and its workload; tray limits may differ between cases."""

    configuration: Configuration
    workload: Workload


@dataclass(frozen=True)
class TrayScenario:
    """The contents of a scenario file.

    Attributes:
        title: of the scenario.
        workload: its kind.
        cases: the first one is the baseline of the comparison.
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
        UserError: as in `TrayMachine.run`.
    """
    machine = TrayMachine(case.configuration, scenario.costs, scenario.scrambler, scenario.seed)
    return machine.run(case.workload.program(np.random.default_rng(scenario.seed)), progress)
