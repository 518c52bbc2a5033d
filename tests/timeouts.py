# SPDX-License-Identifier: BSD-2-Clause
"""A test's time limit: the seconds that suffice on a quiet machine, times how slow this machine is now.

The factor is the product of two measurements, at least 1 and at most `LONGEST`:

- speed: the processor time of a fixed loop, divided by `REFERENCE_S`;
- load: the number of runnable processes per core (now or over the last minute), or the wall time of the
  loop divided by its processor time, whichever is greatest.

The environment variable LITEMRC_TIMEOUT_SCALE multiplies the result; an emulator needs 5, for example.
Use `scaled_timeout` to wait for what must happen. A bound that a test claims stays a plain number.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

LONGEST = 12.0
STEPS = 40_000
REFERENCE_S = 0.0006
"""Processor time of `STEPS` on the machine that the limits were chosen on."""
RENEWED_AFTER_S = 1.0
POLL_S = 0.01

_measured: tuple[float, float] | None = None
"""Time of the last measurement, and its factor."""


def _loop() -> tuple[float, float]:
    """Return processor and wall time of the fixed loop, in seconds."""
    wall, processor = time.perf_counter(), time.thread_time()
    for _ in range(STEPS):
        pass
    return time.thread_time() - processor, time.perf_counter() - wall


def _runnable() -> float:
    """Return the number of runnable processes: now or over the last minute, whichever is greater."""
    try:
        with open("/proc/loadavg") as file:
            minute, _, _, now, _ = file.read().split()
    except OSError:  # not Linux
        return os.getloadavg()[0]
    return max(float(minute), float(now.split("/")[0]))


def factor() -> float:
    """Return how much slower than the reference this machine is now; measured at most once a second."""
    global _measured
    now = time.monotonic()
    if _measured is None or now - _measured[0] > RENEWED_AFTER_S:
        loops = [_loop() for _ in range(3)]
        speed = max(1.0, min(processor for processor, _ in loops) / REFERENCE_S)
        waited = sum(wall for _, wall in loops) / sum(processor for processor, _ in loops)
        load = max(1.0, waited, _runnable() / len(os.sched_getaffinity(0)))
        _measured = now, min(speed * load, LONGEST)
    return _measured[1] * float(os.environ.get("LITEMRC_TIMEOUT_SCALE", "1"))


def scaled_timeout(seconds: float) -> float:
    """Return a limit for something that takes at most `seconds` on a quiet machine."""
    return seconds * factor()


@dataclass
class Deadline:
    """The end of a wait; it moves when the machine has become slower since the wait began.

    seconds: the limit on a quiet machine.
    """

    seconds: float
    began: float = field(init=False)
    limit_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.began, self.limit_s = time.monotonic(), scaled_timeout(self.seconds)

    @property
    def left_s(self) -> float:
        """Wall time left, at least 0."""
        left = self.began + self.limit_s - time.monotonic()
        if left <= 0 and (renewed := scaled_timeout(self.seconds)) > self.limit_s:
            self.limit_s = renewed
            left = self.began + self.limit_s - time.monotonic()
        return max(0.0, left)

    @property
    def passed(self) -> bool:
        return not self.left_s


def wait_until(true: Callable[[], bool], seconds: float = 10, what: str = "it") -> None:
    """Wait until a condition holds.

    Raises
    ------
    AssertionError
        it does not hold within `scaled_timeout(seconds)`.
    """
    deadline = Deadline(seconds)
    while not true():
        assert not deadline.passed, f"{what} did not happen within {deadline.limit_s:.0f} s"
        time.sleep(POLL_S)
