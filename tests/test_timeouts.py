# SPDX-License-Identifier: BSD-2-Clause
"""A limit grows with a slow or busy machine, is never shorter than on a quiet one, and has an end."""

import itertools
from types import SimpleNamespace

import pytest

from tests import timeouts as module
from tests.timeouts import LONGEST, REFERENCE_S, Deadline, scaled_timeout, wait_until


@pytest.fixture
def machine(monkeypatch):
    """A machine whose speed and load a test sets, and whose time passes by `pass_s` only."""
    machine = SimpleNamespace(processor_s=REFERENCE_S, wall_s=REFERENCE_S, runnable=1.0, now_s=1000.0)
    monkeypatch.setattr(module, "_measured", None)
    monkeypatch.setattr(module, "_loop", lambda: (machine.processor_s, machine.wall_s))
    monkeypatch.setattr(module, "_runnable", lambda: machine.runnable)
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(module.time, "monotonic", lambda: machine.now_s)
    monkeypatch.delenv("LITEMRC_TIMEOUT_SCALE", raising=False)
    return machine


def test_a_quiet_machine_of_the_reference_speed_has_the_limit_itself(machine):
    assert scaled_timeout(10) == 10


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"processor_s": 3 * REFERENCE_S, "wall_s": 3 * REFERENCE_S}, 30),  # a third of the speed
        ({"runnable": 8.0}, 40),  # 8 processes on 2 cores
        ({"wall_s": 5 * REFERENCE_S}, 50),  # others had the processor for 4/5 of the time
        ({"runnable": 8.0, "processor_s": 2 * REFERENCE_S, "wall_s": 2 * REFERENCE_S}, 80),
        ({"runnable": 1000.0}, 10 * LONGEST),
        ({"processor_s": REFERENCE_S / 4, "wall_s": REFERENCE_S / 4, "runnable": 0.0}, 10),  # a faster one
    ],
)
def test_the_limit_is_multiplied_by_slowness_and_load(machine, changed, expected):
    vars(machine).update(changed)
    assert scaled_timeout(10) == pytest.approx(expected)


def test_the_environment_multiplies_the_limit_past_its_cap(machine, monkeypatch):
    monkeypatch.setenv("LITEMRC_TIMEOUT_SCALE", "2.5")
    assert scaled_timeout(10) == 25
    machine.now_s, machine.runnable = 1010, 1000.0
    assert scaled_timeout(10) == 25 * LONGEST


def test_a_deadline_moves_when_the_machine_becomes_slower(machine):
    deadline = Deadline(10)
    machine.now_s += 9.5
    assert deadline.left_s == pytest.approx(0.5)
    machine.runnable = 4.0
    machine.now_s += 10
    assert not deadline.passed
    machine.now_s += 0.6
    assert deadline.passed


def test_a_deadline_stays_when_the_machine_becomes_quiet(machine):
    machine.runnable = 4.0
    deadline = Deadline(10)
    machine.runnable = 0.0
    machine.now_s += 19
    assert not deadline.passed


def test_waiting_ends_when_the_condition_holds_and_fails_at_the_deadline(machine, monkeypatch):
    monkeypatch.setattr(
        module.time, "sleep", lambda seconds: setattr(machine, "now_s", machine.now_s + seconds)
    )
    tries = itertools.count()
    wait_until(lambda: next(tries) == 3)
    assert machine.now_s == pytest.approx(1000 + 3 * module.POLL_S)
    with pytest.raises(AssertionError, match="the flood did not happen within 5 s"):
        wait_until(lambda: False, 5, "the flood")


def test_the_measurement_itself_takes_less_than_a_tenth_of_a_second_of_processor_time():
    before = module.time.thread_time()
    assert module.factor() >= 1
    assert module.time.thread_time() - before < 0.1
