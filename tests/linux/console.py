"""A shell on a console: qemu's, the simulated SoC's, a board's."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from patience import Deadline

LONGEST_LINE = 1023  # of busybox.config: CONFIG_FEATURE_EDITING_MAX_LEN


class ConsoleError(Exception):
    """The console did not say in time what was waited for; the message shows what it said."""


@dataclass
class Console:
    """Runs commands in the shell of a console.

    write: takes bytes for the console's input.
    log: the file that grows by all that the console prints.
    alive: tells whether the machine still runs.
    timeout_s: of each wait on a quiet machine, unless the wait names another.
    """

    write: Callable[[bytes], object]
    log: Path
    alive: Callable[[], bool] = lambda: True
    timeout_s: float = 30
    read_to: int = field(default=0, init=False)
    """Bytes of the log that were waited for already."""
    commands: int = field(default=0, init=False)

    def wait_for(self, pattern: str, timeout_s: float | None = None) -> re.Match[str]:
        """Waits until the log, from where the last wait ended, has a match of a regular expression.

        Raises:
            ConsoleError: it has none in time, or the machine ended.
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
                raise ConsoleError(f"{why} waiting for {pattern!r} in {self.log}; the end:\n{text[-2000:]}")
            time.sleep(0.02)

    def run(self, command: str, timeout_s: float | None = None) -> tuple[int, str]:
        """Runs a command line; returns its exit status and what it printed, lines ended by a line feed.

        Raises:
            ConsoleError: it did not end in time.
            ValueError: the shell cannot read a line that long.
        """
        self.commands += 1
        # The shell echoes what is typed: the quotes keep the marks themselves out of the echo.
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
        """Runs a command line that must succeed; returns what it printed.

        Raises:
            ConsoleError: it failed, or did not end in time.
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
