"""Counts epoch messages received and lost, and finished epochs."""

from litemrc.device.link.protocol import Message

_HALF = 1 << 31  # indices are 32 bits and wrap: a step of more than half the range is a step back


class EpochLedger:
    """Counts epochs and their messages from the indices of received messages, over a lossy link.

    Attributes:
        received, lost: epoch messages since the device had sent `first_index` of them.
        epochs: epochs of which a message was received and none is still to come.
    """

    def __init__(self, first_index: int) -> None:
        self.received = 0
        self.lost = 0
        self.epochs = 0
        self._expected = first_index
        self._epoch_end: int | None = None  # index behind the last message of the epoch that has begun

    def note(self, message: Message) -> None:
        """Note an epoch message, or a message with the number of epoch messages sent so far.

        Raises:
            ValueError: the device restarted its count: it was reset, and the losses are unknown.
        """
        sent = message.index if message.name == "epoch" else message.epoch_messages
        missing = _steps(self._expected, sent)
        if missing >= _HALF:
            raise ValueError(f"{sent} epoch messages sent, of which {self._expected} were already seen")
        self.lost += missing
        self._pass(sent)
        if message.name == "epoch":
            self.received += 1
            self._epoch_end = sent + 1 + message.remaining
            self._pass(sent + 1)

    def _pass(self, sent: int) -> None:
        """All messages before index `sent` have arrived or are lost."""
        self._expected = sent
        if self._epoch_end is not None and _steps(self._epoch_end, sent) < _HALF:
            self.epochs += 1
            self._epoch_end = None


def _steps(start: int, end: int) -> int:
    return (end - start) % 2**32
