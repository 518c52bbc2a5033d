# SPDX-License-Identifier: BSD-2-Clause
"""Functions of a point that tests run on workers; a worker imports this module by its name."""

import os
import signal
import time
from pathlib import Path

from litemrc.errors import UserError
from litemrc_studies.sweeps import batch

# A worker that starts again in the middle of a test must not find that somebody has saved a source meanwhile.
BUILD = "0.1.0+tests"
batch.build = lambda: BUILD


def doubled(arguments):
    """Return twice the first argument, and the second as a note."""
    return [{"twice": 2 * int(arguments[0])}], list(arguments[1:])


def refused(arguments):
    """Refuse odd numbers, and break at 4."""
    number = int(arguments[0])
    if number % 2:
        raise UserError(f"{number} is odd", where="x")
    return [{"half": number // 2, "inverse": 1 / (number - 4)}], []


def deadly(arguments):
    """Kill this process at 3, as the kernel does when memory is short."""
    if arguments[0] == "3":
        os.kill(os.getpid(), signal.SIGKILL)
    return doubled(arguments)


def slow(arguments):
    """Leave this process's number in a folder, take a while, and double."""
    (Path(arguments[1]) / f"{arguments[0]}.{os.getpid()}").touch()
    time.sleep(0.05)
    return doubled(arguments[:1])
