"""The monitor around its engine: what went into the queue, and nothing else, stands in the window."""

import random
from dataclasses import dataclass, field
from pathlib import Path

import litemrc_gateware.intake as intake_module
import litemrc_gateware.monitor as monitor_module
import pytest
from litemrc.golden.bucket_stack import BucketMonitorModel
from litemrc.golden.monitor import MonitorModel
from litemrc_gateware.records import OpKind
from litex.gen import LiteXModule
from litex.soc.interconnect import csr_bus
from migen import Signal, passive, run_simulation
from mutation import mutated_module

FRAMES, GROUPS, CONTEXTS, QUEUE = 16, 4, 2, 8
MODELS = {"group_stack": MonitorModel, "bucket_stack": BucketMonitorModel}
EPOCHS = 8  # a run's; Migen's simulator does some thousand clocks a second


class Tap:
    """The outputs of a DRAMTap, to be driven by the test."""

    def __init__(self):
        self.frame_bits = 4
        self.valid, self.frame, self.write = Signal(), Signal(self.frame_bits), Signal()


class Bench(LiteXModule):
    def __init__(self, monitor_class, engine="group_stack"):
        self.sources = Tap()
        self.monitor = monitor_class(
            self.sources, groups=GROUPS, contexts=CONTEXTS, queue_depth=QUEUE, engine=engine
        )
        csrs = self.monitor.get_csrs()
        self.bank = csr_bus.CSRBank(csrs, bus=csr_bus.Interface(data_width=32))
        self.address = {csr.name: number for number, csr in enumerate(csrs)}  # one word each

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
    """Once enabled, accesses with probability `pressure` a clock, half of them to the page before."""
    frame = 0
    while True:
        if log.enabled and rng.random() < pressure:
            frame = frame if rng.random() < 0.5 else rng.randrange(FRAMES)
            log.accesses.append(frame)
            yield tap.valid.eq(1)
            yield tap.frame.eq(frame)
        else:
            yield tap.valid.eq(0)
        yield


@passive
def observe(observed, events):
    while True:
        yield
        if (yield observed.valid):
            events.append(
                (
                    (yield observed.kind),
                    (yield observed.frame),
                    (yield observed.context),
                    (yield observed.dropped),
                    (yield observed.epoch_end),
                )
            )


def read_window(monitor):
    """All words of the window over its bus, as {context: (hits, misses, accesses)}."""
    rows = {}
    for context in range(CONTEXTS):
        row = []
        for word in range(2 * GROUPS):
            row.append((yield from monitor.bus.read(context * 2 * GROUPS + word)))
        rows[context] = (row[:GROUPS], row[GROUPS], row[GROUPS + 1])
    return rows


STATUS_COMMAND_PENDING, STATUS_EPOCH_READY = 2, 4
ENABLE, HOLD, BY_CYCLES = 1, 2, 4
CLEAR, END_EPOCH, RELEASE = 1, 2, 4


@dataclass
class Log:
    """What the test asked for, and what came of it."""

    enabled: bool = False
    accesses: list = field(default_factory=list)  # frames, as driven into the tap
    commands: list = field(default_factory=list)  # (kind, frame), as written to registers
    events: list = field(default_factory=list)  # as observed at the queue
    finished: list = field(default_factory=list)  # epochs read from the window


def firmware(bench, rng, control, length, log):
    """Commands at random, and each finished epoch read from the window and released."""
    yield from bench.write("epoch_length", length)
    yield from bench.write("control", control)
    yield
    yield
    log.enabled = control & ENABLE
    while len(log.finished) < EPOCHS:
        action = rng.randrange(8)
        status = yield from bench.read("status")
        free = not status & STATUS_COMMAND_PENDING
        if action == 0:
            yield from bench.write("context", rng.randrange(CONTEXTS))
        elif action == 1 and free:
            log.commands.append((OpKind.INVALIDATE, rng.randrange(FRAMES)))
            yield from bench.write("invalidate", log.commands[-1][1])
        elif action == 2 and free and rng.random() < 0.15:
            log.commands.append((OpKind.CLEAR, None))
            yield from bench.write("command", CLEAR)
        elif action == 3 and length == 0:
            yield from bench.write("command", END_EPOCH)
        if status & STATUS_EPOCH_READY:
            for _ in range(rng.choice([0, 100])):
                yield
            dropped = yield from bench.read("epoch_dropped")
            number = (yield from bench.read("epoch")) - 1
            log.finished.append((number, dropped, (yield from read_window(bench.monitor))))
            yield from bench.write("command", RELEASE)
        for _ in range(3):  # a processor's bus takes longer than that from a write to a read
            yield


def run(monitor_class, pressure=0.3, control=ENABLE | HOLD, length=40, seed=1, engine="group_stack"):
    """Runs until `EPOCHS` epochs were read from the window; returns the log."""
    bench, log = Bench(monitor_class, engine), Log()
    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(seed), pressure, log),
            observe(bench.monitor.observed, log.events),
            firmware(bench, random.Random(seed + 1), control, length, log),
        ],
    )
    return log


def queued(log):
    """What of the log's requests reached the queue, in the form of `Log.accesses` and `Log.commands`."""
    accesses = [frame for kind, frame, *_ in log.events if kind == OpKind.ACCESS]
    commands = [
        (kind, frame if kind == OpKind.INVALIDATE else None)
        for kind, frame, *_ in log.events
        if kind in (OpKind.INVALIDATE, OpKind.CLEAR)
    ]
    return accesses, commands


