# SPDX-License-Identifier: BSD-2-Clause
"""The running programs of a device, as its messages report them."""

from types import SimpleNamespace

import pytest
from litemrc.device.running import Run, RunningPrograms


class Recorder:
    """A device that acknowledges each run in frame 100, 200 ..., and records the requests."""

    url = "test:"
    hello = SimpleNamespace(workloads=["zipf", "loop"], contexts=8, system="")

    def __init__(self):
        self.asked = []

    def request(self, name, **values):
        self.asked.append((name, values["workload"]))
        return SimpleNamespace(sequence=100 * len(self.asked))


@pytest.fixture
def device():
    return Recorder()


@pytest.fixture
def programs(device):
    programs = RunningPrograms(device)
    programs.queue([Run("zipf"), Run("loop")], together=False)
    assert programs.go_on()
    return programs


def test_a_hello_from_before_the_start_ends_no_program(programs, device):
    """A slow device answers a repeated hello twice; the second answer may arrive after the run's ack."""
    programs.note_hello(SimpleNamespace(sequence=99, running=0))
    assert programs.go_on()
    assert device.asked == [("run", 0)]


def test_a_hello_after_the_start_reports_what_still_runs(programs, device):
    programs.note_hello(SimpleNamespace(sequence=101, running=0))
    assert programs.go_on()
    assert device.asked == [("run", 0), ("run", 1)]
    programs.note_hello(SimpleNamespace(sequence=201, running=0b10))
    assert programs.go_on() and len(device.asked) == 2
    programs.note_hello(SimpleNamespace(sequence=202, running=0))
    assert not programs.go_on()


@pytest.mark.parametrize(("context", "asked"), [(None, 0), (3, 0), (4, 1), (7, 1)])
def test_a_device_is_asked_for_its_split_only_for_contexts_that_may_count_writes(context, asked):
    """A request delays the start by a round trip; 4 to 7 of 8 contexts are those of writes."""
    requests = []

    class Split(Recorder):
        def request(self, name, **_):
            requests.append(name)
            return SimpleNamespace(values=[0])

        def numbers(self, answer, count):
            return answer.values[:count]

    RunningPrograms(Split()).queue([Run("zipf", context)], together=False)
    assert requests == ["get_split"] * asked
