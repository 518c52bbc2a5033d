# SPDX-License-Identifier: BSD-2-Clause
"""Messages of single pages, put together to epochs; what copies of pages cost."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from litemrc.device.collecting.epoch_messages import MessageGaps
from litemrc.device.link.protocol import Message
from litemrc.device.link.schema import schema
from litemrc.pages.hot_lists import HotList

Epoch = TypeVar("Epoch")


@dataclass(frozen=True)
class AccessedEpoch:
    """Bits of the frames of an epoch; frame 0 is the lowest bit of the first byte.

    Attributes
    ----------
    accessed, written
        frames / 8 bytes.

    Raises
    ------
    ValueError
        a frame was written, but not accessed.
    """

    epoch: int
    accessed: bytes
    written: bytes

    def __post_init__(self) -> None:
        if int.from_bytes(self.written, "little") & ~int.from_bytes(self.accessed, "little"):
            raise ValueError(f"epoch {self.epoch}: a frame was written, but not accessed")


class PagesOfEpochs(Generic[Epoch]):
    """Epochs of which all messages of one kind arrived.

    Attributes
    ----------
    whole
        these epochs, in order, until they are taken.
    last_epoch
        number of the last one; None before the first.

    Parameters
    ----------
    join
        makes an epoch of its messages, in the order of their pieces. It raises ValueError if they
        contradict each other.
    """

    def __init__(self, join: Callable[[list[Message]], Epoch]) -> None:
        self.whole: deque[Epoch] = deque()
        self.last_epoch: int | None = None
        self._join = join
        self._begun: list[Message] = []
        self._gaps = MessageGaps()

    @property
    def lost(self) -> int:
        """Messages lost since the first one."""
        return self._gaps.lost

    def note(self, message: Message) -> None:
        """Note a message.

        Raises
        ------
        ValueError
            it contradicts itself or another one of its epoch.
        """
        self._gaps.note(message.index)
        if message.epoch == self.last_epoch:
            raise ValueError(f"{message.name} messages of epoch {message.epoch} again")
        if self._begun and self._begun[0].epoch != message.epoch:
            self._begun = []
        if message.piece != len(self._begun):  # one before it was lost
            self._begun = []
            return
        self._begun.append(message)
        if message.remaining == 0:
            self.whole.append(self._join(self._begun))
            self.last_epoch = message.epoch
            self._begun = []


def accessed_epochs(frames: int) -> PagesOfEpochs[AccessedEpoch]:
    """Return the epochs of the accessed messages of a device with n frames."""

    def join(messages: list[Message]) -> AccessedEpoch:
        bits = {name: bytearray(frames // 8) for name in ("accessed", "written")}
        behind = 0
        for message in messages:
            place = message.first // 8
            if message.first % schema().constants["accessed_frames"] or place < behind:
                raise ValueError(f"epoch {message.epoch}: bits of frame {message.first} follow {8 * behind}")
            for name, target in bits.items():
                found = getattr(message, name)
                if place + len(found) > len(target):
                    what = f"{8 * (place + len(found))} frames of {frames}"
                    raise ValueError(f"epoch {message.epoch}: {what}")
                target[place : place + len(found)] = found
            behind = place + 1
        return AccessedEpoch(messages[0].epoch, bytes(bits["accessed"]), bytes(bits["written"]))

    return PagesOfEpochs(join)


def hot_lists(frames: int) -> PagesOfEpochs[HotList]:
    """Return the epochs of the hot messages of a device with n frames."""

    def join(messages: list[Message]) -> HotList:
        first = messages[0]
        listed = tuple(frame for message in messages for frame in message.frames)
        counts = tuple(count for message in messages for count in message.counts)
        if any(frame >= frames for frame in listed):
            raise ValueError(f"epoch {first.epoch}: hot frame {max(listed)} of {frames}")
        return HotList(first.epoch, first.accesses, first.more, first.saturated, listed, counts)

    return PagesOfEpochs(join)


@dataclass(frozen=True)
class PagesRow:
    """Counts of a program from its beginning to the end of an epoch.

    Attributes
    ----------
    copies
        pages with a copy now; room: capacity of local memory, in copies.
    references
        the processor's, local + remote_reads + remote_writes.
    home
        accesses of the memory's other master, where the pages are at home.
    replications, refused, drops, kept
        decisions; refused for want of room.
    updates_sent, updates_received
        writes to pages that have a copy, by the processor and by the other.
    cost
        cycles of the paper's machine, home's accesses included.
    lost
        accesses and events that the counters lost since the reset of the device.
    damaged
        words that were not what was written.
    """

    epoch: int
    context: int
    copies: int
    room: int
    references: int
    local: int
    remote_reads: int
    remote_writes: int
    home: int
    replications: int
    refused: int
    drops: int
    kept: int
    updates_sent: int
    updates_received: int
    cost: int
    lost: int
    damaged: int

    @property
    def cost_per_access(self) -> float | None:
        """Mean over both masters' accesses since the beginning; None before the first."""
        accesses = self.references + self.home
        return self.cost / accesses if accesses else None

    @classmethod
    def of_message(cls, message: Message) -> "PagesRow":
        """Return the row of a pages message."""
        return cls(**{name: getattr(message, name) for name in cls.__dataclass_fields__})
