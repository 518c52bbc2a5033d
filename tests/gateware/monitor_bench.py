# SPDX-License-Identifier: BSD-2-Clause
"""A monitor between a simulated tap and a simulated processor, compared with the golden model."""

import random
from dataclasses import dataclass, field
from typing import NamedTuple

from litemrc.golden.monitor.monitor import MonitorModel
from litemrc_gateware.records import OpKind, access_layout
from litex.gen import LiteXModule
from litex.soc.interconnect import csr_bus, stream
from migen import passive

from tests.verilated_simulation import run_simulation

FRAMES, GROUPS, CONTEXTS, QUEUE = 16, 4, 2, 8
EPOCHS = 4  # a run's


class Tap:
    """The outputs of a DRAMTap, to be driven by the test."""

    def __init__(self):
        self.frame_bits, self.ranks = 4, 1
        self.source = stream.Endpoint(access_layout(2**self.frame_bits))


@dataclass(frozen=True)
class Build:
    """Parameters and settings of a monitor."""

    engine: str = "group_stack"
    recent_pages: int | None = None
    pages: int = FRAMES
    lower: int = 0
    upper: int = FRAMES - 1
    sampling: int = 0
    page_bitmap: bool = False
    hot_pages: int | None = None
    split: bool = False


class Bench(LiteXModule):
    def __init__(self, monitor_class, build):
        self.sources = Tap()
        self.monitor = monitor_class(
            self.sources,
            groups=GROUPS,
            contexts=CONTEXTS,
            queue_depth=QUEUE,
            engine=build.engine,
            recent_pages=build.recent_pages,
            pages=build.pages,
            page_bitmap=build.page_bitmap,
            hot_pages=build.hot_pages,
        )
        csrs = self.monitor.get_csrs()
        self.bank = csr_bus.CSRBank(csrs, bus=csr_bus.Interface(data_width=32))
        self.address = {csr.name: number for number, csr in enumerate(csrs)}  # one word each

        tap = self.sources
        self.ports = [
            *(tap.source.valid, tap.source.frame, tap.source.write),
            *self.bank.bus.flatten(),
            *self.monitor.window.bus.flatten(),
            *self.monitor.observed.flatten(),
        ]

    def write(self, name, value):
        yield from self.bank.bus.write(self.address[name], value)

    def read(self, name):
        bus = self.bank.bus
        yield bus.adr.eq(self.address[name])
        yield  # the address is on the bus
        yield  # the data is
        return (yield bus.dat_r)


@passive
def traffic(tap, rng, pressure, log):
    """Once enabled, access with probability `pressure` in each cycle; half repeat the page, 0.3 write."""
    frame = 0
    while True:
        if log.enabled and rng.random() < pressure:
            frame = frame if rng.random() < 0.5 else rng.randrange(FRAMES)
            log.accesses.append(frame)
            yield tap.source.valid.eq(1)
            yield tap.source.frame.eq(frame)
            yield tap.source.write.eq(rng.random() < 0.3)
        else:
            yield tap.source.valid.eq(0)
        yield


@passive
def observe(observed, events):
    while True:
        yield
        if (yield observed.valid):
            values = []
            for name in Event._fields:
                values.append((yield getattr(observed, name)))
            events.append(Event(*values))


class Event(NamedTuple):
    """A record at the input of the queue."""

    kind: int
    frame: int
    context: int
    write: int
    dropped: int
    epoch_end: int
    frozen: int


CLAIM = "claim"  # in place of the OpKind of a command


def claim(frame, context=0, order=0):
    """The word for the register `claim`."""
    return frame | context << 24 | order << 29


def is_claim(event):
    return event.kind == OpKind.INVALIDATE and bool(event.write)


WINDOW = 0xB000_0000 >> 2  # as in the SoC: a slave of the bus gets the whole address, of a word


def read_window(monitor):
    """Read the window over its bus, as {context: (hits, misses, accesses, touched)}."""
    rows = {}
    for context in range(CONTEXTS):
        row = []
        for word in range(2 * GROUPS):
            row.append((yield from monitor.window.bus.read(WINDOW + context * 2 * GROUPS + word)))
        rows[context] = (row[:GROUPS], *row[GROUPS : GROUPS + 3])
        assert not any(row[GROUPS + 3 :])
    return rows


