# SPDX-License-Identifier: BSD-2-Clause
"""Joins the messages of a session into whole epochs."""

import time
from collections.abc import Iterator

from litemrc.device.collecting.collector import Collector
from litemrc.device.link.protocol import Message
from litemrc.epochs.epoch_row import EpochRow
from litemrc.feed.records import FeedEpoch
from litemrc.ranks.table import RankRow

_OF_AN_EPOCH = frozenset(("epoch", "rank", "task", "pages", "accessed", "hot"))


class EpochBuilder:
    """Gives an epoch out as soon as all its messages are there, or others show that some were lost.

    It takes what it gives out from the collector, and drops what belongs to no epoch, such as the ranks of
    one whose epoch messages were lost: the collector's memory stays bounded, whatever a device sends.
    """

    def __init__(self, session: int, collector: Collector) -> None:
        self._session, self._collector = session, collector
        self._rows: list[EpochRow] = []
        self._counted = False  # the last epoch message of the epoch has come

    def note(self, message: Message) -> Iterator[FeedEpoch]:
        """Yield the epochs that a message, which the collector has noted, completes."""
        if self._rows and (message.name not in _OF_AN_EPOCH or message.epoch != self._rows[0].epoch):
            yield self._epoch()
        if message.name == "epoch":
            self._rows.append(self._collector.rows[-1])
            self._counted = message.remaining == 0
        if self._rows and self._counted and self._followed():
            yield self._epoch()
        if not self._rows:
            self._collector.forget()
        else:
            self._collector.forget_programs()  # which are in no epoch

    def quiet(self) -> Iterator[FeedEpoch]:
        """Yield the epoch that waits for messages which do not come."""
        if self._rows and self._counted:
            yield self._epoch()

    def _followed(self) -> bool:
        collector, number = self._collector, self._rows[0].epoch
        followers = (collector.ranks, collector.accessed, collector.hot)
        return all(each.last_epoch == number for each in followers if each)

    def _epoch(self) -> FeedEpoch:
        collector, rows = self._collector, tuple(self._rows)
        number = rows[0].epoch
        accessed = (
            next((e for e in collector.accessed.whole if e.epoch == number), None)
            if collector.accessed
            else None
        )
        hot = next((e for e in collector.hot.whole if e.epoch == number), None) if collector.hot else None
        epoch = FeedEpoch(
            session=self._session,
            number=number,
            arrived=time.time(),
            rows=rows,
            names=collector.names_now({row.context for row in rows}),
            ranks=tuple(self._ranks(number)),
            accessed=accessed,
            hot=hot,
            lost=collector.link_statistics["epoch_messages_lost"],
            link=collector.link_counts,
            followed=collector.processes.followed,
        )
        collector.forget()
        self._rows, self._counted = [], False
        return epoch

    def _ranks(self, number: int) -> Iterator[RankRow]:
        for row in self._collector.ranks.rows if self._collector.ranks else ():
            if row.epoch == number:
                yield row
