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
        the method that raises; `window`: the reading of one.
    calls
        methods called.
    writes
        offset and word of each.
    sent
        messages of the service.
    """

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.fails, self.calls = "", list[str]()
        self.writes: list[tuple[int, int]] = []
        self.sent: list[Message] = []
        self.set("capabilities", frames_log2=6, groups_log2=2, contexts_log2=1, engine=2)
        self.set("stack_capabilities", pages_log2=6)
        self.set("status", idle=1)

    def set(self, register: str, **fields: int) -> None:
        self.words[PLACES[register][0]] = sum(n << FIELDS[register][name][0] for name, n in fields.items())

    def read(self, block: str, offset: int, words: int) -> list[int]:
        window = block == "mrc_window"
        assert window or block == "mrc"
        self._call("window" if window else "read")
        return [
            place // 4 if window else self.words.get(place, 0)
            for place in range(offset, offset + 4 * words, 4)
        ]

    def write(self, block: str, offset: int, word: int) -> None:
        self._call("write")
        self.words[offset] = word
        self.writes.append((offset, word))

    def wait(self, n: int) -> bool:
        self._call("wait")
        return n < 5

    def send(self, payload: bytes) -> None:
        self._call("send")
        self.sent.append(device_messages().decode(payload))

    def echo(self, payload: bytes) -> bytes:
        self._call("echo")
        return payload[::-1]

    def end_epoch(self) -> None:
        self.words[PLACES["epoch"][0]] = self.words.get(PLACES["epoch"][0], 0) + 1
        self.set("status", idle=1, epoch_ready=1)

    def _call(self, method: str) -> None:
        self.calls.append(method)
        if method == self.fails:
            raise LookupError(method)


def opened(bus: Bus) -> DeviceService:
    texts = {"identifier": "a gateware", "driver": "a test", "dram_part": ""}
    sizes = {"clock_hz": 1000, "memory": 0, "memory_bytes": 1 << 18, "dram_chips": 0, "dram_phases": 0}
    return DeviceService(bus, features=0, **sizes, **texts)


def asked(service: DeviceService, bus: Bus, name: str, sequence: int, **values: object) -> Message:
    payload = host_requests().encode(host_requests().new(name, sequence=sequence, **values))
    return device_messages().decode(service.request(bus, payload))


@pytest.fixture
def bus() -> Bus:
    return Bus()


def test_hello_has_parameters_of_registers_and_of_the_caller(bus: Bus) -> None:
    bus.words[PLACES["epoch"][0]] = 77
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
        ("window", "set_split"),
        ("send", "set_split"),
        ("wait", "clear"),
        ("echo", "echo"),
    ],
)
def test_an_exception_of_the_bus_ends_the_request_and_calls_nothing_more(
    bus: Bus, method: str, name: str
) -> None:
    service, values = opened(bus), {"set_split": {"on": True}, "echo": {"payload": b"abc"}}.get(name, {})
    if method in ("window", "send"):
        bus.end_epoch()
    bus.set("status", idle=1, epoch_ready=method in ("window", "send"), command_pending=method == "wait")
    bus.fails = method
    with pytest.raises(LookupError, match=method):
        asked(service, bus, name, 9, **values)
    assert bus.calls[-1] == method
    bus.fails = ""
    bus.set("status", idle=1)
    assert asked(service, bus, name, 9, **values).request == 9, "the same request is performed anew"


def test_the_epoch_in_the_window_is_sent_once_before_settings_change(bus: Bus) -> None:
    service = opened(bus)
    bus.end_epoch()
    assert asked(service, bus, "set_split", 1, on=True).name == "ack"
    service.poll(bus)
    (message,) = bus.sent
    assert (message.name, message.epoch) == ("epoch", 0)
    assert not message.record.flag("split"), "it was counted before"
    # The window reads its own word numbers: rows of 2 * 4 words, the hits first.
    assert message.record.rows["hits"].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    assert message.record.rows["accesses"].tolist() == [5, 13]


def test_a_bus_that_fails_at_once_makes_no_service(bus: Bus) -> None:
    bus.fails = "read"
    with pytest.raises(LookupError):
        opened(bus)
    assert bus.calls == ["read"]


@pytest.mark.parametrize("payload", [b"", b"\0", b"short", bytes(5000)])
def test_what_is_no_request_has_no_answer(bus: Bus, payload: bytes) -> None:
    assert opened(bus).request(bus, payload) is None
