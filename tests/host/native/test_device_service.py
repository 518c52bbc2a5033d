# SPDX-License-Identifier: BSD-2-Clause
"""firmware/service over a bus of Python: one answer a request, and exceptions of the bus."""

import pytest
from litemrc.device.bridge.layout import layout
from litemrc.device.link.protocol import Message, device_messages, host_requests
from litemrc.native._core import DeviceService

FIELDS, PLACES = layout().fields["mrc"], layout().places["mrc"]


class Bus:
    """A monitor of 64 frames as plain numbers.

    Attributes
    ----------
    fails
        the method that raises.
    calls
        methods called, and offset and word of each write.
    """

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.fails, self.calls = "", list[str]()
        self.writes: list[tuple[int, int]] = []
        self.set("capabilities", frames_log2=6, groups_log2=2, contexts_log2=1, engine=2)
        self.set("stack_capabilities", pages_log2=6)
        self.set("status", idle=1)

    def set(self, register: str, **fields: int) -> None:
        self.words[PLACES[register][0]] = sum(n << FIELDS[register][name][0] for name, n in fields.items())

    def read(self, block: str, offset: int) -> int:
        assert block == "mrc"
        self._call("read")
        return self.words.get(offset, 0)

    def write(self, block: str, offset: int, word: int) -> None:
        self._call("write")
        self.words[offset] = word
        self.writes.append((offset, word))

    def wait(self, n: int) -> bool:
        self._call("wait")
        return n < 5

    def settle(self) -> None:
        self._call("settle")

    def echo(self, payload: bytes) -> bytes:
        self._call("echo")
        return payload[::-1]

    def epoch(self) -> int:
        self._call("epoch")
        return 77

    def _call(self, method: str) -> None:
        self.calls.append(method)
        if method == self.fails:
            raise LookupError(method)


def opened(bus: Bus) -> DeviceService:
    texts = {"identifier": "a gateware", "driver": "a test", "dram_part": ""}
    return DeviceService(bus, features=0, clock_hz=1000, memory=0, dram_chips=0, dram_phases=0, **texts)


def asked(service: DeviceService, bus: Bus, name: str, sequence: int, **values: object) -> Message:
    payload = host_requests().encode(host_requests().new(name, sequence=sequence, **values))
    return device_messages().decode(service.request(bus, payload))


@pytest.fixture
def bus() -> Bus:
    return Bus()


def test_hello_has_parameters_of_registers_and_of_the_caller(bus: Bus) -> None:
    hello = asked(opened(bus), bus, "ask_hello", 1)
    assert (hello.frames, hello.groups, hello.contexts, hello.engine) == (64, 4, 2, "bucket_stack")
    assert (hello.clock_hz, hello.identifier, hello.driver) == (1000, "a gateware", "a test")
    assert hello.epoch == 77


def test_a_repeated_request_is_answered_again_and_performed_once(bus: Bus) -> None:
    service = opened(bus)
    answers = [asked(service, bus, "set_context", 5, context=1) for _ in range(3)]
    assert {(answer.name, answer.request, *answer.values) for answer in answers} == {("ack", 5, 1)}
    assert bus.writes == [(PLACES["context"][0], 1)]


def test_an_echo_is_what_the_bus_returns(bus: Bus) -> None:
    assert asked(opened(bus), bus, "echo", 1, payload=b"abc").payload == b"cba"


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("read", "set_split"),
        ("write", "set_split"),
        ("settle", "set_split"),
        ("wait", "clear"),
        ("echo", "echo"),
        ("epoch", "ask_hello"),
    ],
)
def test_an_exception_of_the_bus_ends_the_request_and_calls_nothing_more(
    bus: Bus, method: str, name: str
) -> None:
    service, values = opened(bus), {"set_split": {"on": True}, "echo": {"payload": b"abc"}}.get(name, {})
    bus.set("status", idle=1, command_pending=method == "wait")
    bus.fails = method
    with pytest.raises(LookupError, match=method):
        asked(service, bus, name, 9, **values)
    assert bus.calls[-1] == method
    bus.fails = ""
    bus.set("status", idle=1)
    assert asked(service, bus, name, 9, **values).request == 9, "the same request is performed anew"


def test_a_bus_that_fails_at_once_makes_no_service(bus: Bus) -> None:
    bus.fails = "read"
    with pytest.raises(LookupError):
        opened(bus)
    assert bus.calls == ["read"]


@pytest.mark.parametrize("payload", [b"", b"\0", b"short", bytes(5000)])
def test_what_is_no_request_has_no_answer(bus: Bus, payload: bytes) -> None:
    assert opened(bus).request(bus, payload) is None
