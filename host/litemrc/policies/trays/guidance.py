"""Guidance of an application: colors on its virtual ranges, and what the system makes of them.

Jantz et al. 2013. An application says which pages are alike (`color_ranges`) and what it intends with them
(`intents`); the system maps colors to trays (`color_trays`), within the limits of `memnice`, and takes pages
for new ones as `recycling` says. Whoever gives no guidance is treated as always.
"""

from collections.abc import Iterator, Mapping, Sequence

from litemrc.errors import UserError
from litemrc.policies.trays.color_ranges import ColorRanges
from litemrc.policies.trays.color_trays import map_colors
from litemrc.policies.trays.intents import ColorIntent
from litemrc.policies.trays.memnice import MemNice
from litemrc.policies.trays.trays import ANYWHERE, Tray, TrayChoice


class Guidance:
    """What all processes have told, and the trays that follow from it.

    Colors are an application's: a child has its parent's ranges and intents when it begins, and its own from
    then on. Isolated trays are closed to everybody else.

    Parameters:
        trays: as they are when guidance begins.
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
        """A process binds its colors to intents, at the beginning or anew.

        Parameters:
            resident_pages: it is going to have.
            trays: as they are now.

        Raises:
            UserError: as `map_colors`, or trays that another process has isolated would be isolated again.
        """
        closed = self._isolated(process)
        choices = map_colors(intents, [tray for tray in trays if tray.number not in closed], resident_pages)
        self._trays = list(trays)
        self._intents[process], self._resident[process] = dict(intents), resident_pages
        self._choices[process] = choices

    def paint(self, process: int, begin: int, end: int, color: str | None, *, over: bool = True) -> None:
        """Color the virtual pages from `begin` to before `end`; None takes the color away.

        Raises:
            UserError: no range; a color without intent; an overlap, unless `over`.
        """
        if color is not None and color not in self._intents.get(process, {}):
            known = ", ".join(self._intents.get(process, {})) or "none"
            raise UserError(
                f"process {process} has no intent with color {color}",
                remedy=f"its colors are {known}: say what is intended with it",
            )
        self._ranges.setdefault(process, ColorRanges()).paint(begin, end, color, over=over)

    def color(self, process: int, page: int) -> str | None:
        """Color of a virtual page."""
        ranges = self._ranges.get(process)
        return ranges.color(page) if ranges else None

    def colors(self, process: int, begin: int, end: int) -> Iterator[tuple[int, int, str | None]]:
        """Ranges of one color each that together are the range asked for."""
        return self._ranges.get(process, ColorRanges()).within(begin, end)

    def choice(self, process: int, color: str | None) -> TrayChoice:
        """Where pages of a process may come from."""
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
        """A child inherits colors, intents and limit."""
        if parent in self._ranges:
            ranges = ColorRanges()
            for begin, end, color in self._ranges[parent]:
                ranges.paint(begin, end, color)
            self._ranges[child] = ranges
        for mine in (self._intents, self._resident, self._choices):
            if parent in mine:
                mine[child] = mine[parent]
        self.nice.fork(parent, child)

    def exit(self, process: int) -> None:
        """A process has ended; trays it isolated are free for all."""
        for mine in (self._ranges, self._intents, self._resident, self._choices):
            mine.pop(process, None)
        self.nice.exit(process)

    def _isolated(self, process: int) -> set[int]:
        """Trays that processes not of this one's colors keep to themselves."""
        mine = self._choices.get(process)
        return {
            tray
            for other, choices in self._choices.items()
            if choices is not mine
            for color, choice in choices.items()
            if color is not None and self._intents[other][color].isolated
            for tray in choice.preferred
        }
