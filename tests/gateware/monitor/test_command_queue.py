# SPDX-License-Identifier: BSD-2-Clause
"""The queue of the processor's commands, alone and in the monitor."""

import random
from pathlib import Path

import litemrc_gateware.monitor.command_queue as command_queue
import litemrc_gateware.monitor.monitor as monitor_module
import pytest
from litemrc_gateware.records import OpKind

from tests.gateware.command_bench import DEPTH, invalidations, written_under_load
from tests.gateware.monitor_bench import (
    CLEAR,
    STATUS_COMMAND_LATE,
    STATUS_COMMAND_LOST,
    STATUS_COMMAND_PENDING,
)
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

FRAMES, CONTEXTS, PLACES, LATE = 16, 2, 16, 64
# Probability of a clear, an invalidation, an acknowledge, and of room in the monitor's queue, in each cycle.
LOADS = {
    "seldom": (0.01, 0.05, 0.01, 0.5),
    "as many as are taken": (0.05, 0.3, 0.02, 0.35),
    "too many": (0.1, 0.5, 0.02, 0.3),
    "taken in bursts": (0.05, 0.2, 0.01, None),
}
MIXED = [("invalidate", 3), ("command", CLEAR), ("invalidate", 7), ("invalidate", 7), ("invalidate", 1)]


class CommandList:
    """What the queue holds and reports, a cycle at a time."""

    def __init__(self):
        self.commands, self.lost, self.late, self.waited = [], False, False, 0

    def outputs(self):
        """Pending, lost, late, and the oldest command."""
        return bool(self.commands), self.lost, self.late, self.commands[0] if self.commands else None

    def step(self, clear, invalidate, frame, acknowledge, ready):
        room = len(self.commands) < PLACES
        self.waited = self.waited + 1 if self.commands else 0
        if acknowledge:
            self.lost = self.late = False
        if self.waited and self.waited % LATE == 0:
            self.late = True
        if ready and self.commands:
            self.commands.pop(0)
        if clear or invalidate:
            self.lost |= not room or (clear and invalidate)
            if room:
                self.commands.append("clear" if clear else frame)


def outputs(queue):
    """What a CommandQueue shows, as `CommandList.outputs`."""
    pending, lost, late = (yield queue.pending), (yield queue.lost), (yield queue.late)
    oldest = None
    if (yield queue.source.valid):
        oldest = "clear" if (yield queue.source.clear) else (yield queue.source.frame)
    return bool(pending), bool(lost), bool(late), oldest


def first_difference(queue_class, load, cycles=4000, seed=1):
    """Run the queue beside the list; returns the first cycle that differs and both outputs, or None.

    Returns
    -------
    (tuple or None, set)
        and which reports were seen: "lost", "late", "full".
    """
    queue, model, rng = queue_class(FRAMES, CONTEXTS), CommandList(), random.Random(seed)
    found, seen = [], set()
    clears, invalidates, acknowledges, readies = LOADS[load]

    def drive():
        burst, ready = 0, 0
        for cycle in range(cycles):
            burst -= 1
            if readies is None and burst < 0:
                ready, burst = 1 - ready, rng.choice([3, 20, 70, 140])
            inputs = {
                "clear": rng.random() < clears,
                "invalidate": rng.random() < invalidates,
                "frame": rng.randrange(FRAMES),
                "acknowledge": rng.random() < acknowledges,
                "ready": ready if readies is None else rng.random() < readies,
            }
            for name, value in inputs.items():
                yield (queue.source.ready if name == "ready" else getattr(queue, name)).eq(int(value))
            yield
            shown = yield from outputs(queue)
            if shown != model.outputs() and not found:
                found.append((cycle, shown, model.outputs()))
            seen.update(name for name, flag in zip(("lost", "late"), shown[1:3], strict=True) if flag)
            seen.update(["full"] if len(model.commands) == PLACES else [])
            model.step(**inputs)

    ports = [queue.clear, queue.invalidate, queue.frame, queue.acknowledge, *queue.source.flatten()]
    run_simulation(queue, [drive()], [*ports, queue.pending, queue.lost, queue.late])
    return (found[0] if found else None), seen


