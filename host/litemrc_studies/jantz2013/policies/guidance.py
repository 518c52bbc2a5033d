# SPDX-License-Identifier: BSD-2-Clause
"""Guidance by applications: colors on virtual ranges, and the trays that follow (Jantz et al. 2013).

An application groups pages by colors (`color_ranges`) and states intents for each (`intents`). The system
maps colors to trays (`trays`) within the limits of memnice, and reclaims pages by `recycling`.
Processes without guidance get the default behaviour.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from litemrc.errors import UserError

from litemrc_studies.jantz2013.policies.color_ranges import ColorRanges
from litemrc_studies.jantz2013.policies.intents import ColorIntent
from litemrc_studies.jantz2013.policies.trays import ANYWHERE, Tray, TrayChoice, check_trays, map_colors


class MemNice:
    """memnice: the tray limits of processes (Jantz et al. 2013, section 7).

    A process without a limit may use all trays. A child inherits its parent's limit and can only narrow it,
    so that a process cannot escape its limit by forking.

    Parameters
    ----------
    trays
        number of trays.
    """

    def __init__(self, trays: int) -> None:
        self.trays = trays
        self._allowed: dict[int, tuple[int, ...]] = {}
        self._inherited: dict[int, tuple[int, ...]] = {}

    def limit(self, process: int, trays: Iterable[int], where: str = "") -> None:
        """Limit the process to pages of these trays from now on.

        Raises
        ------
        UserError
            no tray, a tray that does not exist, or one that the process did not inherit.
        """
        chosen = check_trays(trays, self.trays, f"memnice of process {process}", where)
        inherited = self._inherited.get(process)
        if inherited is not None and (wider := set(chosen) - set(inherited)):
            raise UserError(
                f"memnice of process {process}: tray {min(wider)} is outside its parent's limit",
                where=where,
                remedy=f"choose from trays {', '.join(map(str, inherited))}",
            )
        self._allowed[process] = chosen

    def fork(self, parent: int, child: int) -> None:
        """Copy the parent's limit to a new child."""
        if parent in self._allowed:
            self._allowed[child] = self._inherited[child] = self._allowed[parent]

    def exit(self, process: int) -> None:
        """Forget a process that has ended."""
        self._allowed.pop(process, None)
        self._inherited.pop(process, None)

    def allowed(self, process: int) -> tuple[int, ...] | None:
        """Return the trays that the process may use; None: all."""
        return self._allowed.get(process)

    def narrow(self, process: int, choice: TrayChoice) -> TrayChoice:
        """Restrict a color's choice of trays to the process's limit.

        If no tray remains, the limit takes precedence: a color is a hint, the limit protects others.
        """
        allowed = self.allowed(process)
        if allowed is None:
            return choice
        left = tuple(tray for tray in choice.preferred if tray in allowed)
        if not choice.bound or not left:
            left += tuple(tray for tray in allowed if tray not in left)
        return TrayChoice(left, True, choice.recycle_locally)


class Guidance:
    """The guidance of all processes, and the trays that follow from it.

    Colors are per process. A child starts with a copy of its parent's ranges and intents. Isolated trays are
    closed to all other processes.

    Parameters
    ----------
    trays
        their state at the beginning.
    """

    def __init__(self, trays: Sequence[Tray]) -> None:
        self.nice = MemNice(len(trays))
        self._trays = list(trays)
        self._ranges: dict[int, ColorRanges] = {}
        self._intents: dict[int, dict[str, ColorIntent]] = {}
        self._resident: dict[int, int] = {}
        self._choices: dict[int, dict[str | None, TrayChoice]] = {}

    def intend(
        self, process: int, intents: Mapping[str, ColorIntent], resident_pages: int, trays: Sequence[Tray]
    ) -> None:
        """Set the intents of a process's colors.

        Parameters
        ----------
        resident_pages
            expected resident set of the process.
        trays
            their current state.

        Raises
        ------
        UserError
            as in `map_colors`; trays isolated by another process are not available.
        """
        closed = self._isolated(process)
        choices = map_colors(intents, [tray for tray in trays if tray.number not in closed], resident_pages)
        self._trays = list(trays)
        self._intents[process], self._resident[process] = dict(intents), resident_pages
        self._choices[process] = choices

    def paint(self, process: int, begin: int, end: int, color: str | None, *, over: bool = True) -> None:
        """Set the color of virtual pages `begin` to `end`, exclusive; None removes the color.

        Raises
        ------
        UserError
            an empty range, a color without intent, or an overlap without `over`.
        """
        if color is not None and color not in self._intents.get(process, {}):
            known = ", ".join(self._intents.get(process, {})) or "none"
            raise UserError(
                f"process {process} has no intent with color {color}",
                remedy=f"state an intent for it; its colors are {known}",
            )
        self._ranges.setdefault(process, ColorRanges()).paint(begin, end, color, over=over)

    def color(self, process: int, page: int) -> str | None:
        """Return the color of a virtual page."""
        ranges = self._ranges.get(process)
        return ranges.color(page) if ranges else None

    def colors(self, process: int, begin: int, end: int) -> Iterator[tuple[int, int, str | None]]:
        """Yield consecutive ranges of one color that cover `begin` to `end`."""
        return self._ranges.get(process, ColorRanges()).within(begin, end)

    def choice(self, process: int, color: str | None) -> TrayChoice:
        """Return the trays from which pages of a process may be allocated."""
        own = self._choices.get(process)
        choice = own.get(color, own[None]) if own else ANYWHERE
        closed = self._isolated(process)
        if closed:
            order = choice.preferred or tuple(tray.number for tray in self._trays)
            choice = TrayChoice(
                tuple(tray for tray in order if tray not in closed), True, choice.recycle_locally
            )
        return self.nice.narrow(process, choice)

    def fork(self, parent: int, child: int) -> None:
        """Copy colors, intents and limit of the parent to a child."""
        if parent in self._ranges:
            ranges = ColorRanges()
            for begin, end, color in self._ranges[parent]:
                ranges.paint(begin, end, color)
            self._ranges[child] = ranges
        if parent in self._intents:
            self._intents[child] = self._intents[parent]
            self._resident[child] = self._resident[parent]
            self._choices[child] = self._choices[parent]
        self.nice.fork(parent, child)

    def exit(self, process: int) -> None:
        """Forget a process that has ended; its isolated trays are open again."""
        for mine in (self._ranges, self._intents, self._resident, self._choices):
            mine.pop(process, None)
        self.nice.exit(process)

    def _isolated(self, process: int) -> set[int]:
        """Return the trays isolated by processes that do not share this process's colors."""
        mine = self._choices.get(process)
        return {
            tray
            for other, choices in self._choices.items()
            if choices is not mine
            for color, choice in choices.items()
            if color is not None and self._intents[other][color].isolated
            for tray in choice.preferred
        }