def right(log, engine="group_stack"):
    """Whether all requests reached the queue in order (the last may be under way) and were counted."""
    accesses, commands = queued(log)
    return (
        accesses == log.accesses[: len(accesses)]
        and len(log.accesses) - len(accesses) <= 1
        and commands == log.commands[: len(commands)]
        and len(log.commands) - len(commands) <= 1
        and log.finished == golden(log.events, engine)[: len(log.finished)]
    )


def golden(events, engine):
    """The epochs that the golden model makes of the events, in the form of `firmware`'s."""
    model = MODELS[engine](FRAMES, GROUPS, CONTEXTS)
    finished = []
    for kind, frame, context, dropped, epoch_end in events:
        if dropped:
            model.drop()
        elif kind == OpKind.ACCESS:
            model.access(frame, context)
        elif kind == OpKind.INVALIDATE:
            model.invalidate(frame)
        elif kind == OpKind.CLEAR:
            model.clear()
        elif engine == "bucket_stack":
            model.mark()
        if epoch_end:
            epoch = model.end_epoch()
            rows = {c: (epoch.hits[c], epoch.misses[c], epoch.accesses[c]) for c in range(CONTEXTS)}
            finished.append((epoch.epoch, epoch.dropped, rows))
    return finished


MODES = {
    "by accesses": {"length": 40},
    "by accesses, overloaded": {"length": 40, "pressure": 0.9},
    "by accesses, short": {"length": 8},
    "by cycles": {"length": 300, "control": ENABLE | HOLD | BY_CYCLES},
    "by command": {"length": 0},
    "by accesses, not held": {"length": 120, "control": ENABLE},
}


@pytest.mark.parametrize(
    ("mode", "engine"),
    [
        *((mode, "group_stack") for mode in MODES),
        *((mode, "bucket_stack") for mode in ("by accesses, overloaded", "by cycles")),
    ],
)
def test_the_window_holds_what_the_golden_model_counts(mode, engine):
    log = run(monitor_module.Monitor, engine=engine, **MODES[mode])
    assert len(log.finished) == EPOCHS
    assert OpKind.INVALIDATE in {kind for kind, _ in log.commands}
    assert right(log, engine)


def test_an_epoch_by_accesses_has_just_that_many_unless_it_was_held():
    log = run(monitor_module.Monitor, length=64)
    lengths = [sum(accesses for _, _, accesses in rows.values()) for _, _, rows in log.finished]
    assert min(lengths) == 64  # a held window prolongs an epoch; none is shorter


def test_overload_is_counted_and_conserved():
    log = run(monitor_module.Monitor, **MODES["by accesses, overloaded"])
    assert sum(dropped for _, dropped, _ in log.finished) > 50
    # What the tap saw since the last clear, epoch by epoch: accepted and dropped.
    seen, epochs = 0, []
    for kind, _, _, _, epoch_end in log.events:
        seen = 0 if kind == OpKind.CLEAR else seen + (kind == OpKind.ACCESS)
        if epoch_end:
            epochs.append(seen)
            seen = 0
    counted = [dropped + sum(a for _, _, a in rows.values()) for _, dropped, rows in log.finished]
    assert counted == epochs[: len(counted)]


def test_a_disabled_monitor_counts_nothing():
    bench, log = Bench(monitor_module.Monitor), Log(enabled=True)

    def wait():
        for _ in range(300):
            yield

    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(1), 0.5, log),
            observe(bench.monitor.observed, log.events),
            wait(),
        ],
    )
    assert log.accesses and not log.events


KILLERS = ["by accesses, overloaded", "by accesses, short"]
MUTANTS = {
    "a full queue takes accesses silently": (intake_module, "lost.eq(access & ~entry.ready)", "lost.eq(0)"),
    "the frame of an invalidation is lost": (intake_module, "entry.frame.eq(pending_frame),", ""),
    "a held window is overwritten": (intake_module, "& ~in_flight & ~self.window_taken", "& ~in_flight"),
    "a clear is not passed on": (intake_module, "entry.kind.eq(OpKind.CLEAR)", "entry.kind.eq(OpKind.MARK)"),
    "an epoch has the drops of the next": (
        monitor_module,
        "self._epoch_dropped.status.eq(intake.epoch_dropped)",
        "self._epoch_dropped.status.eq(intake.dropped)",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_monitor_is_caught(mutant, monkeypatch):
    original, old, new = MUTANTS[mutant]
    mutated = mutated_module(Path(original.__file__), old, new)
    if original is intake_module:
        monkeypatch.setattr(monitor_module, "Intake", mutated.Intake)
        mutated = monitor_module
    assert not all(right(run(mutated.Monitor, **MODES[mode])) for mode in KILLERS)


@pytest.mark.parametrize("engine", monitor_module.ENGINES)
def test_no_memory_of_an_engine_is_on_the_csr_bus(engine):
    """LiteX maps every memory that is an attribute of a module, with a port of its own."""
    assert monitor_module.Monitor(Tap(), groups=GROUPS, contexts=CONTEXTS, engine=engine).get_memories() == []


def test_an_unknown_engine_is_refused_by_name():
    with pytest.raises(ValueError, match="no engine 'magic'; there are: group_stack"):
        monitor_module.Monitor(Tap(), engine="magic")
