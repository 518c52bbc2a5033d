# SPDX-License-Identifier: BSD-2-Clause
"""Results of processes that share a memory."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, eq=False)
class ProcessResult:
    """Result of a process; times in seconds.

    Attributes
    ----------
    faults, zero_fills, write_outs
        pages read from disk, zero-filled, and written to disk.
    execution_s
        from its start to its end; None if it did not end.
    arrived_s, response_s
        float64[requests], of each completed request that arrived in the measured time.
    early
        completed requests that arrived before the measured time.
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
        """Return the time of table 2: execution time of a batch process, otherwise mean response time."""
        return self.execution_s if self.kind == "batch" else self.mean_s

    @property
    def mean_s(self) -> float | None:
        """Return the mean response time; None without completed requests."""
        return float(self.response_s.mean()) if self.response_s.size else None

    def percentile_s(self, percent: float) -> float | None:
        """Return a percentile of the response times, as one of the measured values."""
        if not self.response_s.size:
            return None
        return float(np.percentile(self.response_s, percent, method="inverted_cdf"))


@dataclass(frozen=True, eq=False)
class RunResult:
    """Result of a scenario under a policy.

    Attributes
    ----------
    time_s
        end of the run.
    measured_s
        length of the measured time.
    disk_busy_s
        total time of disk transfers.
    processes
        in the order of the scenario.
    sampled_s
        float64[samples], sample times.
    resident_pages
        int64[samples, processes], resident pages of each process.
    budget_pages
        int64[samples, processes], or None: not sampled.
    """

    policy: str
    time_s: float
    measured_s: float
    disk_busy_s: float
    processes: tuple[ProcessResult, ...]
    sampled_s: NDArray[np.float64]
    resident_pages: NDArray[np.int64]
    budget_pages: NDArray[np.int64] | None = None

    def process(self, name: str) -> ProcessResult:
        """Return the process of this name."""
        return next(process for process in self.processes if process.name == name)

    @property
    def touches(self) -> int:
        return sum(process.touches for process in self.processes)

    def comparable_faults(self, name: str) -> float:
        """Return the faults of table 2: those per 100 s of a server, all of other processes."""
        process = self.process(name)
        if process.kind != "server":
            return process.faults
        return 100 * process.faults / self.measured_s if self.measured_s else 0.0


def speedup(first: ProcessResult, process: ProcessResult) -> float | None:
    """Return the speedup of a process; None if one of the times is unknown."""
    if first.time_s is None or not process.time_s:
        return None
    return first.time_s / process.time_s


def fault_reduction(first: RunResult, result: RunResult, name: str) -> float | None:
    """Return the share of page faults avoided; None if there were none."""
    before = first.comparable_faults(name)
    return 1 - result.comparable_faults(name) / before if before else None
