# SPDX-License-Identifier: BSD-2-Clause
"""Requests to a device: repeated in time, answered, refused with a remedy; nothing else is lost meanwhile."""

import pytest
from litemrc.device import device as module
from litemrc.device.contexts import Budget, Followed, follow, get_budget, get_followed, reclaim, set_budget
from litemrc.device.device import Device, EchoTest, system_text
from litemrc.device.errors import DeviceFaultError, RequestRefusedError, SilentDeviceError
from litemrc.device.governed import lease_cycles, take_lease
from litemrc.device.hot import page_messages
from litemrc.device.link.link import LinkCounts
from litemrc.errors import UserError

from tests.host.scripted_device import ScriptedLink, ack, device_at, ended, hello, nak, opened_at, told

NO_BUDGET = 2**32 - 1


@pytest.mark.parametrize(("options", "period"), [({}, 2.5), ({"timeout_s": 8}, 2)])
def test_a_silent_device_is_asked_four_times_in_the_time_that_a_request_may_take(
    link, monkeypatch, options, period
):
    link.answers["hello"] = lambda **_: None
    with pytest.raises(SilentDeviceError, match=f"no answer to hello within {4 * period:g} s"):
        device_at(link, monkeypatch, **options)
    assert link.times == [0, period, 2 * period, 3 * period]
    assert link.now == 4 * period


def test_a_device_that_only_chatters_is_given_up_in_time(link, device):
    link.answers["clear"] = lambda **_: None
    link.inbox.extend([None, told("log")] * 400)  # a line each second
    with pytest.raises(SilentDeviceError):
        device.request("clear")
    assert 10 <= link.now <= 14 and len(link.sent) == 4
    assert {message.name for message in device.waiting()} == {"log"}


def test_only_the_answer_to_the_request_counts_and_all_else_waits_in_order(link, device):
    """Requests are numbered from 1001 on; hello was the first."""
    others = [told("ack", request=1001), told("log", line="a"), told("ack", request=1003), ended(0)]
    link.inbox.extend(others)
    link.answers["get_context"] = lambda **_: ack(5)
    assert device.request("get_context").values == [5]
    assert [device.receive(1) for _ in others[:3]] == others[:3]
    assert device.waiting() == others[3:]
    assert device.waiting() == [] and device.receive(1) is None
    assert (device.url, device.link_counts) == ("test:", LinkCounts(frames=5, lost=2))


def test_hello_is_kept_as_it_was_last_said(link, device):
    link.answers["hello"] = lambda: hello(running=2)
    assert device.say_hello() == device.hello
    assert device.hello.running == 2


@pytest.mark.parametrize(
    ("request_name", "values", "answer", "what", "remedy"),
    [
        ("clear", {}, nak("busy"), "the device refused clear: busy", "running program"),
        ("clear", {}, nak("busy", "not\x1bnow"), "refused clear: busy: not?now", "running program"),
        ("clear", {}, nak("unknown"), "refused clear: unknown", "update the older"),
        ("follow", {"context": 0, "pid": 1}, nak("busy"), "refused follow: busy", "free the context first"),
        (
            "set_context",
            {"context": 2**32},
            ack(),
            "the device would refuse set_context: context: 4294967296",
            "choose",
        ),
    ],
)
def test_a_refusal_is_named_with_its_remedy(link, device, request_name, values, answer, what, remedy):
    link.answers[request_name] = lambda **_: answer
    with pytest.raises(RequestRefusedError) as refused:
        device.request(request_name, **values)
    assert what in refused.value.what and remedy in refused.value.remedy
    assert refused.value.code == (answer.error if answer.name == "nak" else "bad_argument")


@pytest.mark.parametrize(
    ("error", "what"), [("unsupported", "the device has no loom"), ("busy", "the device refused clear: busy")]
)
def test_a_part_that_a_device_lacks_differs_from_other_refusals(link, device, error, what):
    link.answers["clear"] = lambda **_: nak(error)
    with pytest.raises(RequestRefusedError, match=what) as refused:
        device.request_of("loom", "sim-loom", "clear")
    assert refused.value.code == error
    assert ("make sim-loom" in refused.value.remedy) == (error == "unsupported")
    link.answers["clear"] = lambda **_: ack()
    assert device.request_of("loom", "sim-loom", "clear").name == "ack"


