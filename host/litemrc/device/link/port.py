"""What a device needs of the thing that carries its messages: a serial link, or a bridge."""

from typing import Protocol

from litemrc.device.link.link import LinkCounts
from litemrc.device.link.protocol import Message


class MessagePort(Protocol):
    """One session with a device: requests go in; answers, epochs and events come out."""

    url: str

    @property
    def counts(self) -> LinkCounts:
        """Counts of received and lost frames since the port was opened."""
        ...

    def next_sequence(self) -> int:
        """Return the number for a new request."""
        ...

    def send(self, message: Message) -> None:
        """Send a request under the sequence number it has.

        Raises:
            ProtocolError: a value is not what the schema allows.
            LinkError: the device is gone.
        """
        ...

    def receive(self, timeout_s: float) -> Message | None:
        """Return the next message; None after the timeout.

        Raises:
            LinkError: the device is gone, or speaks another version of the protocol.
        """
        ...
