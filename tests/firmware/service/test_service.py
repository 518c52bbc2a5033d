# SPDX-License-Identifier: BSD-2-Clause
"""The service of a device: each refusal has its text, calls no operation and leaves the values in force."""

import random
import re
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from litemrc.device.link.frames import frame, old_frame
from litemrc.device.link.protocol import (
    LaterVersionError,
    Message,
    ProtocolError,
    device_messages,
    host_requests,
    old_hello,
    old_hello_request,
)
from litemrc.device.link.schema import schema

from tests.firmware.service.served import SERVICE, Answer, RefusedError, Service, built_service

NUMBERS = schema().enums["request"]
LONG_REASON = "0123456789" * 8 + " and more"
DEVICE = {
    "features": 0xBF, "frames": 8192, "groups": 64, "contexts": 8,
    "engine": schema().enums["stack_engine"]["group_stack"], "pages": 8192, "epoch_least": 100, "ranks": 4,
    "power_states": 0x1D, "hot_pages": 128, "first_page": 0x123456789, "counter_pages": 1024,
    "counter_width": 12, "counter_masters": 3, "counter_contexts": 8, "traffic_words_log2": 22,
    "programs": ["zipf", "loop"],
}  # fmt: skip

Values = dict[str, object]

# Requests at the limits of the device, and the operation that each calls.
EXECUTED: dict[str, tuple[Values, str | None]] = {
    "set_epoch": ({"unit": "cycles", "length": 100}, "set EPOCH_LENGTH 2 100"),
    "set_engine": ({"engine": "group_stack"}, None),
    "set_context": ({"context": 7}, "set CONTEXT 7"),
    "invalidate": ({"frame": 8191}, "order INVALIDATE 8191"),
    "end_epoch": ({}, "order END_EPOCH 0"),
    "monitor": ({"on": True}, "set ENABLE 1"),
    "clear": ({}, "order CLEAR 0"),
    "set_range": ({"lower": 8191, "upper": 8191}, "set RANGE 8191 8191"),
    "set_sampling": ({"sampling": 13}, "set SAMPLING 13"),
    "freeze": ({"on": True}, "set FREEZE 1"),
    "single_shot": ({"on": True}, "set SINGLE_SHOT 1"),
    "arm": ({}, "order ARM 0"),
    "set_split": ({"on": True}, "set SPLIT 1"),
    "set_hot": (
        {
            "enable": True, "reads": True, "writes": False, "threshold": 1, "wanted": 128, "lower": 8191,
            "upper": 8191, "watermark": 16, "always_on": True, "sampling_log2": 15,
        },
        "set HOT 1 1 0 1 15 1 128 8191 8191 16",
    ),
    "set_page_messages": ({"accessed": True, "hot": True}, "set PAGE_MESSAGES 1 1"),
    "set_rank_policy": (
        {
            "policy": "mrc", "static_state": "self_refresh_partial", "mrc_state": "power_down",
            "mrc_base": "dynamic", "threshold_power_down": 5, "threshold_self_refresh": 6,
        },
        "set RANK_POLICY 3 4 2 2 5 6",
    ),
    "set_rank_state": ({"domain": 3, "state": "self_refresh"}, "set RANK_STATE 3 3"),
    "set_rank_loss": ({"domain": 3, "allowed": True, "part": 7}, "set RANK_LOSS 3 1 7"),
    "set_working_set": ({"automatic": True, "groups": 64, "epsilon": 9}, "set WORKING_SET 1 64 9"),
    "set_lease": ({"cycles": 5}, "lease 5"),
    "arm_counter": (
        {
            "counter": "update", "initial": 4095, "accesses": 3, "masters": 7, "contexts": 255,
            "lower": 1023, "upper": 1023,
        },
        "set COUNTER 1 4095 3 7 255 1023 1023",
    ),
    "count_requests": ({"on": True}, "set COUNTING 1"),
    "set_count": ({"counter": "update", "page": 1023, "value": 4095}, "set COUNT 1 1023 4095"),
    "set_traffic": (
        {
            "base": 2**22 - 2**10, "words_log2": 10, "random": True, "stride": 2, "writes": 256, "gap": 3,
            "seed": 1, "count": 9,
        },
        f"set TRAFFIC {2**22 - 2**10} 10 1 2 256 3 1 9",
    ),
    "run": ({"workload": 1, "context": 7, "scale": 1}, "run 1 7 1"),
    "follow": ({"context": 7, "pid": 41}, "set PROCESS 7 41"),
    "follow_cgroup": ({"context": 7, "path": "/a"}, "/a 7"),
    "measure_fault_cost": ({}, "set FAULT_COST"),
    "set_budget": ({"context": 7, "pages": 8192}, "set BUDGET 7 8192"),
    "reclaim": ({"context": 7, "pages": 8192}, "set RECLAIM 7 8192"),
}  # fmt: skip
READING: dict[str, Values] = {
    "get_process": {"context": 7},
    "get_budget": {"context": 7},
    "get_counter": {"counter": "update"},
    "get_count": {"counter": "update", "page": 1023},
    **{
        name: {}
        for name in (
            "get_epoch", "get_engine", "get_context", "get_range", "get_sampling", "get_freeze", "get_split",
            "get_hot", "get_page_messages", "get_dram", "get_rank_policy", "get_working_set",
            "get_ref_counters", "get_traffic", "get_fault_cost",
        )
    },
}  # fmt: skip

