# SPDX-License-Identifier: BSD-2-Clause
"""Runs of a scenario on Linux with `litemrc govern` at the link, with results as of a simulated machine."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from litemrc.device.simulation.guest_shell import GuestShell
from litemrc.errors import UserError
from numpy.typing import NDArray

from litemrc_studies.zhou2004.command.linux_programs import Program, counters, run_all, turns
from litemrc_studies.zhou2004.machine.run_result import ProcessResult, RunResult

GOVERN_END_S = 300.0
_POLL_S = 0.2


@dataclass(frozen=True, eq=False)
class DeviceRun:
    """A run on the device.

    Attributes
    ----------
    result
        as a simulated machine gives it; time 0 is the begin of the first turn. Responses are those
        that began when each batch program that has several turns had ended its first. Counts are of the
        whole run: faults are major ones, zero fills all others, pages written those that reclaim took.
    turn_s
        for each program float64[turns], length of each turn.
    budgets
        pages of each program after each epoch.
    curves
        of each program at each sample of the result: sizes in pages at which its miss ratio
        falls, and the ratio there; empty where the governor had no curve.
    """

    result: RunResult
    turn_s: Mapping[str, NDArray[np.float64]]
    budgets: Sequence[Mapping[str, int]]
    curves: Mapping[str, Sequence[Sequence[tuple[int, float]]]]


def run_governed(
    shell: GuestShell,
    programs: tuple[Program, ...],
    govern: Sequence[str],
    folder: Path,
    *,
    policy: str,
    epoch_s: float,
) -> DeviceRun:
    """Run all programs while `litemrc govern` is at the link.

    Parameters
    ----------
    govern
        its options; the log and what it prints go into `folder`.
    policy
        name of the run, of the simulated machine's policies.
    epoch_s
        length of an epoch.

    Raises
    ------
    UserError
        a program or `govern` failed.
    """
    log = folder / f"{policy}.jsonl"
    log.unlink(missing_ok=True)
    before = {program.name: counters(shell, program) for program in programs}
    with _Governing([*govern, "--log", str(log)], folder / f"{policy}.txt") as governing:
        governing.wait_for(log)
        run_all(shell, programs, policy)
    of_turns = {program.name: turns(shell, program, policy) for program in programs}
    counts = {
        program.name: {
            name: after - before[program.name][name] for name, after in counters(shell, program).items()
        }
        for program in programs
    }
    epochs = [_by_program(json.loads(line), programs) for line in log.read_text().splitlines()]
    result = _result(programs, policy, of_turns, counts, epochs, epoch_s)
    return DeviceRun(
        replace(result, budget_pages=None) if "--dry-run" in govern else result,
        {name: each[:, 1] for name, each in of_turns.items()},
        [{name: each["budget"] for name, each in epoch.items()} for epoch in epochs],
        {
            program.name: [
                epoch.get(program.name, {}).get("curve", ()) for epoch in epochs[-len(result.sampled_s) :]
            ]
            for program in programs
        },
    )


class _Governing:
    """`litemrc govern` in the background until the end of the block, when Ctrl-C ends its lease."""

    def __init__(self, options: Sequence[str], said: Path) -> None:
        self._command = [sys.executable, "-m", "litemrc.cli.main", "govern", *options]
        self._said = said

    def __enter__(self) -> "_Governing":
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; the child would inherit it
            signal.signal(signal.SIGINT, signal.default_int_handler)
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(self._command, stdout=said, stderr=said)
        return self

    def wait_for(self, log: Path) -> None:
        """Return when it has logged an epoch.

        Raises
        ------
        UserError
            it ended.
        """
        while not log.exists() or not log.stat().st_size:
            if self._process.poll() is not None:
                raise UserError("litemrc govern ended", where=str(self._said), remedy="read its output")
            time.sleep(_POLL_S)

    def __exit__(self, *exception: object) -> None:
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(GOVERN_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _by_program(record: Mapping[str, Any], programs: tuple[Program, ...]) -> dict[str, dict[str, Any]]:
    """Return what `govern` logged of each program in an epoch."""
    of_cgroups = {each.get("cgroup"): each for each in record["contexts"].values()}
    return {program.name: of_cgroups[program.cgroup] for program in programs if program.cgroup in of_cgroups}


def _result(
    programs: tuple[Program, ...],
    policy: str,
    of_turns: Mapping[str, NDArray[np.float64]],
    counts: Mapping[str, Mapping[str, int]],
    epochs: Sequence[Mapping[str, Mapping[str, Any]]],
    epoch_s: float,
) -> RunResult:
    begin = min(each[0, 0] for each in of_turns.values())
    batch = [of_turns[program.name] for program in programs if program.batch]
    measured_from = max((each[0].sum() - begin for each in batch if len(each) > 1), default=0.0)
    end = max(each[-1].sum() for each in batch) - begin
    held = np.array(
        [[epoch.get(program.name, {}).get("resident", 0) for program in programs] for epoch in epochs],
        np.int64,
    )
    # The programs begin within the first epoch at whose end they hold pages: known to an epoch.
    first = int(np.argmax(held.any(axis=1)))
    budgets = np.array(
        [[epoch.get(program.name, {}).get("budget", 0) for program in programs] for epoch in epochs], np.int64
    )
    return RunResult(
        policy=policy,
        time_s=float(end),
        measured_s=float(end - measured_from),
        disk_busy_s=0.0,  # swap is compressed memory
        processes=tuple(
            _process(program, of_turns[program.name] - (begin, 0.0), counts[program.name], measured_from)
            for program in programs
        ),
        sampled_s=np.arange(1.0, len(held) - first + 1.0) * epoch_s,
        resident_pages=held[first:],
        budget_pages=budgets[first:],
    )


def _process(
    program: Program, of_turns: NDArray[np.float64], counts: Mapping[str, int], measured_from: float
) -> ProcessResult:
    arrived, response = of_turns.T
    measured = arrived >= measured_from
    if program.batch:
        measured[:] = False
    return ProcessResult(
        name=program.name,
        kind="batch" if program.batch else "interactive",
        touches=0,  # not counted
        faults=counts["pgmajfault"],
        zero_fills=counts["pgfault"] - counts["pgmajfault"],
        write_outs=counts["pgsteal"],
        execution_s=float(response.sum()) if program.batch else None,
        arrived_s=arrived[measured],
        response_s=response[measured],
        early=0 if program.batch else int(np.count_nonzero(~measured)),
    )
