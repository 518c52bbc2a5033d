# SPDX-License-Identifier: BSD-2-Clause
"""Commands in the shell on the console of a simulated SoC that runs Linux."""

import itertools
import re
import time
from collections.abc import Callable

from litemrc.device.simulation.simulator import Simulator
from litemrc.errors import UserError

_POLL_S = 0.2


def values_of(run: Callable[[str], str], *files: str) -> dict[str, str]:
    """Return the lines that files have, one each, by their names. A file may be a pattern.

    The shell itself reads them: a program's start takes 4 million cycles.

    Parameters
    ----------
    run
        runs a command line and returns its output.
    """
    printed = run(f"for f in {' '.join(files)}; do read -r x <$f; echo ${{f##*/}} $x; done")
    return {name: text for name, _, text in (line.partition(" ") for line in printed.splitlines())}


class GuestShell:
    """Runs command lines in the guest, one after the other.

    The commands are read by a shell without line editing, which costs 100,000 cycles for each key.

    Parameters
    ----------
    simulator
        at its prompt.
    timeout_s
        of each command, in seconds of this machine.
    """

    def __init__(self, simulator: Simulator, timeout_s: float) -> None:
        self._simulator, self._timeout_s = simulator, timeout_s
        self._numbers = itertools.count(1)
        self._read_to = len(self._said())
        simulator.type(b"cat | sh\n")

    def run(self, command: str, timeout_s: float | None = None) -> str:
        """Run a command line and return its output, within other seconds than those of the shell if given.

        Raises
        ------
        UserError
            it failed, did not end in time, or the simulator ended.
        """
        number = next(self._numbers)
        # The quotes make the echo of the typed command differ from its output.
        self._simulator.type(f"echo '<''{number}:'; {command}\necho \":$?:\"'{number}>'\n".encode())
        answer = self._wait(rf"<{number}:\r*\n((?:.|\n)*?):(\d+):{number}>", timeout_s or self._timeout_s)
        printed = re.sub(r"\r+\n", "\n", answer[1])
        if answer[2] != "0":
            raise self._error(f"{command!r} ended with {answer[2]}: {printed.strip()}")
        return "".join(line for line in printed.splitlines(keepends=True) if '":$?:"' not in line)

    def _wait(self, pattern: str, timeout_s: float) -> re.Match[str]:
        deadline = time.monotonic() + timeout_s
        while True:
            ended = not self._simulator.running
            if match := re.search(pattern, self._said()[self._read_to :]):
                self._read_to += match.end()
                return match
            if ended or time.monotonic() > deadline:
                raise self._error("the simulator ended" if ended else "Linux did not answer in time")
            time.sleep(_POLL_S)

    def _said(self) -> str:
        return self._simulator.console.read_text(errors="replace")

    def _error(self, what: str) -> UserError:
        return UserError(what, where=str(self._simulator.console), remedy="read the console's output")