@pytest.mark.parametrize("load", LOADS)
def test_commands_leave_in_order_and_each_loss_and_long_wait_is_reported(load):
    difference, seen = first_difference(command_queue.CommandQueue, load)
    assert difference is None
    expected = {
        "seldom": set(),
        "as many as are taken": {"lost"},
        "too many": {"lost", "late", "full"},
        "taken in bursts": {"lost", "late", "full"},
    }
    assert seen >= expected[load]


# A fault, and the load that shows it.
MUTANTS = {
    "a loss is not reported": ("(fifo.sink.valid & ~fifo.sink.ready)", "0", "too many"),
    "the loser of two is not reported": (
        " | several, self.lost",
        ", self.lost",
        "seldom",
    ),
    "an acknowledge hides the loss of its cycle": (
        "If(self.acknowledge, self.lost.eq(0), self.late.eq(0)),\n            If(",
        "If(self.acknowledge, self.lost.eq(0), self.late.eq(0)).Elif(",
        "too many",
    ),
    "an acknowledge keeps late": ("self.lost.eq(0), self.late.eq(0)", "self.lost.eq(0)", "taken in bursts"),
    "waits add up": (".Else(waited.eq(0))", "", "as many as are taken"),
    "late a cycle early": ("waited == LATE_CYCLES - 1", "waited == LATE_CYCLES - 2", "taken in bursts"),
    "a clear is an invalidation": ("fifo.sink.clear.eq(self.clear),", "", "seldom"),
    "half the places": ("], COMMANDS)", "], COMMANDS // 2)", "too many"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_of_the_command_queue_is_caught(mutant):
    *fault, load = MUTANTS[mutant]
    mutated = mutated_module(Path(command_queue.__file__), *fault)
    assert first_difference(mutated.CommandQueue, load)[0] is not None


def test_two_invalidations_written_before_the_queue_takes_the_first_both_enter_it():
    log = written_under_load(monitor_module.Monitor, [("invalidate", 5), ("invalidate", 9)])
    assert log.entered == [(OpKind.INVALIDATE, 5), (OpKind.INVALIDATE, 9)]


def test_commands_enter_the_queue_in_the_order_written():
    log = written_under_load(monitor_module.Monitor, MIXED)
    assert log.entered == [
        (OpKind.INVALIDATE, 3),
        (OpKind.CLEAR, None),
        *((OpKind.INVALIDATE, frame) for frame in (7, 7, 1)),
    ]


@pytest.mark.parametrize("written", [DEPTH, DEPTH + 1, DEPTH + 3])
def test_a_command_that_finds_the_command_queue_full_is_lost_and_reported_until_acknowledged(written):
    log = written_under_load(monitor_module.Monitor, invalidations(written))
    assert log.entered == [(OpKind.INVALIDATE, number) for number in range(DEPTH)]
    lost = STATUS_COMMAND_LOST if written > DEPTH else 0
    assert log.waiting & (STATUS_COMMAND_PENDING | STATUS_COMMAND_LOST) == STATUS_COMMAND_PENDING | lost
    assert log.settled & (STATUS_COMMAND_PENDING | STATUS_COMMAND_LOST) == lost
    assert not log.acknowledged & STATUS_COMMAND_LOST


@pytest.mark.parametrize(("cycles", "late"), [(20, 0), (70, STATUS_COMMAND_LATE)])
def test_commands_that_accesses_precede_for_64_cycles_are_reported_until_acknowledged(cycles, late):
    log = written_under_load(monitor_module.Monitor, [("invalidate", 2)], wait=cycles)
    assert log.settled & STATUS_COMMAND_LATE == late
    assert not log.acknowledged & STATUS_COMMAND_LATE


def test_a_context_holds_from_its_write_on_whatever_commands_wait():
    log = written_under_load(
        monitor_module.Monitor, [("invalidate", 5), ("context", 1), ("invalidate", 6)], wait=10
    )
    assert [frame for kind, frame, *_ in log.events if kind == OpKind.INVALIDATE] == [5, 6]
    contexts = [context for kind, _, context, *_ in log.events if kind == OpKind.ACCESS]
    assert contexts == sorted(contexts)
    assert contexts.count(1) > 10  # the accesses from the write until the commands entered
