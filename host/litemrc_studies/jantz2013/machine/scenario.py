# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios of the tray machine: a workload and the configurations to compare."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from litemrc.errors import UserError

from litemrc_studies.jantz2013.machine.machine import Configuration, Costs, Scrambler, TrayMachine
from litemrc_studies.jantz2013.machine.result import TrayRun
from litemrc_studies.jantz2013.machine.workloads.compilation import Compilation, Limited, Workload


@dataclass(frozen=True)
class Case:
    """A configuration and its workload; tray limits may differ between cases."""

    configuration: Configuration
    workload: Workload


@dataclass(frozen=True)
class TrayScenario:
    """The contents of a scenario file.

    Attributes
    ----------
    title
        of the scenario.
    workload
        its kind.
    cases
        the first one is the baseline of the comparison.
    """

    title: str
    workload: str
    cases: tuple[Case, ...]
    costs: Costs
    scrambler: Scrambler | None = None
    seed: int = 1


def run_case(scenario: TrayScenario, case: Case, progress: Callable[[float], None] | None = None) -> TrayRun:
    """Run the workload on one configuration.

    Raises
    ------
    UserError
        as in `TrayMachine.run`.
    """
    machine = TrayMachine(case.configuration, scenario.costs, scenario.scrambler, scenario.seed)
    return machine.run(case.workload.program(np.random.default_rng(scenario.seed)), progress)


def limited(scenario: TrayScenario, limits: Mapping[str, tuple[int, ...]]) -> TrayScenario:
    """Return the scenario with all configurations that have trays under memnice, once for each limit.

    A limit replaces the one that a configuration has for its compilation. Configurations without trays stay.

    Parameters
    ----------
    limits
        the allowed trays by name of the limit.

    Raises
    ------
    UserError
        no configuration has trays.
    """
    cases: dict[str, Case] = {}
    for case in scenario.cases:
        configuration, workload = case.configuration, case.workload
        if configuration.allocator != "tray":
            cases[configuration.name] = case
            continue
        name = f"{configuration.name}, "
        if isinstance(workload, Compilation) and workload.trays is not None:
            name, workload = "", replace(workload, trays=None)
        for limit, trays in limits.items():
            named = replace(configuration, name=f"{name}memnice {limit}")
            cases.setdefault(named.name, Case(named, Limited(workload, trays)))
    if all(case.configuration.allocator != "tray" for case in cases.values()):
        raise UserError("no configuration has trays to limit", remedy='choose one with allocator = "tray"')
    return replace(scenario, cases=tuple(cases.values()))
