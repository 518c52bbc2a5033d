# SPDX-License-Identifier: BSD-2-Clause
"""A shell on the console of qemu, the simulated SoC or a board."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.timeouts import Deadline

LONGEST_LINE = 1023  # of busybox.config: CONFIG_FEATURE_EDITING_MAX_LEN


class ConsoleError(Exception):
    """The expected output did not come in time; the message shows what came."""


@dataclass
class Console:
    """Runs commands in the shell on a console.

    write: takes bytes for the console's input.
    log: the file to which all output of the console is appended.
    alive: returns whether the machine still runs.
    state: describes the machine when it does not answer, for the message of the error.
    timeout_s: of each wait on a quiet machine, unless the wait names another.
    """

    write: Callable[[bytes], object]
    log: Path
    alive: Callable[[], bool] = lambda: True
    timeout_s: float = 30
    state: Callable[[], str] = str
    timed_out: bool = field(default=False, init=False)
    """A wait has failed."""
    read_to: int = field(default=0, init=False)
    """Bytes of the log behind the last match."""
    commands: int = field(default=0, init=False)

    def wait_for(self, pattern: str, timeout_s: float | None = None) -> re.Match[str]:
        """Wait until the log, from where the last wait ended, matches a regular expression.

        Raises
        ------
        ConsoleError
            no match came in time, or the machine ended.
        """
        deadline = Deadline(self.timeout_s if timeout_s is None else timeout_s)
        while True:
            ended = not self.alive()
            text = self._unread()
            if match := re.search(pattern, text):
                self.read_to += len(text[: match.end()].encode("latin-1"))
                return match
            if ended or deadline.passed:
                why = "the machine ended" if ended else "timeout"
                self.timed_out = True
                state = "" if ended else self.state()
                message = f"{why} waiting for {pattern!r} in {self.log}; the end:\n{text[-2000:]}"
                raise ConsoleError(f"{message}\n{state}")
            time.sleep(0.02)

    def run(self, command: str, timeout_s: float | None = None) -> tuple[int, str]:
        """Run a command line; return its exit status and its output, lines ended by a line feed.

        Raises
        ------
        ConsoleError
            it did not end in time.
        ValueError
            the shell cannot read a line that long.
        """
        self.commands += 1
        # The shell echoes its input: the quotes keep the marks themselves out of the echo.
        quoted = command.replace("'", "'\\''")
        line = (
            f"echo '<''{self.commands}:'; command eval '{quoted}'; echo \":$?:\"'{self.commands}>'\n".encode()
        )
        if len(line) > LONGEST_LINE:
            raise ValueError(f"{len(line)} bytes are more than the shell reads in a line: {command!r}")
        self.write(line)
        self.wait_for(rf"<{self.commands}:\r*\n", timeout_s)
        match = self.wait_for(rf"((?:.|\n)*?):(\d+):{self.commands}>\r*\n", timeout_s)
        return int(match[2]), re.sub(r"\r+\n", "\n", match[1])

    def check(self, command: str, timeout_s: float | None = None) -> str:
        """Run a command line that must succeed; return its output.

        Raises
        ------
        ConsoleError
            it failed, or did not end in time.
        """
        status, printed = self.run(command, timeout_s)
        if status:
            raise ConsoleError(f"{command!r} ended with {status}:\n{printed}")
        return printed

    def _unread(self) -> str:
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(self.read_to)
            return file.read().decode("latin-1")
