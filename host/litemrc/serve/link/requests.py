# SPDX-License-Identifier: BSD-2-Clause
"""What a host over HTTP may ask: everything that changes nothing, and the rest under control."""

from typing import Any

from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.hot import HotSettings
from litemrc.device.link.protocol import Message, device_messages, host_requests
from litemrc.device.rank_commands import RankPolicy, WorkingSetSize
from litemrc.serve.link.stream import LinkHost, LinkStream

# A setting that is in force may be set again: the request that reads it, and the arguments in the order
# of that answer, which is the answer to the setting, too. None: not an argument.
_IN_FORCE: dict[str, tuple[str, tuple[str | None, ...]]] = {
    "set_epoch": ("get_epoch", ("unit", "length")),
    "set_engine": ("get_engine", ("engine",)),
    "set_context": ("get_context", ("context",)),
    "set_range": ("get_range", ("lower", "upper")),
    "set_sampling": ("get_sampling", ("sampling",)),
    "freeze": ("get_freeze", ("on",)),
    "single_shot": ("get_freeze", (None, "on")),
    "set_rank_policy": ("get_rank_policy", tuple(RankPolicy.__annotations__)),
    "set_working_set": ("get_working_set", tuple(WorkingSetSize.__annotations__)),
    "set_split": ("get_split", ("on",)),
    "set_hot": ("get_hot", tuple(HotSettings.__annotations__)),
    "set_page_messages": ("get_page_messages", ("accessed", "hot")),
}
_REFUSAL = "needs litemrc serve --control and its token in the URL"
_MOST_REASON = device_messages().field("nak", "reason").most


def perform(stream: LinkStream, device: Device, host: LinkHost, request: Message, *, control: bool) -> None:
    """Perform a request and answer it; in the feed's thread.

    Parameters
    ----------
    control
        the host may change settings.

    Raises
    ------
    LinkError
        the device did not answer, or is gone; the host gets no answer.
    """
    number, answered = host.answered
    if (
        number == request.sequence and request.name != "ask_hello"
    ):  # a repetition; epochs may have passed since a hello
        if answered:
            stream.answer(host, answered)
        return
    number = request.sequence
    host.answered = number, None
    if request.name == "ask_hello":
        stream.answer(host, stream.hello(device, number))
        return
    try:
        answer = _answer(stream, device, request, control)
    except RequestRefusedError as refused:
        answer = _nak(request, refused.code, _reason(refused, request))
    stream.answer(host, answer)


def _answer(stream: LinkStream, device: Device, request: Message, control: bool) -> Message:
    fields = {f.name: getattr(request, f.name) for f in request.body}
    if control or request.name.startswith("get_") or request.name == "echo":
        ack = device.request(request.name, **fields)
        if request.name == "run":
            stream.started(request.workload)
        elif request.name == "monitor":
            stream.monitor = request.on
        return _ack(request, ack)
    as_it_is = request.name == "monitor" and request.on == stream.monitor
    # A reader that wants the counters so far gets them when the epoch ends by itself.
    if as_it_is or request.name == "end_epoch":
        return device_messages().new("ack", request=request.sequence, values=[], payload=b"")
    if request.name in _IN_FORCE:
        reading, names = _IN_FORCE[request.name]
        ack = device.request(reading)
        now = {name: value for name, value in zip(names, ack.values, strict=False) if name}
        if now == {name: _number(request, name) for name in fields}:
            return _ack(request, ack)
    return _nak(request, "read_only", _REFUSAL)


def _number(request: Message, name: str) -> int:
    """Return the value of a field as an ack carries it."""
    field = host_requests().field(request.name, name)
    value: Any = getattr(request, name)
    return int(field.choices[value] if field.kind == "choice" else value)


def _ack(request: Message, ack: Message) -> Message:
    return device_messages().new("ack", request=request.sequence, values=ack.values, payload=ack.payload)


def _nak(request: Message, code: str, reason: str) -> Message:
    return device_messages().new("nak", request=request.sequence, error=code, reason=reason)


def _reason(refused: RequestRefusedError, request: Message) -> str:
    """Return the device's own words in the text of an error."""
    text = refused.what.removeprefix(f"the device refused {request.name}: ").removeprefix(refused.code)
    return text.removeprefix(": ").encode()[:_MOST_REASON].decode(errors="ignore")
