# SPDX-License-Identifier: BSD-2-Clause
"""The programs of a scenario on Linux: their commands, their cgroups, and what they and the kernel count."""

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from litemrc.device.simulation.guest_shell import GuestShell
from litemrc.errors import UserError
from litemrc.policies.allocation.lending import CHARGED_AHEAD
from numpy.typing import NDArray

from litemrc_studies.zhou2004.machine.scenario import Part, ProcessSpec, Scenario

MOUNT = "/sys/fs/cgroup"
SHARED = "/shared"  # the cgroup of all programs; its memory.max is the memory that they share
COUNTERS = ("pgfault", "pgmajfault", "pgsteal")
MOST_ITERATIONS = 1 << 16
COST_PAGES = 128  # of the loop that measures costs


@dataclass(frozen=True)
class Program:
    """A process of a scenario as programs of firmware/linux/programs, which run one after the other.

    Attributes
    ----------
    batch
        it ends by itself.
    commands
        each with "{file}" in place of the name of the file for its turns.
    """

    name: str
    batch: bool
    commands: tuple[str, ...]

    @property
    def cgroup(self) -> str:
        return f"{SHARED}/{self.name}"

    def files(self, run: str) -> list[str]:
        """Return the files for the turns of each command in a run of this name."""
        return [f"/tmp/{self.name}.{run}.{number}" for number in range(len(self.commands))]

    def line(self, run: str) -> str:
        """Return the command line that runs it in its cgroup."""
        commands = [
            each.replace("{file}", file) for each, file in zip(self.commands, self.files(run), strict=True)
        ]
        return "; ".join(
            [f"echo 0 >{MOUNT}{self.cgroup}/cgroup.procs", *commands[:-1], f"exec {commands[-1]}"]
        )


def programs_of(scenario: Scenario, path: Path) -> tuple[Program, ...]:
    """Return the programs that a scenario needs on Linux.

    Parameters
    ----------
    path
        of the scenario's file, for errors.

    Raises
    ------
    UserError
        there is no such program.
    """
    programs = tuple(
        Program(
            process.name,
            process.kind == "batch",
            tuple(_command(scenario, process, part) for part in process.parts),
        )
        for process in scenario.processes
    )
    if all(all(program.commands) for program in programs) and any(program.batch for program in programs):
        return programs
    raise UserError(
        "Linux has no programs for these processes",
        where=str(path),
        remedy="give interactive ones gen:zipf?pages=N&alpha=1&writes=1, and at least one batch process, with"
        " a command, or gen:loop?pages=N&writes=1 in whole rounds, and release after each part but the last",
    )


def _command(scenario: Scenario, process: ProcessSpec, part: Part) -> str:
    """Return the command of a part; empty if there is none."""
    if process.command:
        return (
            f"elapsed -o {{file}} sh -c {shlex.quote(process.command)}" if part is process.parts[-1] else ""
        )
    loop = re.fullmatch(r"gen:loop\?pages=(\d+)&writes=1", part.trace)
    zipf = re.fullmatch(r"gen:zipf\?pages=(\d+)&alpha=1&writes=1", part.trace)
    if loop and process.kind == "batch" and part.release == (part is not process.parts[-1]):
        rounds, rest = divmod(part.touches or 0, int(loop[1]))
        return f"linear {loop[1]} {rounds} {{file}}" if rounds and not rest else ""
    if zipf and process.kind == "interactive" and process.request_touches:
        sleep_ms = round(1e3 * process.pause * scenario.tick_s)
        return f"intr {zipf[1]} {process.request_touches} {MOST_ITERATIONS} {sleep_ms} {{file}}"
    return ""


def make_cgroups(shell: GuestShell, programs: tuple[Program, ...], pages: int, page_bytes: int) -> None:
    """Make the cgroups, and have the daemon serve them.

    Parameters
    ----------
    pages
        of the memory that the programs share, without those that Linux charges ahead.
    """
    memory_bytes = (pages + CHARGED_AHEAD * len(programs)) * page_bytes
    folders = " ".join(MOUNT + program.cgroup for program in programs)
    shell.run(
        f"mkdir {MOUNT}{SHARED} && echo +memory >{MOUNT}{SHARED}/cgroup.subtree_control && mkdir {folders}"
    )
    for file in ("max", "low"):  # no memory.low protects more than that of the cgroup above
        shell.run(f"echo {memory_bytes} >{MOUNT}{SHARED}/memory.{file}")
    for program in programs:
        shell.run(f"echo '[govern] = {program.cgroup}' >>/etc/litemrcd.conf")
    shell.run("kill $(pidof litemrcd); while ! pidof litemrcd; do sleep 1; done")  # init starts it again


def run_all(shell: GuestShell, programs: tuple[Program, ...], run: str) -> None:
    """Run all programs side by side until those that end by themselves have ended."""
    lines = [
        f'({program.line(run)}) & {"B" if program.batch else "I"}="${"B" if program.batch else "I"} $!"'
        for program in programs
    ]
    shell.run(f'B= I=; {"; ".join(lines)}; wait $B; [ -z "$I" ] || {{ kill $I; wait $I; }}')


def turns(shell: GuestShell, program: Program, run: str) -> NDArray[np.float64]:
    """Return begin and length, in seconds, of each turn: float64[turns, 2]."""
    return np.concatenate([_turns(shell, file) for file in program.files(run)])


def _turns(shell: GuestShell, file: str) -> NDArray[np.float64]:
    lines = shell.run(f"cat {file}").splitlines()
    return np.array([line.split() for line in lines], dtype=np.float64).reshape(-1, 2) / 1e6


def counters(shell: GuestShell, program: Program) -> dict[str, int]:
    """Return the `COUNTERS` of a program's cgroup, from its memory.stat.

    Raises
    ------
    UserError
        one is absent.
    """
    text = shell.run(f"cat {MOUNT}{program.cgroup}/memory.stat")
    stat = dict(re.findall(r"^(\w+) (\d+)$", text, re.M))
    try:
        return {name: int(stat[name]) for name in COUNTERS}
    except KeyError as lacking:
        raise UserError(f"memory.stat of {program.cgroup} has no {lacking}", where="Linux") from None


def measure_costs(shell: GuestShell, scenario: Scenario) -> Scenario:
    """Return the scenario with the device's processor times of a touch, a zero-filled page and a page fault.

    They are those of a loop alone: its first turn fills pages, later ones touch them; in a memory that is too
    small each touch evicts a page and brings another back. A command keeps its time of a touch.
    """
    folder = f"{MOUNT}/costs"
    shell.run(f"mkdir {folder} && linear {COST_PAGES} 3 /tmp/touches")
    shell.run(f"echo {COST_PAGES * 3 // 4 * scenario.page_bytes} >{folder}/memory.max")
    shell.run(f"(echo 0 >{folder}/cgroup.procs; exec linear {COST_PAGES} 3 /tmp/faults); rmdir {folder}")
    resident, evicted = (_turns(shell, f"/tmp/{name}")[:, 1] for name in ("touches", "faults"))
    touch, filled, fault = (
        round(float(seconds) / COST_PAGES / scenario.tick_s)
        for seconds in (np.median(resident[1:]), resident[0], np.median(evicted[1:]))
    )
    costs = replace(scenario.costs, fault=max(fault - touch, 0), zero_fill=max(filled - touch, 0))
    processes = tuple(
        process if process.command else replace(process, touch=touch) for process in scenario.processes
    )
    return replace(scenario, costs=costs, processes=processes)