SPLIT = "writes count in the upper half of the contexts (split)"
NO_CONTEXT = "there is no such context"
NO_HOT = "the gateware has no hot pages"
CANNOT_REACH = "the DRAM cannot reach that state"
TOO_WIDE = "the value does not fit into the counter"
PAGES = "pages must be 1 to the size of memory"
HOT_RANGE = "there is no such range of frames"
LIST = "the list length must be 1 to the number of its places"
WATERMARK = "the watermark is from 1 to the places of the queue"
COUNTED = "there is no such master or context"
SWITCH = "a switch is 0 or 1"
NO_COUNTER = "there is no such counter"
NO_POLICY = "there is no such policy"
EXCEEDS = "the range exceeds the memory"
READS_OR_WRITES = "a counter counts reads, writes or both"
LATER = "a part of the request is not known to this device"
NO_DOMAIN = "there is no such domain"
NO_SAMPLE = "no page would be sampled"

# One value of an executed request is wrong, some in a way that the host's codec does not allow.
BAD_ARGUMENTS: list[tuple[str, Values, str]] = [
    ("echo", {"payload_bytes": 129}, "more bytes than an answer holds"),
    ("set_epoch", {"unit": 0}, "the unit of an epoch's length is accesses or cycles"),
    ("set_epoch", {"unit": 3}, "the unit of an epoch's length is accesses or cycles"),
    ("set_epoch", {"length": 0}, "an epoch needs a length"),
    ("set_epoch", {"length": 99}, "shorter than the monitor's window takes to read"),
    ("set_engine", {"engine": "bucket_stack"}, "the device has another engine"),
    ("set_context", {"context": 8}, NO_CONTEXT),
    ("invalidate", {"frame": 8192}, "there is no such frame"),
    ("set_range", {"upper": 8190}, "lower is above upper"),
    ("set_range", {"upper": 8192}, "upper is beyond the last frame"),
    ("set_sampling", {"sampling": 14}, NO_SAMPLE),
    ("set_sampling", {"sampling": 32}, NO_SAMPLE),
    *((name, {"on": 2}, SWITCH) for name in ("monitor", "freeze", "single_shot", "set_split")),
    *(("set_hot", {name: 2}, SWITCH) for name in ("reads", "writes", "always_on")),
    ("set_hot", {"enable": 3}, "there is nothing else to list than pages and rows"),
    ("set_hot", {"enable": 2}, "the gateware cannot list rows of the DRAM"),
    *(("set_page_messages", {name: 2**31}, SWITCH) for name in ("accessed", "hot")),
    ("set_hot", {"sampling_log2": 16}, "1 access of 2^15 is sampled at least"),
    ("set_hot", {"reads": False}, "neither reads nor writes would be counted"),
    ("set_hot", {"upper": 8190}, HOT_RANGE),
    ("set_hot", {"upper": 8192}, HOT_RANGE),
    ("set_hot", {"wanted": 0}, LIST),
    ("set_hot", {"wanted": 129}, LIST),
    ("set_hot", {"watermark": 0}, WATERMARK),
    ("set_hot", {"watermark": 17}, WATERMARK),
    ("set_hot", {"threshold": 0}, "the threshold is 0"),
    ("set_rank_policy", {"policy": 4}, NO_POLICY),
    ("set_rank_policy", {"mrc_base": 4}, NO_POLICY),
    ("set_rank_policy", {"static_state": 32}, CANNOT_REACH),
    ("set_rank_policy", {"mrc_base": "mrc"}, "mrc cannot be its own base"),
    ("set_rank_state", {"domain": 4}, NO_DOMAIN),
    (
        "set_rank_state",
        {"state": "self_refresh_partial"},
        "the domain's data would be lost: allow that first",
    ),
    ("set_rank_state", {"state": 1}, CANNOT_REACH),
    ("set_rank_loss", {"domain": 4}, NO_DOMAIN),
    ("set_rank_loss", {"allowed": 2}, SWITCH),
    ("set_rank_loss", {"part": 8}, "there is no such part of a rank"),
    ("set_working_set", {"automatic": 2}, SWITCH),
    ("set_working_set", {"epsilon": 2**16}, "epsilon is below 2^16"),
    ("set_working_set", {"groups": 65}, "the stacks have fewer groups"),
    *(
        (name, {"counter": 2}, NO_COUNTER)
        for name in ("get_counter", "arm_counter", "get_count", "set_count")
    ),
    ("arm_counter", {"accesses": 0}, READS_OR_WRITES),
    ("arm_counter", {"accesses": 4}, READS_OR_WRITES),
    ("count_requests", {"on": 2}, SWITCH),
    ("arm_counter", {"initial": 4096}, TOO_WIDE),
    ("arm_counter", {"masters": 8}, COUNTED),
    ("arm_counter", {"contexts": 256}, COUNTED),
    ("arm_counter", {"lower": 1024}, "there is no such range of pages"),
    ("arm_counter", {"upper": 1024}, "there is no such range of pages"),
    ("get_count", {"page": 1024}, "there is no such page"),
    ("set_count", {"page": 1024}, "there is no such page"),
    ("set_count", {"value": 4096}, TOO_WIDE),
    ("set_traffic", {"base": 2**22 - 2**10 + 1}, EXCEEDS),
    ("set_traffic", {"words_log2": 23, "base": 0}, EXCEEDS),
    ("set_traffic", {"random": 2}, SWITCH),
    ("set_traffic", {"writes": 257}, "at most 256 of 256 accesses are writes"),
    ("set_traffic", {"gap": 2**16}, "a gap is below 2^16 cycles"),
    ("set_traffic", {"seed": 0}, "the seed must not be 0"),
    ("run", {"workload": 2}, "there is no such program"),
    ("run", {"scale": 0}, "the scale must be 1 or more"),
    ("run", {"context": 8}, NO_CONTEXT),
    ("get_process", {"context": 8}, NO_CONTEXT),
    ("follow", {"context": 0}, "context 0 is the kernel's"),
    ("follow", {"context": 8}, NO_CONTEXT),
    ("follow_cgroup", {"context": 8}, NO_CONTEXT),
    ("follow_cgroup", {"path": b"/a\0b"}, "a path has no character 0"),
    ("follow_cgroup", {"path": bytes(119) + b"b"}, "a path has no character 0"),
    ("get_budget", {"context": 8}, NO_CONTEXT),
    ("set_budget", {"context": 8}, NO_CONTEXT),
    ("set_budget", {"pages": 0}, PAGES),
    ("set_budget", {"pages": 8193}, PAGES),
    ("reclaim", {"pages": 8193}, PAGES),
    ("reclaim", {"pages": 2**32 - 1}, PAGES),
    *(
        (name, {"later": later}, LATER)
        for name in ("monitor", "clear", "follow_cgroup", "get_hot")
        for later in (
            b"\1",
            bytes(3) + b"\1",
            bytes(40) + b"\x80",
        )
    ),
]
# An executed request is wrong for a device with these parameters, or with its writes split.
OTHER_DEVICES: list[tuple[str, Values, str, str]] = [
    ("set_split", {"contexts": 1}, "unsupported", "the monitor has a single context"),
    ("get_hot", {"hot_pages": 0}, "unsupported", NO_HOT),
    ("set_hot", {"hot_pages": 0}, "unsupported", NO_HOT),
    ("set_page_messages", {"hot_pages": 0}, "unsupported", "the gateware has no hot pages"),
    ("set_page_messages", {"features": 0xBE}, "unsupported", "the gateware has no page bitmap"),
    *(
        (name, {"features": 0xBD}, "unsupported", "the device has no rank power")
        for name in ("get_dram", "get_rank_policy", "set_rank_policy", "set_rank_state", "set_rank_loss")
    ),
    *(
        (name, {"features": 0xBB}, "unsupported", "the device has no reference counters")
        for name in ("get_ref_counters", "get_counter", "arm_counter", "count_requests", "set_count")
    ),
    ("set_traffic", {"features": 0xB7}, "unsupported", "the device has no traffic generator"),
    ("follow", {"features": 0xAF}, "unsupported", "the device has no operating system"),
    ("set_lease", {"features": 0x9F}, "unsupported", "nothing here ends a lease when its host vanishes"),
    ("set_budget", {"features": 0x3F}, "unsupported", "the device has no budgets of memory"),
    ("run", {"programs": []}, "unsupported", "the device runs no programs"),
    ("set_rank_policy", {"power_states": 0x0D}, "bad_argument", CANNOT_REACH),  # its static_state
    ("set_rank_policy", {"power_states": 0x19}, "bad_argument", CANNOT_REACH),  # its mrc_state
    ("set_rank_state", {"power_states": 0x15}, "bad_argument", CANNOT_REACH),
    (
        "set_rank_loss",
        {"power_states": 0x0D},
        "bad_argument",
        "the DRAM cannot reach self_refresh_partial",
    ),
    *((name, {"split": 1}, "bad_argument", SPLIT) for name in ("set_context", "run", "follow")),
    ("follow_cgroup", {"split": 1}, "bad_argument", SPLIT),
]


