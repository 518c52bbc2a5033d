"""What became of processes that shared a memory."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, eq=False)
class ProcessResult:
    """What became of a process; times in seconds.

    Attributes:
        faults, zero_fills, write_outs: pages read from disk, filled with zeros, written out to disk.
        execution_s: from its start to its end; None if it did not end.
        arrived_s, response_s: float64[requests], of each request done that arrived when it was measured.
        early: of how many more nothing is told, as they arrived before.
    """

    name: str
    kind: str
    touches: int
    faults: int
    zero_fills: int
    write_outs: int
    execution_s: float | None
    arrived_s: NDArray[np.float64]
    response_s: NDArray[np.float64]
    early: int

    @property
    def time_s(self) -> float | None:
        """What table 2 reports: the execution time of a batch process, of others the mean response time."""
        return self.execution_s if self.kind == "batch" else self.mean_s

    @property
    def mean_s(self) -> float | None:
        """Mean response time; None if no request was done."""
        return float(self.response_s.mean()) if self.response_s.size else None

    def percentile_s(self, percent: float) -> float | None:
        """The response time that so many of all requests do not exceed: a response time that was measured."""
        if not self.response_s.size:
            return None
        return float(np.percentile(self.response_s, percent, method="inverted_cdf"))


@dataclass(frozen=True, eq=False)
class RunResult:
    """What became of a scenario under a policy.

    Attributes:
        time_s: when the run ended.
        measured_s: how long faults were counted.
        disk_busy_s: how long the disk works on what it was asked for.
        processes: in the order of the scenario.
        sampled_s: float64[samples], times at which memory was looked at.
        resident_pages: int64[samples, processes], pages of each process in memory.
    """

    policy: str
    time_s: float
    measured_s: float
    disk_busy_s: float
    processes: tuple[ProcessResult, ...]
    sampled_s: NDArray[np.float64]
    resident_pages: NDArray[np.int64]

    def process(self, name: str) -> ProcessResult:
        """The process of this name."""
        return next(process for process in self.processes if process.name == name)

    @property
    def touches(self) -> int:
        return sum(process.touches for process in self.processes)

    def comparable_faults(self, name: str) -> float:
        """Page faults to compare policies by: of a server those in 100 s, as in table 2; of others all."""
        process = self.process(name)
        if process.kind != "server":
            return process.faults
        return 100 * process.faults / self.measured_s if self.measured_s else 0.0


def speedup(first: ProcessResult, process: ProcessResult) -> float | None:
    """How many times as fast a process is; None if one of the times is not known."""
    if first.time_s is None or not process.time_s:
        return None
    return first.time_s / process.time_s


def fault_reduction(first: RunResult, result: RunResult, name: str) -> float | None:
    """Share of the page faults that are no more; None where there were none."""
    before = first.comparable_faults(name)
    return 1 - result.comparable_faults(name) / before if before else None
