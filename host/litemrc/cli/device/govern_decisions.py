# SPDX-License-Identifier: BSD-2-Clause
"""The decisions of `litemrc govern`: the messages of an epoch in, budgets and a working-set size out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from litemrc.cli.device.govern_cgroups import Cgroup
from litemrc.cli.shared.memory import MemorySize
from litemrc.device.collecting.record_rows import epoch_table
from litemrc.device.link.protocol import Message
from litemrc.epochs.columns import Rows, evictions, joined_rows, last_rows
from litemrc.policies.allocation.decision import Decision, GovernorParameters
from litemrc.policies.allocation.governor import Governor
from litemrc.policies.allocation.lending import lent

_MOVE_MISSES = 0.25  # of the pages that a budget loses, half are evicted, at half a page fault each
_HELD_EPOCHS = 8  # whose pages decide what a cgroup needs


@dataclass(frozen=True)
class Limits:
    """How budgets may change.

    Attributes
    ----------
    memory
        to divide; None: that of the device's pager.
    minimum
        smallest budget.
    step
        largest change of a budget in an epoch; None: no limit.
    gain
        share of misses that a division must save, or budgets stay.
    epsilon
        miss ratio that may be lost to save energy.
    """

    memory: MemorySize | None
    minimum: MemorySize
    step: MemorySize | None = None
    gain: float = GovernorParameters.gain
    epsilon: float = GovernorParameters.epsilon


class GovernDecisions:
    """Decides epoch by epoch."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._governor: Governor | None = None
        self._cgroups: dict[int, Cgroup] = {}
        self._maximums: dict[int, int] = {}
        self._held: Rows | None = None  # the last rows of each context
        self._epoch = 0

    def govern(self, cgroups: Sequence[Cgroup]) -> None:
        """Divide the memory among these cgroups; curves begin anew if their contexts changed."""
        known = {cgroup.context: cgroup for cgroup in cgroups}
        if {c: g.path for c, g in known.items()} != {c: g.path for c, g in self._cgroups.items()}:
            self._governor = None
            self._cgroups = known
            self._held = None

    def forget(self, context: int) -> None:
        """A cgroup is gone: its memory is free."""
        self._cgroups.pop(context, None)
        if self._held is not None:
            self._held = self._held[self._held["context"] != context]
        if self._governor:
            self._governor.forget(context)

    def decide(
        self,
        hello: Message,
        rows: Rows,
        tasks: Mapping[int, Mapping[str, Any]],
        governed: set[int],
        cycles: float,
    ) -> Decision:
        """Return the decision; budgets of contexts that are not governed have no meaning.

        Parameters
        ----------
        hello
            the device's description of itself.
        rows
            the counters of the epoch, reads and writes together.
        tasks
            the last row of each task of the pager; empty without a pager.
        governed
            contexts that share the memory; empty: the memory is not divided.
        cycles
            length of the epoch.
        """
        group_pages = hello.pages // hello.groups
        if governed:
            rows = rows[np.isin(rows["context"], list(governed))]
        table = epoch_table(hello, [self._hold(rows)])
        of_epoch = table.epoch == self._epoch
        curves = {
            context: table.counters_of(of_epoch & (table.context == context))
            for context in rows["context"].tolist()
        }
        page_bytes = 1 << hello.page_shift
        if self._limits.memory:
            memory = self._limits.memory.pages(page_bytes)
        else:
            memory = next((task["memory"] for task in tasks.values()), hello.frames)
        held = (
            dict(zip(rows["context"].tolist(), rows["resident"].tolist(), strict=True))
            if self._cgroups
            else {}
        )
        return self._governor_for(memory, page_bytes, group_pages).decide(curves, cycles, held)

    def _hold(self, rows: Rows) -> Rows:
        """Return the rows of an epoch behind those of the last epochs of each context, and keep them."""
        before = self._held
        if before is None or before["hits"].shape[1:] != rows["hits"].shape[1:]:
            before = rows[:0]
        if rows.size:
            self._epoch = int(rows["epoch"][0])
            if (before["epoch"] >= self._epoch).any():  # the device was restarted, and counts anew
                before = before[:0]
        self._held = last_rows(joined_rows([before, rows]), _HELD_EPOCHS + 1)
        return self._held

    def in_force(self, hello: Message, decision: Decision) -> dict[int, int]:
        """Return the budgets until the next decision: those of cgroups with memory that nobody uses lent.

        An evicted page is one that its cgroup would hold: where those do not fit the memory is not idle.
        While pages are evicted the curves know who needs memory, and only cgroups that do not grow lend what
        they do not hold. Pages that Linux takes from a program that reaches its budget before it is raised
        do not count.
        """
        assert self._governor is not None and self._held is not None
        own = {context: pages for context, pages in decision.budgets.items() if context in self._cgroups}
        known = self._held[np.isin(self._held["context"], list(own))]
        late = known["epoch"] > self._epoch - _HELD_EPOCHS
        evicted = np.bincount(known["context"][late], evictions(known)[late])
        parameters, group_pages = self._governor.parameters, hello.pages // hello.groups
        memory, minimum = parameters.memory_pages, parameters.minimum_pages
        held = {
            context: (of_context["resident"] + of_context["evicted"])[-_HELD_EPOCHS:].tolist()
            for context in own
            if (of_context := known[known["context"] == context]).size
        }
        short = []
        if evicted.sum() > group_pages // 2:
            short = np.flatnonzero(evicted).tolist()
            held = {context: seen for context, seen in held.items() if _is_steady(seen, group_pages // 16)}
        return decision.budgets | lent(own, held, memory, group_pages, minimum, self._maximums, short)

    def described(
        self, decision: Decision, rows: Rows, budgets: Mapping[int, int], governed: set[int]
    ) -> dict[str, Any]:
        """Return the reasons for the log, by context, and the curves that decided.

        Parameters
        ----------
        budgets
            in force.
        """
        assert self._governor is not None
        counted = dict(zip(rows["context"].tolist(), rows, strict=True))
        described = {}
        for context in sorted(governed & decision.reasons.keys()):
            reason = decision.reasons[context]
            each: dict[str, Any] = asdict(reason)
            if context in self._cgroups:
                each["cgroup"] = self._cgroups[context].path
                each["budget"] = budgets[context]
            if context in counted:
                row = counted[context]
                each |= {"resident": int(row["resident"]), "evicted": int(row["evicted"])}
                each |= {"refaults": int(row["tail"].sum()), "unidentified": int(row["unidentified"])}
            each["curve"] = self._governor.curve_points(context)
            described[str(context)] = each
        return described

    def _governor_for(self, memory: int, page_bytes: int, group_pages: int) -> Governor:
        """Return the governor of this memory size; a change of the size discards the former governor."""
        if self._governor is None or self._governor.parameters.memory_pages != memory:
            step = self._limits.step
            parameters = GovernorParameters(
                memory_pages=memory,
                delta_pages=group_pages,
                minimum_pages=self._limits.minimum.pages(page_bytes, "--minimum"),
                gain=self._limits.gain,
                step_pages=_whole_groups(step.pages(page_bytes, "--step"), group_pages) if step else None,
                epsilon=self._limits.epsilon,
                move_misses=_MOVE_MISSES if self._cgroups else 0.0,  # the pager evicts nothing in advance
            )
            self._maximums = {
                context: _whole_groups(cgroup.budget.allowed_above, group_pages)
                for context, cgroup in self._cgroups.items()
                if cgroup.budget.allowed_above is not None
            }
            self._governor = Governor(
                parameters,
                _first_budgets(self._cgroups, self._maximums, memory, group_pages),
                weights={context: cgroup.weight for context, cgroup in self._cgroups.items()},
                maximums=self._maximums,
            )
        return self._governor


def _first_budgets(
    cgroups: Mapping[int, Cgroup], maximums: Mapping[int, int], memory: int, group_pages: int
) -> dict[int, int]:
    """Return what each cgroup has, and an equal part of what nobody has: whole groups, in pages.

    A program that has just begun would otherwise be limited to one group, beside idle memory.
    """
    groups = {context: max(-(-each.budget.used // group_pages), 1) for context, each in cgroups.items()}
    idle = max(memory // group_pages - sum(groups.values()), 0)
    more = {context: each + idle // len(groups) for context, each in groups.items()}
    return {
        context: min(pages * group_pages, maximums.get(context, memory)) for context, pages in more.items()
    }


def _is_steady(held: Sequence[int], most: int) -> bool:
    """Return whether a cgroup held about the same in all epochs that count, without pages charged ahead."""
    half = _HELD_EPOCHS // 2
    return len(held) == _HELD_EPOCHS and min(held[half:]) - min(held[:half]) <= most


def _whole_groups(pages: int, group_pages: int) -> int:
    """Return the largest number of whole groups, at least one, in pages."""
    return max(pages // group_pages, 1) * group_pages
