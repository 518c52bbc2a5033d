"""Rank messages as rows: whole epochs only, and a count of what was lost."""

from collections.abc import Iterator

from litemrc.device.collecting.message_gaps import MessageGaps
from litemrc.device.device import Device
from litemrc.device.errors import SilentDeviceError
from litemrc.device.link.protocol import Message
from litemrc.device.ranks import Dram, power_state_number
from litemrc.ranks.table import RankRow, RankTable


class RankRows:
    """Rows of the epochs of which a message of every rank has arrived.

    Attributes:
        rows: of those epochs, in order.
        received: rank messages since the first one.
    """

    def __init__(self, ranks: int) -> None:
        self.rows: list[RankRow] = []
        self.received = 0
        self._ranks = ranks
        self._begun: list[RankRow] = []
        self._gaps = MessageGaps()

    @property
    def lost(self) -> int:
        """Rank messages lost since the first one."""
        return self._gaps.lost

    @property
    def last_epoch(self) -> int | None:
        """The last epoch that is whole."""
        return self.rows[-1].epoch if self.rows else None

    def note(self, message: Message) -> None:
        """Note a rank message.

        Raises:
            ValueError: it contradicts itself or another one of its epoch, or the device has no such rank.
        """
        if message.domain >= self._ranks:
            raise ValueError(f"rank {message.domain} of {self._ranks}")
        if self.rows and message.epoch == self.rows[-1].epoch:
            raise ValueError(f"rank messages of epoch {message.epoch} again")
        self._gaps.note(message.index)
        self.received += 1
        row = RankRow(
            epoch=message.epoch,
            domain=message.domain,
            clocks=message.clocks,
            counters=tuple(message.counters),
            state=power_state_number(message.state),
            working=message.working,
            live_pages=message.live_pages,
            overflow=message.overflow,
        )
        if self._begun and self._begun[-1].epoch != row.epoch:
            self._begun = []
        if self._begun and self._begun[-1].clocks != row.clocks:
            raise ValueError(
                f"epoch {row.epoch}: {self._begun[-1].clocks} clocks of one rank and {row.clocks} of another"
            )
        if message.domain == len(self._begun):
            self._begun.append(row)
        if len(self._begun) == self._ranks:
            self.rows += self._begun
            self._begun = []


def rank_table(device: Device, dram: Dram, rows: list[RankRow], *, interrupted: bool = False) -> RankTable:
    """The rows of a device as a table."""
    return dram.table(rows, device.hello.clock_hz, interrupted=interrupted)


def watch_ranks(device: Device, dram: Dram) -> Iterator[list[RankRow]]:
    """Yield the rows of each epoch that ends from now on, one of each rank.

    Raises:
        LinkError: the device is gone or silent, or sends nonsense.
    """
    ranks = RankRows(dram.ranks)
    while True:
        message = device.receive(device.timeout_s)
        if message is None:
            raise SilentDeviceError(
                f"no epoch ended within {device.timeout_s:g} s",
                where=device.url,
                remedy="give epochs a length: litemrc collect --epoch-length",
            )
        if message.name != "rank":
            continue
        try:
            ranks.note(message)
        except ValueError as error:
            raise device.fault(str(error)) from error
        if ranks.rows:
            yield ranks.rows
            ranks.rows = []
