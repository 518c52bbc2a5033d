# SPDX-License-Identifier: BSD-2-Clause
"""Reads finished epochs from the monitor's window, as records."""

from collections.abc import Iterator
from typing import Any

from litemrc.device.bridge.block import RegisterBlock
from litemrc.device.bridge.layout import Sent, layout
from litemrc.device.bridge.page_messages import PageMessages
from litemrc.device.errors import DeviceGoneError
from litemrc.device.link.record import Record, make_record
from litemrc.device.link.schema import schema

_TRIES = 4
_HALF = 1 << 31  # numbers are 32 bits and wrap: a step of more than half the range is a step back


class EpochReader:
    """Yields the record of each epoch that ends after it was made, once and whole.

    With control.hold the monitor keeps a finished epoch until the command release, so that none is lost.
    Without it the next epoch overwrites the window. What was read is one epoch if the register `epoch` is the
    same before and after, and no end of an epoch was in progress at the end: the window of the rank meter and
    the list of hot pages follow the counters, and the bits of frames precede them.

    Attributes
    ----------
    running
        number of the running epoch.

    Parameters
    ----------
    groups, contexts
        of the monitor.
    ranks
        whose counters the record has, too, or None.
    domain_pages
        pages of a power domain: all count as live, as it is not known which of them hold data.
    pages
        what it has of single pages.
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
        self._mrc, self._ranks, self._pages, self._url = mrc, ranks, pages, url
        self._groups, self._contexts, self._domain_pages = groups, contexts, domain_pages
        self._seen = mrc.read("epoch")  # epochs that ended before are not read
        self._unready: int | None = None

    @property
    def running(self) -> int:
        return self._seen

    def poll(self) -> Iterator[Sent]:
        """Yield the epoch in the window, if it is a new one, and release it.

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
            record = self._read()
            if record is not None:
                yield "epoch", {"record": record}
                return
        yield "log", {"level": "warning", "line": f"epoch {epoch - 1} was overwritten while it was read"}

    def _read(self) -> Record | None:
        """Read the window and release it; None if its epoch changed meanwhile."""
        control = self._mrc.fields("control")
        run = self._mrc.read_run("epoch", "epoch_unsampled")
        epoch = run["epoch"]
        if (epoch - self._seen - 1) % 2**32 >= _HALF:
            what = f"the monitor was reset: it counts {epoch} epochs after {self._seen}"
            raise DeviceGoneError(what, where=self._url, remedy="collect again")
        rows = list(self._rows())
        head = {
            "epoch": (epoch - 1) % 2**32,
            "dropped": run["epoch_dropped"],
            "outside": run["epoch_outside"],
            "unsampled": run["epoch_unsampled"],
            "scale_log2": self._mrc.fields("scale")["scale_log2"],
        }
        parts, of_pages = self._pages.snapshot()
        if self._ranks:
            parts["ranks"] = self._domains(self._ranks)
        run = self._mrc.read_run("status", "epoch")
        status = self._mrc.fields_of("status", run["status"])
        if run["epoch"] != epoch or (not control["hold"] and status["epoch_due"]):
            return None
        if status["epoch_ready"]:
            self._mrc.command("release")
        self._seen = epoch
        flags = {"overflow": status["overflow"], "split": control["split"]}
        head |= of_pages
        head["flags"] |= sum(schema().constants[f"epoch_{name}"] for name, is_set in flags.items() if is_set)
        return make_record(rows, groups=self._groups, parts=parts, **head)

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield the counters of each context with accesses."""
        groups, totals = self._groups, layout().window_totals
        place = groups + totals.index("accesses")
        for context in range(self._contexts):
            row = 2 * groups * context
            if self._mrc.window(row + place, 1)[0]:
                words = self._mrc.window(row, groups + len(totals))
                yield {
                    "context": context,
                    "hits": words[:groups],
                    **dict(zip(totals, words[groups:], strict=True)),
                }

    def _domains(self, ranks: RegisterBlock) -> list[dict[str, Any]]:
        """Return what the rank meter counted in the epoch of its window, for each domain."""
        count, row = 1 << ranks.fields("capabilities")["domains_log2"], len(layout().meter_words)
        words = ranks.window(0, count * row)
        cycles, working = ranks.read("snapshot_clocks"), ranks.read("working")
        states, overflow = ranks.read("state"), ranks.fields("meter_status")["overflow"]
        bits = layout().state_bits
        return [
            {
                "cycles": cycles,
                "state": states >> bits * domain & (1 << bits) - 1,
                "working": working >> domain & 1,
                "live_pages": self._domain_pages,
                "flags": schema().constants["rank_overflow"] if overflow else 0,
                "counters": words[row * domain : row * (domain + 1)],
            }
            for domain in range(count)
        ]