class Refusal(NamedTuple):
    """A request that is refused, and why."""

    request: str | int
    values: Values
    parameters: Values
    code: str
    text: str


def executed(name: str) -> Values:
    return READING[name] if name in READING else EXECUTED[name][0] if name in EXECUTED else {}


REFUSALS = [
    *(Refusal(name, executed(name) | wrong, {}, "bad_argument", text) for name, wrong, text in BAD_ARGUMENTS),
    *(Refusal(name, executed(name), *rest) for name, *rest in OTHER_DEVICES),
    Refusal(
        "set_rank_state", {"domain": 3, "state": 4}, {"busy": ["get RANK_LOSS"]}, "busy", "0123456789" * 8
    ),
    *(Refusal(number, {}, {}, "unknown", "") for number in (0, 64, 116, 4711, 2**32 - 129)),
]


class Answered(NamedTuple):
    """An answer, the operations called before it, and the lines of requests.c that refused."""

    message: Message
    calls: list[str]
    lines: list[int]

    def in_force(self) -> object:
        message = self.message
        return (message.values, message.payload) if message.name == "ack" else message.error


class Kept:
    """Operations that keep what they are given, and record each that may change something."""

    def __init__(self, busy: Iterable[str]) -> None:
        self.calls: list[str] = []
        self._busy = tuple(busy)
        self._in_force: dict[str, list[int]] = {}

    def __call__(self, *words: str | int | bytes) -> Answer:
        operation, *values = words
        if operation in ("epoch", "running"):
            return [0]
        call = " ".join(each.decode() if isinstance(each, bytes) else str(each) for each in words)
        if operation == "follow_cgroup":
            call = f"{values[1].decode()} {values[0]}"
        if operation != "get":
            self.calls.append(call)
        if call.startswith(self._busy):
            raise RefusedError("busy", LONG_REASON)
        if operation == "set":
            self._in_force[values[0]] = values[1:]
        if operation != "get":
            return None
        kept = self._in_force.get(values[0], [])
        if values[0] == "RANK_LOSS":
            kept = kept[1:]  # without the domain
        return kept + [0] * (10 - len(kept))


