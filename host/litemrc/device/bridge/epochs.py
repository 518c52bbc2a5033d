# SPDX-License-Identifier: BSD-2-Clause
"""Reads finished epochs from the monitor's window, as messages."""

from collections.abc import Iterator
from typing import Any

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.layout import Sent, layout
from litemrc.device.bridge.page_messages import PageMessages
from litemrc.device.errors import DeviceGoneError
from litemrc.device.link.protocol import device_messages

_TRIES = 4
_HALF = 1 << 31  # numbers are 32 bits and wrap: a step of more than half the range is a step back

_NO_TAIL = {"resident": 0, "evicted": 0, "unidentified": 0, "tail": []}  # an operating system's work


class EpochReader:
    """Yields the messages of each epoch that ends after it was made, once and whole.

    With control.hold the monitor keeps a finished epoch until the command release, so that none is lost.
    Without it the next epoch overwrites the window. What was read is one epoch if the register `epoch` is the
    same before and after, and no end of an epoch was in progress at the end: the window of the rank meter and
    the list of hot pages follow the counters, and the bits of frames precede them.

    Attributes
    ----------
    sent
        epoch messages so far, and at least one for each epoch that was missed.

    Parameters
    ----------
    groups, contexts
        of the monitor.
    ranks
        whose counters follow those of the contexts, or None.
    domain_pages
        pages of a power domain: all count as live, as it is not known which of them hold data.
    pages
        whose messages follow them.
    url
        for messages.
    """

    def __init__(
        self,
        mrc: RegisterBlock,
        groups: int,
        contexts: int,
        ranks: RegisterBlock | None,
        domain_pages: int,
        pages: PageMessages,
        url: str,
    ) -> None:
        self.sent = 0
        self._mrc, self._ranks, self._pages, self._url = mrc, ranks, pages, url
        self._groups, self._contexts, self._domain_pages = groups, contexts, domain_pages
        self._ranks_sent = 0
        self._seen = mrc.read("epoch")  # epochs that ended before are not read
        self._unready: int | None = None

    def poll(self) -> Iterator[Sent]:
        """Yield the messages of the epoch in the window, if it is a new one, and release it.

        Raises
        ------
        DeviceGoneError
            the monitor restarted its count of epochs.
        """
        run = self._mrc.read_run("status", "epoch")
        status, epoch = self._mrc.fields_of("status", run["status"]), run["epoch"]
        if epoch == self._seen:
            if status["epoch_ready"]:  # of a time before this session
                self._mrc.command("release")
            return
        # Somebody else released it, or it is not complete: the rank meter takes its snapshot a little later.
        if not status["epoch_ready"] and epoch != self._unready:
            self._unready = epoch
            return
        for _ in range(_TRIES):
            messages = self._read()
            if messages is not None:
                yield from messages
                return
        yield "log", {"level": "warning", "line": f"epoch {epoch - 1} was overwritten while it was read"}

    def _read(self) -> list[Sent] | None:
        """Read the window and release it; None if its epoch changed meanwhile."""
        control = self._mrc.fields("control")
        run = self._mrc.read_run("epoch", "epoch_unsampled")
        epoch = run["epoch"]
        missed = (epoch - self._seen - 1) % 2**32
        if missed >= _HALF:
            what = f"the monitor was reset: it counts {epoch} epochs after {self._seen}"
            raise DeviceGoneError(what, where=self._url, remedy="collect again")
        rows = list(self._rows())
        of_all = {
            "epoch": (epoch - 1) % 2**32,
            "dropped": run["epoch_dropped"],
            "outside": run["epoch_outside"],
            "unsampled": run["epoch_unsampled"],
            "scale_log2": self._mrc.fields("scale")["scale_log2"],
            "split": bool(control["split"]),
        }
        domains = self._domains(self._ranks) if self._ranks else []
        pages = self._pages.snapshot()
        run = self._mrc.read_run("status", "epoch")
        status = self._mrc.fields_of("status", run["status"])
        if run["epoch"] != epoch or (not control["hold"] and status["epoch_due"]):
            return None
        if status["epoch_ready"]:
            self._mrc.command("release")
        self._seen = epoch
        self.sent += missed
        return [
            *self._messages(rows, of_all | {"overflow": bool(status["overflow"])}),
            *self._of(domains),
            *self._pages.numbered(pages, of_all["epoch"]),
        ]

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield the counters of each context with accesses; of context 0 if there is none."""
        groups, totals = self._groups, layout().window_totals
        place = groups + totals.index("accesses")
        rows = range(0, self._contexts * 2 * groups, 2 * groups)
        used = [n for n, row in enumerate(rows) if self._mrc.window(row + place, 1)[0]]
        for context in used or [0]:
            words = self._mrc.window(rows[context], groups + len(totals))
            counted = dict(zip(totals, words[groups:], strict=True))
            yield {"context": context, "hits": words[:groups], **counted, **_NO_TAIL}

    def _domains(self, ranks: RegisterBlock) -> list[dict[str, Any]]:
        """Return what the rank meter counted in the epoch of its window, for each domain."""
        count, row = 1 << ranks.fields("capabilities")["domains_log2"], len(layout().meter_words)
        words = ranks.window(0, count * row)
        clocks, working = ranks.read("snapshot_clocks"), ranks.read("working")
        states, overflow = ranks.read("state"), ranks.fields("meter_status")["overflow"]
        bits = layout().state_bits
        return [
            {
                "domain": domain,
                "clocks": clocks,
                "state": _state_name(states >> bits * domain & (1 << bits) - 1),
                "working": bool(working >> domain & 1),
                "live_pages": self._domain_pages,
                "overflow": bool(overflow),
                "counters": words[row * domain : row * (domain + 1)],
            }
            for domain in range(count)
        ]

    def _messages(self, rows: list[dict[str, Any]], of_all: dict[str, Any]) -> Iterator[Sent]:
        for remaining, row in zip(reversed(range(len(rows))), rows, strict=True):
            yield "epoch", {"index": self.sent % 2**32, "remaining": remaining, **row, **of_all}
            self.sent += 1

    def _of(self, domains: list[dict[str, Any]]) -> Iterator[Sent]:
        for remaining, domain in zip(reversed(range(len(domains))), domains, strict=True):
            numbers = {"index": self._ranks_sent % 2**32, "epoch": (self._seen - 1) % 2**32}
            yield "rank", {**numbers, "remaining": remaining, **domain}
            self._ranks_sent += 1


def _state_name(number: int) -> str:
    """Return the name in the schema; a number that is none is left to the check of the message."""
    (choices,) = (f.choices for f in device_messages().types["rank"].body if f.name == "state")
    return {value: name for name, value in choices}.get(number, str(number))