STATUS_IDLE, STATUS_COMMAND_PENDING, STATUS_EPOCH_READY, STATUS_EPOCH_DUE = 1, 2, 4, 8
STATUS_OVERFLOW, STATUS_FROZEN = 16, 32
STATUS_COMMAND_LOST, STATUS_COMMAND_LATE = 64, 128
AT_REST = STATUS_FROZEN | STATUS_EPOCH_READY | STATUS_EPOCH_DUE  # only frozen: no epoch is ready or due
ENABLE, HOLD, BY_CYCLES, FREEZE, SINGLE_SHOT, SPLIT = 1, 2, 4, 8, 16, 32
CLEAR, END_EPOCH, RELEASE, ARM, ACKNOWLEDGE = 1, 2, 4, 8, 16


DEFAULT = Build()


@dataclass
class Log:
    """The requests of a test, and their results."""

    enabled: bool = False
    accesses: list = field(default_factory=list)  # frames, as driven into the tap
    commands: list = field(default_factory=list)  # (kind, frame, context of a claim), as written
    events: list = field(default_factory=list)  # as observed at the queue
    finished: list = field(default_factory=list)  # epochs read from the window
    overflows: list = field(default_factory=list)  # of each, whether the status said so


def set_up(bench, build, length):
    """Write the settings, followed by a clear."""
    yield from bench.write("range_lower", build.lower)
    yield from bench.write("range_upper", build.upper)
    yield from bench.write("sampling", build.sampling)
    yield from bench.write("epoch_length", length)
    yield from bench.write("command", CLEAR)
    while not (yield from bench.read("status")) & STATUS_IDLE:
        pass


def firmware(bench, rng, control, log, length):
    """Give random commands, without waiting for the earlier ones; read and release each finished epoch.

    With SINGLE_SHOT in `control` a frozen monitor is armed, the window having been released: else it would
    hold the next epoch. With FREEZE it is frozen now and then.
    """
    yield from bench.write("control", control & ~FREEZE)
    yield
    yield
    log.enabled = control & ENABLE
    while len(log.finished) < EPOCHS:
        action = rng.randrange(10)
        status = yield from bench.read("status")
        if action == 0:
            yield from bench.write("context", rng.randrange(CONTEXTS))
        elif action == 1:
            log.commands.append((OpKind.INVALIDATE, rng.randrange(FRAMES)))
            yield from bench.write("invalidate", log.commands[-1][1])
        elif action == 6 and not status & STATUS_COMMAND_PENDING:  # a claim of many frames waits for long
            frame, context = rng.randrange(FRAMES), rng.randrange(CONTEXTS)
            order = rng.choice([0, 0, 0, 1, 2])
            log.commands += [(CLAIM, each, context) for each in range(frame, min(frame + 2**order, FRAMES))]
            yield from bench.write("claim", claim(frame, context, order))
        elif action == 2 and rng.random() < 0.15:
            log.commands.append((OpKind.CLEAR, None))
            yield from bench.write("command", CLEAR)
        elif action == 3 and length == 0:
            yield from bench.write("command", END_EPOCH)
        elif action == 4 and control & FREEZE:
            yield from bench.write("control", control & ~FREEZE if rng.random() < 0.5 else control)
        elif action == 5 and control & SINGLE_SHOT and status & AT_REST == STATUS_FROZEN:
            yield from bench.write("command", ARM)
        if status & STATUS_EPOCH_READY:
            for _ in range(rng.choice([0, 60])):
                yield
            lost = []
            log.overflows.append(bool((yield from bench.read("status")) & STATUS_OVERFLOW))
            for name in ("epoch_dropped", "epoch_outside", "epoch_unsampled"):
                lost.append((yield from bench.read(name)))
            number = (yield from bench.read("epoch")) - 1
            log.finished.append((number, *lost, (yield from read_window(bench.monitor))))
            yield from bench.write("command", RELEASE)
        for _ in range(3):  # a processor's bus takes longer from a write to a read
            yield
    while (status := (yield from bench.read("status"))) & STATUS_COMMAND_PENDING:
        pass
    assert not status & STATUS_COMMAND_LOST  # the commands here are too few to fill their queue


def run(monitor_class, pressure=0.3, control=ENABLE | HOLD, length=40, seed=1, build=DEFAULT):
    """Run until `EPOCHS` epochs were read from the window; returns the log."""
    bench, log = Bench(monitor_class, build), Log()
    control |= SPLIT if build.split else 0

    def processor():
        yield from set_up(bench, build, length)
        log.events.clear()
        yield from firmware(bench, random.Random(seed + 1), control, log, length)

    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(seed), pressure, log),
            observe(bench.monitor.observed, log.events),
            processor(),
        ],
        bench.ports,
    )
    return log