@pytest.fixture(scope="module")
def service() -> Path:
    """The program service_port, with service_port-mutant in the same folder."""
    return built_service()


def answers(
    program: Path, requests: Iterable[bytes], busy: Iterable[str] = (), **parameters: object
) -> list[Answered]:
    """What the device answers to requests; busy: how the calls begin that refuse."""
    found, kept = [], Kept(busy)
    with Service(program, kept, **DEVICE | parameters) as served:
        for request in requests:
            for number, body in served.take(frame(request)):
                message = device_messages().decode(struct.pack("<II", number, 1) + body)
                found.append(Answered(message, kept.calls, served.refused_lines))
                kept.calls, served.refused_lines = [], []
    return found


def encoded(request: str | int, sequence: int, values: Values) -> bytes:
    """A request, also one with values that the host's codec does not send, and with bytes behind its end."""
    number = NUMBERS[request] if isinstance(request, str) else request
    head = struct.pack("<II", number, sequence)
    later = values.get("later", b"")
    assert isinstance(later, bytes)
    if (structure := schema().structs.get(str(request))) is None:
        return head + later
    packed = np.zeros(1, structure.dtype)
    choices = {member.name: member.choices for member in structure.members}
    for name, value in values.items():
        if name == "payload":
            packed["payload_bytes"] = len(str(value))
        if name != "later":
            packed[name] = choices[name].get(str(value), value)
    return head + packed.tobytes() + later


