"""Commands that wait for the queue: all enter it, in the order written, or their loss is reported."""

import litemrc_gateware.monitor.monitor as monitor_module
import pytest
from command_bench import (
    COMMAND_LOST,
    COMMAND_PENDING,
    DEPTH,
    invalidations,
    written_under_load,
)
from litemrc_gateware.records import OpKind
from monitor_bench import CLEAR

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
def test_a_command_that_finds_the_command_queue_full_is_reported(written):
    log = written_under_load(monitor_module.Monitor, invalidations(written))
    assert log.entered == [(OpKind.INVALIDATE, number % 16) for number in range(min(written, DEPTH))]
    assert bool(log.waiting & COMMAND_LOST) == (written > DEPTH)
    assert log.waiting & COMMAND_PENDING and not log.settled & COMMAND_PENDING
