# SPDX-License-Identifier: BSD-2-Clause
"""A monitor whose commands wait, because the tap has an access in every cycle."""

from dataclasses import dataclass, field

from migen import passive

from tests.gateware.monitor_bench import (
    ACKNOWLEDGE,
    CLEAR,
    DEFAULT,
    ENABLE,
    FRAMES,
    HOLD,
    STATUS_COMMAND_PENDING,
    STATUS_IDLE,
    Bench,
    observe,
    queued,
)
from tests.verilated_simulation import run_simulation

DEPTH = 16  # commands that can wait


@dataclass
class CommandLog:
    """What was seen of the commands."""

    accessed: bool = False  # the tap has an access in every cycle
    events: list = field(default_factory=list)
    accesses: list = field(default_factory=list)
    waiting: int = 0  # status while the commands waited
    settled: int = 0  # status after the last has entered the queue
    acknowledged: int = 0  # status after command.acknowledge

    @property
    def entered(self):
        """(kind, frame) of the commands that entered the queue, of claims the context, too."""
        return queued(self)[1]


@passive
def saturating(tap, log):
    """An access in every cycle while `log.accessed`."""
    while True:
        yield tap.source.valid.eq(int(log.accessed))
        yield tap.source.frame.eq(2)
        yield


def invalidations(count):
    """Writes of n invalidations, of frames in turn."""
    return [("invalidate", number % FRAMES) for number in range(count)]


def written_under_load(monitor_class, writes, wait=0):
    """Write registers one behind the other while accesses come in every cycle, then let them enter the queue.

    Parameters
    ----------
    monitor_class : type
    writes : list of (str, int)
        registers and values.
    wait : int
        cycles between the writes and the first cycle without an access.

    Returns
    -------
    CommandLog
    """
    bench, log = Bench(monitor_class, DEFAULT), CommandLog()

    def processor():
        yield from bench.write("command", CLEAR)
        while not (yield from bench.read("status")) & STATUS_IDLE:
            pass
        yield from bench.write("control", ENABLE | HOLD)
        log.accessed = True
        for _ in range(4):
            yield
        log.events.clear()
        for name, value in writes:
            yield from bench.write(name, value)
        yield
        yield
        log.waiting = yield from bench.read("status")
        for _ in range(wait):
            yield
        log.accessed = False
        while (yield from bench.read("status")) & STATUS_COMMAND_PENDING:
            pass
        log.settled = yield from bench.read("status")
        yield from bench.write("command", ACKNOWLEDGE)
        yield
        log.acknowledged = yield from bench.read("status")
        while not (yield from bench.read("status")) & STATUS_IDLE:
            pass

    run_simulation(
        bench,
        [
            saturating(bench.sources, log),
            observe(bench.monitor.observed, log.events),
            processor(),
        ],
        bench.ports,
    )
    return log