def requests(*named: tuple[str | int, Values]) -> list[bytes]:
    return [encoded(name, number, values) for number, (name, values) in enumerate(named, 1)]


def refused(program: Path, refusal: Refusal) -> Answered:
    """The answer to a refused request; AssertionError if it is another one or anything was changed."""
    parameters = dict(refusal.parameters)
    split = [("set_split", {"on": True})] if parameters.pop("split", 0) else []
    reading = list(READING.items())
    named = [*split, *reading, (refusal.request, refusal.values), *reading]
    found = answers(program, requests(*named), **parameters)[len(split) :]
    before, answer, after = found[: len(reading)], found[len(reading)], found[len(reading) + 1 :]
    assert answer.message.name == "nak", refusal
    assert (answer.message.error, answer.message.reason) == (refusal.code, refusal.text)
    assert answer.calls == []
    assert [each.in_force() for each in after] == [each.in_force() for each in before]
    return answer


def test_requests_at_the_limits_are_executed_by_one_operation(service: Path) -> None:
    for name, (values, call) in EXECUTED.items():
        (answer,) = answers(service, requests((name, values)))
        assert (answer.message.name, answer.calls) == ("ack", [call] if call else []), name
    every = host_requests().types.keys() - {"ask_hello", "echo"}
    assert EXECUTED.keys() | READING.keys() == every


def test_every_value_in_force_is_that_which_was_set(service: Path) -> None:
    """So that a value that a refused request changed would be seen."""
    for name, (values, call) in EXECUTED.items():
        reading = f"get_{name.removeprefix('set_')}"
        if call and reading in READING:
            _, answer = answers(service, requests((name, values), (reading, READING[reading])))
            expected = [int(word) for word in call.split()[2:]]
            assert answer.message.values[: len(expected)] == expected, name


