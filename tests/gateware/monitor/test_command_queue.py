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
    CLAIM,
    CLEAR,
    CONTEXTS,
    FRAMES,
    STATUS_COMMAND_LATE,
    STATUS_COMMAND_LOST,
    STATUS_COMMAND_PENDING,
    claim,
)
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

PLACES, LATE = 16, 64
# Probability of a clear, an invalidation, a claim, an acknowledge, and of room in the monitor's queue, in
# each cycle; and a claim's largest order.
LOADS = {
    "seldom": (0.01, 0.05, 0, 0.01, 0.5, 0),
    "as many as are taken": (0.05, 0.3, 0, 0.02, 0.35, 0),
    "too many": (0.1, 0.5, 0.1, 0.02, 0.3, 1),
    "taken in bursts": (0.05, 0.2, 0, 0.01, None, 0),
    "claims, seldom": (0.002, 0.01, 0.01, 0.01, 0.5, 4),
    "claims of any order": (0.002, 0.01, 0.02, 0.01, 0.9, 7),
}
MIXED = [
    *(("invalidate", 3), ("command", CLEAR), ("claim", claim(4, context=1, order=2))),
    *(("invalidate", 7), ("invalidate", 7), ("claim", claim(1))),
]


class CommandList:
    """What the queue holds and reports, a cycle at a time: each command is a list of its entries."""

    def __init__(self):
        self.commands, self.lost, self.late, self.waited = [], False, False, 0

    def outputs(self):
        """Pending, lost, late, and the next entry of the oldest command."""
        return bool(self.commands), self.lost, self.late, self.commands[0][0] if self.commands else None

    def step(self, clear, invalidate, claim, frame, context, order, acknowledge, ready):
        room = len(self.commands) < PLACES
        self.waited = self.waited + 1 if self.commands else 0
        if acknowledge:
            self.lost = self.late = False
        if self.waited and self.waited % LATE == 0:
            self.late = True
        if ready and self.commands:
            self.commands[0].pop(0)
            if not self.commands[0]:
                self.commands.pop(0)
        if clear or invalidate or claim:
            self.lost |= not room or clear + invalidate + claim > 1
            claimed = [("claim", each, context) for each in range(frame, min(frame + 2**order, FRAMES))]
            if room:
                self.commands.append(["clear"] if clear else claimed if claim else [("invalidate", frame)])


def outputs(queue):
    """What a CommandQueue shows, as `CommandList.outputs`."""
    pending, lost, late = (yield queue.pending), (yield queue.lost), (yield queue.late)
    oldest = None
    if (yield queue.source.valid):
        frame, context = (yield queue.source.frame), (yield queue.source.context)
        if (yield queue.source.clear):
            oldest = "clear" if not (yield queue.source.claim) else "both"
        elif (yield queue.source.claim):
            oldest = ("claim", frame, context)
        else:
            oldest = ("invalidate", frame)
    return bool(pending), bool(lost), bool(late), oldest


def first_difference(queue_class, load, cycles=4000, seed=1):
    """Run the queue beside the list; returns the first cycle that differs and both outputs, or None.

    Returns
    -------
    (tuple or None, set)
        and what was seen: "lost", "late", "full"; "claimed to the end": a claim of frames behind the last.
    """
    queue, model, rng = queue_class(FRAMES, CONTEXTS), CommandList(), random.Random(seed)
    found, seen = [], set()
    clears, invalidates, claims, acknowledges, readies, orders = LOADS[load]

    def drive():
        burst, ready = 0, 0
        for cycle in range(cycles):
            burst -= 1
            if readies is None and burst < 0:
                ready, burst = 1 - ready, rng.choice([3, 20, 70, 140])
            inputs = {
                "clear": rng.random() < clears,
                "invalidate": rng.random() < invalidates,
                "claim": rng.random() < claims,
                "frame": rng.randrange(FRAMES),
                "context": rng.randrange(CONTEXTS),
                "order": rng.randint(0, orders),
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
            if inputs["claim"] and inputs["frame"] + 2 ** inputs["order"] > FRAMES:
                seen.add("claimed to the end")
            model.step(**inputs)

    inputs = ("clear", "invalidate", "claim", "frame", "context", "order", "acknowledge")
    ports = [*(getattr(queue, name) for name in inputs), *queue.source.flatten()]
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
        "claims, seldom": {"claimed to the end"},
        "claims of any order": {"claimed to the end"},
    }
    assert seen >= expected[load]


# A fault, and the load that shows it.
MUTANTS = {
    "a loss is not reported": ("(fifo.sink.valid & ~fifo.sink.ready)", "0", "too many"),
    "an order has one claim more": (
        "last.eq((entry >> fifo.source.order)[0]",
        "last.eq((entry >> (fifo.source.order + 1))[0]",
        "claims, seldom",
    ),
    "the order is that of the register": (
        "entry >> fifo.source.order",
        "entry >> self.order",
        "claims, seldom",
    ),
    "claims of a command have one frame": ("self.source.frame + 1", "self.source.frame", "claims, seldom"),
    "claims go on at frame 0": (" | memory_ends", "", "claims, seldom"),
    "a claim is repeated behind the last frame": (
        "If(fifo.sink.claim & (self.frame != frames - 1),",
        "If(fifo.sink.claim,",
        "claims of any order",
    ),
    "an invalidation has an order": ("If(fifo.sink.claim & (", "If((", "claims, seldom"),
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
        *((CLAIM, frame, 1) for frame in (4, 5, 6, 7)),
        *((OpKind.INVALIDATE, 7), (OpKind.INVALIDATE, 7), (CLAIM, 1, 0)),
    ]


def test_a_claim_takes_one_place_whatever_its_order():
    writes = [("claim", claim(0, order=3))] * DEPTH
    log = written_under_load(monitor_module.Monitor, writes)
    assert log.entered == [(CLAIM, frame, 0) for frame in range(8)] * DEPTH
    assert not (log.waiting | log.settled) & STATUS_COMMAND_LOST


def test_a_claim_for_a_context_there_is_not_is_one_for_the_context_of_its_low_bits():
    """As in the register context; so it is with the frame, as in the register invalidate."""
    log = written_under_load(
        monitor_module.Monitor, [("claim", claim(5, context=CONTEXTS + 1)), ("claim", claim(FRAMES + 6))]
    )
    assert log.entered == [(CLAIM, 5, 1), (CLAIM, 6, 0)]


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
        monitor_module.Monitor, [("invalidate", 5), ("context", 1), ("claim", claim(6))], wait=10
    )
    assert log.entered == [(OpKind.INVALIDATE, 5), (CLAIM, 6, 0)]
    contexts = [event.context for event in log.events if event.kind == OpKind.ACCESS]
    assert contexts == sorted(contexts)
    assert contexts.count(1) > 10  # the accesses from the write until the commands entered