def test_an_answer_has_as_many_values_as_asked_for(device):
    assert device.numbers(ack(7, 8), 2) == [7, 8]
    for count in (1, 3):
        with pytest.raises(DeviceFaultError, match=f"2 values for {count}"):
            device.numbers(ack(7, 8), count)
    assert [device.choice("set_epoch", "unit", value) for value in (1, 2)] == ["accesses", "cycles"]


def test_echoes_have_every_length_and_each_is_tried_once(link, device, monkeypatch):
    """The median of the round trips, 1 to 32 ms, is 16.5 ms."""
    link.answers["echo"] = lambda payload: ack(payload=payload)
    seconds = iter(each for number in range(32) for each in (number, number + 0.001 * (number + 1)))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(seconds))
    test = device.echo_test()
    assert (test.echoes, test.failed) == (32, 0) and test.round_trip_ms == pytest.approx(16.5)
    sent = [fields["payload"] for _, fields in link.sent]
    assert [len(payload) for payload in sent] == [128 * number // 31 for number in range(32)]
    assert sent[-1] != bytes(128)


def test_the_same_seed_has_the_same_echoes(link, device):
    link.answers["echo"] = lambda payload: ack(payload=payload)
    sent = []
    for options in ({}, {"seed": 1}, {"seed": 2}):
        device.echo_test(4, **options)
        sent.append([fields["payload"] for _, fields in link.sent[-4:]])
    assert sent[0] == sent[1] != sent[2]


def test_echoes_that_are_lost_changed_or_refused_have_failed(link, device):
    answers = iter([ack(payload=b""), None, ack(payload=b"other"), nak("busy"), ack(payload=b"")])
    link.answers["echo"] = lambda payload: next(answers)
    assert device.echo_test(1) == EchoTest(1, 0, 0)
    before = link.now
    test = device.echo_test(3)
    assert (test.failed, len(link.sent), test.round_trip_ms) == (3, 4, 0)
    assert link.now - before == 2.5, "a quarter of the time of a request"
    assert device.echo_test(1).failed == 0
    link.answers["echo"] = lambda payload: None
    assert device.echo_test(2) == EchoTest(2, 2, None)


def test_a_port_is_opened_at_its_speed_and_given_its_time(link, monkeypatch):
    opened_at(link, monkeypatch)
    with Device("port") as there:
        assert there.timeout_s == 10
    with Device("port", timeout_s=3, baud=9600) as there:
        assert there.timeout_s == 3
    assert link.ports == [
        ("port", 115200, {"take": False}),
        "closed",
        ("port", 9600, {"take": False}),
        "closed",
    ]


def test_a_port_is_closed_if_no_device_answers_there(link, monkeypatch):
    link.answers["hello"] = lambda: None
    opened_at(link, monkeypatch)
    with pytest.raises(SilentDeviceError):
        Device("port")
    assert link.ports[1:] == ["closed"]


@pytest.mark.parametrize(("wait_s", "found"), [(5, True), (3, False)])
def test_a_booting_device_is_waited_for(link, monkeypatch, wait_s, found):
    opened_at(link, monkeypatch)
    boot = [None, told("log"), None, ended(0), None, None, hello(running=1), told("log")]
    link.inbox.extend(boot)
    if not found:
        with pytest.raises(SilentDeviceError, match="no hello within 3 s"):
            Device.open_booting("port", boot_timeout_s=wait_s)
        assert link.ports[1:] == ["closed"]
        return
    with Device.open_booting("port", boot_timeout_s=wait_s) as booted:
        assert (booted.timeout_s, link.now, booted.hello.running) == (10, 4, 0)
        assert [message.name for message in booted.waiting()] == ["log"], "what came before is of no interest"
        assert link.ports == [("port",)]
    assert link.ports[1:] == ["closed"]


def test_the_operating_system_is_named():
    assert system_text("", "", 0) == "none: bare metal"
    assert system_text("Linux\x07 6", "0.1", 3) == "Linux? 6, driver 0.1, ABI 3"
    assert system_text("Linux", "", 3) == "Linux, driver of unknown version, ABI 3"


def test_processes_and_budgets_are_named_by_their_context(link, device):
    link.answers |= {
        "get_process": lambda context: ack(2, 41, payload=b"sh\x07"),
        "follow": lambda context, pid: ack(3, pid),
        "get_budget": lambda context: ack(NO_BUDGET, 30),
        "set_budget": lambda context, pages: ack(pages, 30),
        "reclaim": lambda context, pages: ack(100, 30 - pages),
    }
    assert get_followed(device, 2) == Followed(2, "following", 41, "sh?")
    assert follow(device, 3, 7) == Followed(3, "ended", 7, "")
    assert get_budget(device, 1) == Budget(1, None, 30)
    assert set_budget(device, 1, 64) == Budget(1, 64, 30)
    assert set_budget(device, 1, None) == Budget(1, None, 30)
    assert reclaim(device, 1, 10) == Budget(1, 100, 20)
    assert link.sent[-2] == ("set_budget", {"context": 1, "pages": NO_BUDGET})


def test_answers_about_contexts_that_cannot_be_are_named(link, device):
    for name, answer, ask in (
        ("get_process", ack(2), lambda: get_followed(device, 4)),
        ("get_process", ack(9, 41), lambda: get_followed(device, 4)),
        ("get_budget", ack(9, 41, 1), lambda: get_budget(device, 4)),
    ):
        link.answers[name] = lambda context, answer=answer: answer
        with pytest.raises(DeviceFaultError, match=r"nonsense: .* about context 4"):
            ask()


@pytest.mark.parametrize(("error", "has_none"), [("busy", True), ("unsupported", True), ("unknown", False)])
def test_a_context_without_a_budget_is_no_error(link, device, error, has_none):
    link.answers["get_budget"] = lambda context: nak(error)
    if has_none:
        assert get_budget(device, 1) is None
    else:
        with pytest.raises(RequestRefusedError, match=error):
            get_budget(device, 1)


def test_the_shortest_and_the_longest_lease_are_those_of_a_32_bit_counter(link, device):
    """The device's clock: 1 MHz."""
    assert (lease_cycles(device, 1e-6), lease_cycles(device, 4294.967295)) == (1, 2**32 - 1)
    for seconds in (0.4e-6, 4294.967296):
        with pytest.raises(UserError, match="a lease of") as refused:
            lease_cycles(device, seconds)
        assert refused.value.remedy == "give up to 4295 s"
    take_lease(device, 2**32 - 1)
    assert link.sent == [("set_lease", {"cycles": 2**32 - 1})]


@pytest.mark.parametrize(("read_only", "sent"), [(False, [("monitor", {"on": True})]), (True, [])])
def test_a_connection_that_only_reads_leaves_the_monitor_as_it_is(monkeypatch, read_only, sent):
    link = ScriptedLink(hello=lambda: hello(read_only=read_only))
    device_at(link, monkeypatch).start_counting()
    assert link.sent == sent


@pytest.mark.parametrize(
    ("before", "wanted", "sent"),
    [
        ((1, 0), {"accessed": True}, []),
        ((1, 1), {}, []),
        ((0, 1), {"accessed": True}, [(True, True), (False, True)]),
    ],
)
def test_messages_that_are_sent_already_are_not_asked_for_again(monkeypatch, before, wanted, sent):
    link = ScriptedLink(
        get_page_messages=lambda: ack(*before, 16, 0),
        set_page_messages=lambda accessed, hot: ack(int(accessed), int(hot), 16, 0),
    )
    with page_messages(device_at(link, monkeypatch), **wanted) as selected:
        assert (selected.accessed, selected.hot) == (before[0] or "accessed" in wanted, bool(before[1]))
    assert [tuple(fields.values()) for name, fields in link.sent if name == "set_page_messages"] == sent