@pytest.mark.parametrize(
    "refusal", REFUSALS, ids=lambda each: f"{each.request}-{each.text[:40].replace(' ', '_')}"
)
def test_a_refusal_has_its_text_and_changes_nothing(service: Path, refusal: Refusal) -> None:
    refused(service, refusal)


def test_every_refusal_is_reached(service: Path) -> None:
    source = (SERVICE / "requests.c").read_text().splitlines()
    written = {
        number
        for number, line in enumerate(source, 1)
        if re.search(r"\b(BAD_ARGUMENT|UNSUPPORTED|refuse|CHECK_(BELOW|SWITCH))\(", line)
        and not line.startswith("#define")
        and not line.endswith("\\")
    }
    assert len(written) > 60
    assert {line for refusal in REFUSALS for line in refused(service, refusal).lines} == written


def test_a_service_that_does_not_check_a_range_is_found(service: Path) -> None:
    (refusal,) = (each for each in REFUSALS if each.text == "upper is beyond the last frame")
    with pytest.raises(AssertionError, match="Refusal"):
        refused(service.with_name("service_port-mutant"), refusal)


def test_whatever_is_not_reading_is_refused_on_a_connection_that_only_reads(service: Path) -> None:
    named = [(name, values) for name, (values, _) in EXECUTED.items()]
    for answer in answers(service, requests(*named), read_only=1):
        assert (answer.message.name, answer.message.error, answer.calls) == ("nak", "read_only", [])
        assert answer.message.reason == "a socket is for reading: send this over the serial port"
    for answer in answers(service, requests(("echo", {"payload": "any"}), *READING.items()), read_only=1):
        assert answer.message.name == "ack"


def test_a_longer_request_whose_unknown_part_is_zero_is_executed(service: Path) -> None:
    most = schema().constants["request_bytes_max"]
    for name, (values, call) in EXECUTED.items():
        for later in (1, 4, most - len(encoded(name, 1, values))):
            (answer,) = answers(service, requests((name, values | {"later": bytes(later)})))
            assert (answer.message.name, answer.calls) == ("ack", [call] if call else []), name


@pytest.mark.parametrize(
    ("name", "values", "cut", "call"),
    [
        ("monitor", {"on": True}, 4, "set ENABLE 0"),
        ("set_range", {"lower": 0, "upper": 8191}, 4, "set RANGE 0 0"),
        ("set_range", {"lower": 0, "upper": 0x101}, 3, "set RANGE 0 1"),
        ("run", {"workload": 1, "context": 7, "scale": 1}, 12, None),
        ("follow_cgroup", {"context": 7, "path": "/a"}, 118, "/a 7"),
    ],
)
def test_what_is_missing_of_a_shorter_request_is_zero(
    service: Path, name: str, values: Values, cut: int, call: str | None
) -> None:
    (answer,) = answers(service, [encoded(name, 1, values)[:-cut]])
    assert answer.calls == ([call] if call else [])
    if not call:
        assert (answer.message.error, answer.message.reason) == (
            "bad_argument",
            "the scale must be 1 or more",
        )


def test_the_longest_path_is_passed_whole(service: Path) -> None:
    path = "/" + "x" * 119
    (answer,) = answers(service, requests(("follow_cgroup", {"context": 7, "path": path})))
    assert answer.calls == [f"{path} 7"]


def test_what_is_no_request_is_not_answered(service: Path) -> None:
    monitor = encoded("monitor", 0, {"on": True})
    assert answers(service, [monitor, monitor[:7], b"\0"]) == []


