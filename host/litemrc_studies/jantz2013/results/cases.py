# SPDX-License-Identifier: BSD-2-Clause
"""Runs of the scenarios of Jantz et al. 2013 and of recorded visits, for the scripts of its page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from litemrc_studies.jantz2013.machine.events import Event, Phase
from litemrc_studies.jantz2013.machine.hardware import PAGE_BYTES, Hardware
from litemrc_studies.jantz2013.machine.machine import TrayMachine
from litemrc_studies.jantz2013.machine.rank_visits import RankVisits, rank_samples_mw, sample_seconds
from litemrc_studies.jantz2013.machine.result import TrayRun
from litemrc_studies.jantz2013.machine.scenario import Case, TrayScenario, run_case

GIB = 1 << 30
MINUS = "\N{MINUS SIGN}"
Made = tuple[dict[str, str], dict[str, str]]  # tables and values of the page
MOST = 400_000  # recorded visits


def run(scenario: TrayScenario) -> list[TrayRun]:
    """Run all configurations."""
    return [run_case(scenario, case) for case in scenario.cases]


def named(runs: Sequence[TrayRun], name: str) -> TrayRun:
    return next(each for each in runs if each.configuration == name)


def gib(pages: int) -> float:
    return pages * PAGE_BYTES / GIB


def percent_of(part: float | None) -> str:
    return "-" if part is None else f"{round(100 * part, 1) + 0.0:.1f} %".replace("-", MINUS)


@dataclass(frozen=True, eq=False)
class Served:
    """The visits of a phase as the ranks serve them.

    Attributes
    ----------
    hardware
        on which they were recorded.
    columns
        gap and busy (uint32, cycles), rank, reads and writes (uint8), each of length visits.
    """

    hardware: Hardware
    columns: tuple[np.ndarray, ...]

    @property
    def lines(self) -> int:
        """Return the lines that the visits transfer."""
        return int(sum(column.sum(dtype=np.int64) for column in self.columns[3:]))


class _Recorder(RankVisits):
    """Ranks that also keep the visits while `recording`."""

    recording = False

    def __init__(self, most: int, *arguments) -> None:
        super().__init__(*arguments)
        self._left = most
        self.pieces: list[tuple[np.ndarray, ...]] = []

    def visit(self, gap, busy, rank, reads, writes) -> None:
        super().visit(gap, busy, rank, reads, writes)
        if self.recording and self._left:
            each = [part[: self._left] for part in np.broadcast_arrays(gap, busy, rank, reads, writes)]
            types = (np.uint32, np.uint32, np.uint8, np.uint8, np.uint8)
            self.pieces.append(tuple(part.astype(to) for part, to in zip(each, types, strict=True)))
            self._left -= each[0].size


def record(
    scenario: TrayScenario, case: Case, phase: str = "work", most: int = MOST
) -> tuple[TrayRun, Served]:
    """Run a case; return its result and the first `most` visits of one phase, to be served again.

    The placement of pages does not depend on the ranks' states: one run of the memory is enough for all
    settings of ranks.
    """
    hardware = case.configuration.hardware
    machine = TrayMachine(case.configuration, scenario.costs, scenario.scrambler, scenario.seed)
    interleaved = hardware.mapping == "interleaved"
    recorder = _Recorder(most, hardware.trays, hardware.timing, interleaved, hardware.background)
    machine.ranks = recorder

    def watched() -> Iterator[Event]:
        for event in case.workload.program(np.random.default_rng(scenario.seed)):
            if isinstance(event, Phase):
                recorder.recording = event.name == phase
            yield event

    run = machine.run(watched())
    return run, Served(hardware, tuple(np.concatenate(parts) for parts in zip(*recorder.pieces, strict=True)))


def mean_mw(served: Served, *, slower: float = 1.0, **changes) -> float:
    """Return the mean power of all ranks if they serve the visits with changed hardware.

    Parameters
    ----------
    slower
        factor of the time between two visits.
    changes
        attributes of `Hardware`, such as `controller` and `background_hz`.
    """
    hardware = replace(served.hardware, **changes)
    ranks = RankVisits(
        hardware.trays, hardware.timing, hardware.mapping == "interleaved", hardware.background
    )
    gap = served.columns[0]
    ranks.visit(gap if slower == 1 else np.round(gap * slower), *served.columns[1:])
    ranks.finish()
    counters = ranks.counters()
    seconds = sample_seconds(counters, hardware)
    return float(rank_samples_mw(counters, hardware).sum(axis=1) @ seconds / seconds.sum())
