# SPDX-License-Identifier: BSD-2-Clause
"""Programs of a device: where they run, which start when, and which cannot."""

import pytest
from litemrc.device.running import Run, RunningPrograms
from litemrc.errors import UserError

from tests.host.scripted_device import ScriptedLink, ack, device_at, hello, told


@pytest.fixture
def programs(monkeypatch):
    """programs(**hello) -> the link to a device with these parameters, and its programs."""

    def programs(**parameters):
        link = ScriptedLink(hello=lambda: hello(**parameters))
        return link, RunningPrograms(device_at(link, monkeypatch))

    return programs


def started(link):
    return [tuple(fields.values()) for name, fields in link.sent if name == "run"]


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("zipf", Run("zipf", None, 1)),
        ("zipf:0", Run("zipf", 0, 1)),
        ("zipf:3:20", Run("zipf", 3, 20)),
    ],
)
def test_a_run_is_read_with_its_context_and_scale(text, run):
    assert Run.parse(text) == run


@pytest.mark.parametrize("text", ["", ":1", "zipf:", "zipf:one", "zipf:1:2:3", "zipf:-1", "zipf:\u00b2"])
def test_a_run_that_is_not_written_right_is_refused(text):
    with pytest.raises(UserError, match="not a program to run"):
        Run.parse(text)


@pytest.mark.parametrize(
    ("contexts", "places"), [(8, [1, 2, 3, 4]), (4, [1, 2, 3, 1]), (2, [1, 1, 1, 1]), (1, [0, 0, 0, 0])]
)
def test_programs_have_contexts_from_1_on_where_there_are_any(programs, contexts, places):
    names = ["a", "b", "c", "d"]
    link, running = programs(contexts=contexts, workloads=names, system="Linux")
    for name in names:
        running.queue([Run(name)], together=False)
        assert running.go_on()
        running.note_hello(told("hello", sequence=5000))
    assert started(link) == [(number, context, 1) for number, context in enumerate(places)]


def test_programs_run_one_after_the_other_or_at_once(programs):
    link, running = programs(system="Linux")
    runs = [Run("loop", 5, 7), Run("zipf", 0)]
    running.queue(runs, together=False)
    assert running.go_on() and running.go_on()
    assert started(link) == [(1, 5, 7)]
    running.note_done(told("event", workload=0, context=5))
    running.note_done(told("event", workload=1, context=4))
    assert running.go_on() and len(started(link)) == 1, "others ended"
    running.note_done(told("event", workload=1, context=5))
    assert running.go_on()
    assert started(link) == [(1, 5, 7), (0, 0, 1)]
    running.note_done(told("event", workload=0, context=0))
    assert not running.go_on()
    running.queue(runs, together=True)
    assert running.go_on()
    assert started(link)[2:] == [(1, 5, 7), (0, 0, 1)]
    running.note_done(told("event", workload=1, context=5))
    assert running.go_on(), "the other runs on"


@pytest.mark.parametrize(
    ("step", "running", "left"),
    [
        (0, 0, False),  # the frame of the start itself
        (1, 0b11, True),
        (1, 0b10, True),
        (1, 0b01, False),
        (2**31 - 1, 0, False),
        (2**31, 0, True),  # half the range: a step back
        (-1, 0, True),
    ],
)
def test_a_hello_after_the_start_reports_what_runs(programs, step, running, left):
    link, there = programs()
    number = 2**32 - 1  # of the frame that said so; the next one is 0
    link.answers["run"] = lambda **_: told("ack", sequence=number)
    there.queue([Run("loop")], together=False)
    assert there.go_on()
    there.note_hello(told("hello", sequence=(number + step) % 2**32, running=running))
    assert there.go_on() == left
    there.queue([Run("zipf")], together=False)
    assert there.go_on() and len(started(link)) == (1 if left else 2), "it starts behind the first"


@pytest.mark.parametrize(
    ("parameters", "runs", "what", "remedy"),
    [
        ({}, [Run("doom")], "no program 'doom'", "it has: zipf, loop"),
        ({"workloads": []}, [Run("doom")], "no program 'doom'", "it has: none"),
        ({}, [Run("zipf"), Run("doom")], "no program 'doom'", "it has: zipf, loop"),
        ({"contexts": 8}, [Run("zipf", 8)], "no context 8", "0 to 7"),
        ({}, [Run("zipf"), Run("loop")], "one program at a time", "--together"),
        ({"system": "Linux"}, [Run("zipf", 1), Run("zipf", 2)], "cannot run twice", "once"),
        ({"system": "Linux"}, [Run("zipf", 2), Run("loop", 2)], "cannot have one context", "of its own"),
    ],
)
def test_programs_that_cannot_run_are_refused_before_any_starts(programs, parameters, runs, what, remedy):
    link, running = programs(**parameters)
    with pytest.raises(UserError, match=what) as refused:
        running.queue(runs, together=True)
    assert remedy in refused.value.remedy and refused.value.where == "test:"
    assert not running.go_on() and not started(link)


@pytest.mark.parametrize(("context", "asked"), [(None, 0), (3, 0), (4, 1), (7, 1)])
def test_a_device_is_asked_for_its_split_only_for_contexts_that_may_count_writes(programs, context, asked):
    """A request delays the start by a round trip; 4 to 7 of 8 contexts are those of writes."""
    link, running = programs(contexts=8)
    questions = []
    link.answers["get_split"] = lambda: questions.append("get_split") or ack(0)
    running.queue([Run("zipf", context)], together=False)
    assert len(questions) == asked
