"""Commands that wait for the queue: all enter it, in the order written, or their loss is reported."""

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

MIXED = [("invalidate", 3), ("command", CLEAR), ("invalidate", 7), ("invalidate", 7), ("invalidate", 1)]


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
