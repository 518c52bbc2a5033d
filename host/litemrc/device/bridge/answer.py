"""What a part of the bridge answers to a request."""

from collections.abc import Callable
from dataclasses import dataclass, field

from litemrc.device.link.protocol import Message


@dataclass(frozen=True)
class Answer:
    """Values and payload of an ack."""

    values: list[int] = field(default_factory=list)
    payload: bytes = b""


# By the name of the request. It raises RefusedError for a nak.
Handlers = dict[str, Callable[[Message], Answer]]
