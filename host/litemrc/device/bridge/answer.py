"""What a part of the bridge answers to a request."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from litemrc.device.link.protocol import Message


@dataclass(frozen=True)
class Answer:
    """Values and payload of an ack."""

    values: list[int] = field(default_factory=list)
    payload: bytes = b""


# The name of a message and its fields.
Sent = tuple[str, dict[str, Any]]
# By the name of the request. It raises RefusedError for a nak.
Handlers = dict[str, Callable[[Message], Answer]]