def test_a_hello_of_versions_before_2_0_is_answered_by_theirs(service: Path) -> None:
    sent = b"\0" + old_frame(old_hello_request()) + frame(old_hello_request())
    with Service(service, Kept(()), **DEVICE) as served:
        assert list(served.take(sent)) == [(0, bytes.fromhex("84 01 01 00 19 07 d1"))] * 2
    assert old_hello_request() == bytes.fromhex("82 01 18 41")
    assert old_hello() == bytes.fromhex("84 01 01 00 19 07 d1")


def test_hello_is_answered_also_where_only_reading_is_allowed(service: Path) -> None:
    (hello,) = answers(service, [encoded("ask_hello", 77, {})], read_only=1)
    assert (hello.message.request, hello.message.frames, hello.message.read_only) == (77, 8192, True)
    assert hello.message.workloads == ["zipf", "loop"] and hello.message.system == ""


def test_device_and_host_agree_on_what_is_not_known(service: Path) -> None:
    """What the codec of the host refuses is refused for the same reason; of others the known part counts."""
    dice, codec, payloads = random.Random(1), host_requests(), []
    for sequence in range(1, 4001):
        name = dice.choice(sorted(NUMBERS.keys() - {"ask_hello"}))
        payload = bytearray(encoded(name, sequence, executed(name)))
        if dice.random() < 0.1:
            payload[0] = dice.randrange(1, 0x80)
        for _ in range(dice.randrange(3)):
            at = dice.randrange(8, len(payload) + 1)
            payload[at : at + dice.randrange(2)] = dice.choice((b"", b"\0", b"\1", b"\0\0\0\0\2"))
        if payload[0] != NUMBERS["ask_hello"]:
            payloads.append(bytes(payload))
    refusals = 0
    for payload, answer in zip(payloads, answers(service, payloads), strict=True):
        try:
            codec.decode(payload)
        except LaterVersionError as error:
            assert (answer.message.name, answer.message.error) == ("nak", error.error), payload.hex()
            refusals += 1
        except ProtocolError:
            assert answer.message.error == "bad_argument", payload.hex()
        else:
            known = answer.message.name == "ack" or answer.message.reason != LATER
            assert known and getattr(answer.message, "error", "") != "unknown", payload.hex()
    assert refusals > 500


def test_a_repeated_request_is_executed_once_and_answered_again(service: Path) -> None:
    (request,) = requests(("set_range", {"lower": 3, "upper": 9}))
    first, second = answers(service, [request, request])
    assert first.message.values[:2] == second.message.values[:2] == [3, 9]
    assert (first.calls, second.calls) == (["set RANGE 3 9"], [])
    unknown, known = encoded(116, 7, {}), encoded("clear", 7, {"later": b"\1"})
    for sent, error in ((unknown, "unknown"), (known, "bad_argument")):
        found = answers(service, [sent, sent])
        assert [(each.message.request, each.message.error) for each in found] == [(7, error)] * 2


def test_a_reason_of_an_operation_is_sent_as_far_as_it_fits(service: Path) -> None:
    before, answer, after = answers(
        service,
        requests(("get_range", {}), ("set_range", {"lower": 3, "upper": 9}), ("get_range", {})),
        busy=["set"],
    )
    assert (answer.message.error, answer.message.reason) == ("busy", "0123456789" * 8)
    assert after.in_force() == before.in_force()


def test_the_end_of_a_lease_restores_policy_and_working_set(service: Path) -> None:
    policy, working_set = EXECUTED["set_rank_policy"][0], EXECUTED["set_working_set"][0]
    found = answers(
        service,
        requests(
            ("set_rank_policy", policy),
            ("set_working_set", working_set),
            ("set_lease", {"cycles": 5}),
            ("set_rank_policy", policy | {"policy": "static"}),
            ("set_working_set", working_set | {"groups": 1}),
            ("set_lease", {"cycles": 5}),
            ("set_lease", {"cycles": 0}),
        ),
    )
    assert [answer.calls for answer in found[-2:]] == [
        ["lease 5"],
        ["lease 0", EXECUTED["set_rank_policy"][1], EXECUTED["set_working_set"][1], "end_lease"],
    ]
