"""Programs of the device run one after the other while it is watched."""

from pathlib import Path

import pytest
from litemrc.device.running import Run
from litemrc.errors import UserError

from tests.host.live.live_sessions import connected
from tests.host.paced_device import PacedDevice, paced
from tests.host.scripted_device import told
from tests.timeouts import scaled_timeout, wait_until

RUNS = [Run("zipf"), Run("loop", 3, 2)]


def ended(device: PacedDevice, workload: int, context: int) -> None:
    """Have the device say that a program has ended."""
    kind, sent = "workload_done", device.sent % 2**32
    device.also.append(
        told("event", kind=kind, workload=workload, context=context, cycles=9, epoch_messages=sent + 8)
    )


def runs(device: PacedDevice) -> int:
    return device.requests.count("run")


def test_the_next_program_starts_when_one_has_ended(tmp_path: Path) -> None:
    with paced(rate=20, system="") as device, connected(device, tmp_path) as connection:
        connection.programs.start(RUNS).result(scaled_timeout(10))
        assert device.settings["run"]["workload"] == 0
        ended(device, 0, 1)
        wait_until(lambda: runs(device) == 2, 10, "the second program")
        started = device.settings["run"]
        assert (started["workload"], started["context"], started["scale"]) == (1, 3, 2)
        ended(device, 1, 3)
        before = connection.recent.arrived
        wait_until(lambda: connection.recent.arrived > before + 5, 10, "more epochs")
        assert runs(device) == 2


def test_a_program_that_ended_while_the_link_was_lost_is_followed_by_the_next(tmp_path: Path) -> None:
    """The paced device says in hello that nothing runs."""
    with paced(rate=20, system="") as device, connected(device, tmp_path) as connection:
        connection.programs.start(RUNS).result(scaled_timeout(10))
        connection.restart()
        wait_until(lambda: runs(device) == 2, 10, "the second program")


def test_a_program_that_the_device_has_not_is_refused_before_any_starts(tmp_path: Path) -> None:
    with paced(rate=20) as device, connected(device, tmp_path) as connection:
        with pytest.raises(UserError, match="no program 'sort'"):
            connection.programs.start([Run("zipf"), Run("sort")]).result(scaled_timeout(10))
        assert runs(device) == 0
