# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc_studies.replace`: the page faults of a trace under replacement policies and memory sizes."""

from __future__ import annotations  # help() shows the names of types

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litemrc.api.results import Result
from litemrc.api.sources import Source, opened
from litemrc.curves.sizes import MemorySize
from litemrc.errors import UserError, choose_from
from litemrc.traces import Trace

from litemrc_studies.glass1997.machine.memories import FaultCount, Replay, replay
from litemrc_studies.glass1997.policies import POLICIES, Clock, Policy, Seq, SeqAdaptive

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from litemrc_studies.glass1997.plots import PagingPoint


@dataclass(frozen=True, eq=False, repr=False)
class ReplaceResult(Result):
    """The page faults of a trace under several policies and memory sizes.

    Attributes
    ----------
    name
        path or URL of the trace, or "trace".
    replay
        references, duration, LRU's miss-ratio curve, and the counts of each policy and size.
    page_bytes
        bytes of a page.
    """

    name: str
    replay: Replay
    page_bytes: int

    def document(self) -> dict[str, Any]:
        """Return the object of `litemrc replace --json`."""
        return {
            "trace": self.name,
            "page_bytes": self.page_bytes,
            "references": self.replay.references,
            "duration": self.replay.duration,
            "time_unit": self.replay.time_unit,
            "results": [
                {
                    "policy": count.policy.name,
                    "memory_pages": count.memory_pages,
                    "faults": count.faults,
                    "cold_faults": count.cold_faults,
                    **({"sequences": _sequences(count)} if count.sequences else {}),
                }
                for count in self.replay.counts
            ],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each policy and memory size; faults include cold faults."""
        return [
            {
                "policy": count.policy.name,
                "memory_pages": count.memory_pages,
                "memory_bytes": count.memory_pages * self.page_bytes,
                "faults": count.faults,
                "cold_faults": count.cold_faults,
                **_sequences(count),
            }
            for count in self.replay.counts
        ]

    def summary(self) -> str:
        """Return the numbers of references, pages, policies and sizes in one line."""
        counts = self.replay.counts
        policies = ", ".join(dict.fromkeys(count.policy.name for count in counts))
        sizes = len({count.memory_pages for count in counts})
        return (
            f"{self.name}, {self.replay.references:,} references to {counts[0].cold_faults:,} pages,"
            f" {policies}, {sizes} sizes"
        )

    def points(self) -> list[PagingPoint]:
        """Return the points of the figures: faults without cold faults."""
        from litemrc_studies.glass1997.plots import PagingPoint

        return [
            PagingPoint(c.policy.name, c.memory_pages, c.faults - c.cold_faults, self.replay.duration)
            for c in self.replay.counts
        ]

    def _figure(self) -> Figure:
        from litemrc_studies.glass1997.plots import fault_rate_figure

        return fault_rate_figure(
            self.points(),
            page_bytes=self.page_bytes,
            time_unit=self.replay.time_unit,
            title=Path(self.name).name,
        )


def replace(
    trace: Source,
    memory: int | str | Iterable[int | str],
    policies: str | Sequence[str] | None = None,
    *,
    seq: Seq | None = None,
    page_bytes: int | None = None,
) -> ReplaceResult:
    """Count the page faults of a trace under replacement policies, as `litemrc replace` does.

    Parameters
    ----------
    trace
        as the source of `litemrc.mrc`.
    memory
        one memory size or several: pages, or sizes such as "16M".
    policies
        "lru", "clock", "opt", "seq", "seq-adaptive"; None: all that are applicable.
    seq
        parameters of seq and seq-adaptive; None: those of Glass and Cao 1997.
    page_bytes
        as in `litemrc.mrc`.

    Raises
    ------
    UserError
        no reference, no memory size or one of no whole page, an unknown policy, clock or too small
        a memory with IN/OUT records, or a trace that cannot be read.

    Warns
    -----
    UserWarning
        what the reader of a trace file left out or assumed.
    """
    with opened(trace, page_bytes, "litemrc_studies.replace") as source:
        given = [memory] if isinstance(memory, int | str) else list(memory)
        sizes = [MemorySize.of(size, "memory").pages(source.page_bytes, "memory") for size in given]
        if not sizes:
            raise UserError("no memory size is given", where="memory", remedy="give pages, or a size as 16M")
        names = [policies] if isinstance(policies, str) else policies
        chosen = chosen_policies(names, POLICIES, [source], seq or Seq())
        found = replay(source, source, chosen, list(dict.fromkeys(sizes)))
    for text in source.notes:
        warnings.warn(f"{source.name}: {text}", stacklevel=2)
    name = source.name if source.format != "given" else "trace"
    return ReplaceResult(name, found, source.page_bytes)


def chosen_policies(
    names: Sequence[str] | None, applicable: dict[str, type[Policy]], traces: Sequence[Trace], seq: Seq
) -> list[Policy]:
    """Return policies by name; None: all applicable ones. IN/OUT records do not determine CLOCK.

    Raises
    ------
    UserError
        a policy that is not applicable.
    """
    wanted = list(names or applicable)
    if not names and any(trace.format == "intervals" for trace in traces):
        wanted.remove(Clock.name)
    for name in wanted:
        if name not in POLICIES:
            raise UserError(f"unknown policy {name!r}", remedy=choose_from(name, applicable))
        if name not in applicable:
            raise UserError(f"{name} is not a global policy", remedy=choose_from(name, applicable))
    given = {Seq.name: seq, SeqAdaptive.name: SeqAdaptive(**asdict(seq))}
    return [given[name] if name in given else applicable[name]() for name in wanted]


def _sequences(count: FaultCount) -> dict[str, int | None]:
    names = ("from_sequences", "by_lru", "sequences_made", "sequences_most")
    return {name: getattr(count.sequences, name, None) for name in names}