def queued(log):
    """The requests that reached the queue, in the form of `Log.accesses` and `Log.commands`."""
    accesses = [event.frame for event in log.events if event.kind == OpKind.ACCESS]
    commands = [
        (CLAIM, event.frame, event.context)
        if is_claim(event)
        else (event.kind, event.frame if event.kind == OpKind.INVALIDATE else None)
        for event in log.events
        if event.kind in (OpKind.INVALIDATE, OpKind.CLEAR)
    ]
    return accesses, commands


def matches_golden(log, build=DEFAULT):
    """Whether all requests reached the queue in order (the last access may be in flight) and were counted."""
    accesses, commands = queued(log)
    return (
        accesses == log.accesses[: len(accesses)]
        and len(log.accesses) - len(accesses) <= 1
        and commands == log.commands
        and log.finished == golden(log.events, build)[: len(log.finished)]
    )


def golden(events, build):
    """The epochs that the golden model makes of the events, in the form of `firmware`'s."""
    finished = []
    for e, _ in golden_epochs(events, build):
        rows = {c: (e.hits[c], e.misses[c], e.accesses[c], e.touched[c]) for c in range(CONTEXTS)}
        finished.append((e.epoch, e.dropped, e.outside, e.unsampled, rows))
    return finished


def golden_epochs(events, build):
    """The counters of each epoch, and the frames accessed and written in it, as sorted lists."""
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, build.engine, build.pages, build.recent_pages)
    model.set_range(build.lower, build.upper)
    model.set_sampling(build.sampling)
    model.set_split(build.split)
    for event in events:
        kind, frame, context = event[:3]
        model.freeze = bool(event.frozen)
        if event.dropped:
            model.drop()
        elif kind == OpKind.ACCESS:
            model.access(frame, context, bool(event.write))
        elif is_claim(event):
            model.claim(frame, context)
        elif kind == OpKind.INVALIDATE:
            model.invalidate(frame)
        elif kind == OpKind.CLEAR:
            model.clear()
        if event.epoch_end:
            counters = model.end_epoch()
            yield counters, [sorted(model.page_bitmap.accessed), sorted(model.page_bitmap.written)]


MODES = {
    "by accesses, overloaded": {"length": 40, "pressure": 0.9},
    "by accesses, short": {"length": 8},
    "by accesses, one each": {"length": 1},
    "by cycles": {"length": 300, "control": ENABLE | HOLD | BY_CYCLES},
    "by command": {"length": 0},
    "by accesses, not held": {"length": 120, "control": ENABLE},
    "frozen now and then": {"length": 40, "pressure": 0.6, "control": ENABLE | HOLD | FREEZE},
    # Not overloaded: an epoch may end on accesses in consecutive cycles, and one does with this seed.
    "single shot": {"length": 20, "pressure": 0.4, "control": ENABLE | HOLD | SINGLE_SHOT, "seed": 2},
    "single shot, overloaded": {"length": 20, "pressure": 0.6, "control": ENABLE | HOLD | SINGLE_SHOT},
    "single shot by cycles": {"length": 300, "control": ENABLE | HOLD | SINGLE_SHOT | BY_CYCLES | FREEZE},
}
BUILDS = {
    "group_stack": DEFAULT,
    "bucket_stack": Build("bucket_stack"),
    "group_stack, 1 recent page": Build(recent_pages=1),
    "bucket_stack, 3 recent pages": Build("bucket_stack", recent_pages=3),
    "group_stack of 8 pages": Build(pages=8),
    "group_stack, reads and writes apart": Build(split=True),
    "bucket_stack, reads and writes apart": Build("bucket_stack", split=True),
    "group_stack, sampled and out of range": Build(sampling=1, lower=3, upper=13),
    "bucket_stack of 8 pages, sampled and out of range": Build(
        "bucket_stack", pages=8, sampling=2, lower=2, upper=12
    ),
}


def shots_are_single(log):
    """Whether each epoch is complete, and all records after its end are frozen until the monitor is armed."""
    ended = False
    for *_, epoch_end, frozen in log.events:
        if (ended and not frozen) or (frozen and epoch_end):
            return False
        ended = epoch_end
    return lengths_of(log) == {MODES["single shot"]["length"]}


def lengths_of(log):
    """Accesses counted in each epoch."""
    return {sum(row[2] for row in rows.values()) for *_, rows in log.finished}


def conserved(log):
    """Whether each unfrozen access since the last clear is in exactly one count of its epoch."""
    seen, epochs = 0, []
    for kind, *_, epoch_end, frozen in log.events:
        seen = 0 if kind == OpKind.CLEAR else seen + (kind == OpKind.ACCESS and not frozen)
        if epoch_end:
            epochs.append(seen)
            seen = 0
    counted = [sum(lost) + sum(row[2] for row in rows.values()) for _, *lost, rows in log.finished]
    return counted == epochs[: len(counted)]
