"""memnice: which trays a process may use, inherited by its children (Jantz et al. 2013, section 7)."""

from collections.abc import Iterable

from litemrc.errors import UserError
from litemrc.policies.trays.trays import TrayChoice, check_trays


class MemNice:
    """Limits of processes to trays.

    A process without a limit may use all. A child begins with its parent's limit, which can be made narrower
    but not wider: who was put out of the way does not come back by forking.

    Parameters:
        trays: how many there are.
    """

    def __init__(self, trays: int) -> None:
        self.trays = trays
        self._allowed: dict[int, tuple[int, ...]] = {}
        self._inherited: dict[int, tuple[int, ...]] = {}

    def limit(self, process: int, trays: Iterable[int], where: str = "") -> None:
        """From now on the process is given pages of these trays only.

        Raises:
            UserError: no tray, one that is not there, or one that the process did not inherit.
        """
        chosen = check_trays(trays, self.trays, f"memnice of process {process}", where)
        inherited = self._inherited.get(process)
        if inherited is not None and (wider := set(chosen) - set(inherited)):
            raise UserError(
                f"memnice of process {process}: its parent had no tray {min(wider)}",
                where=where,
                remedy=f"some of the trays {', '.join(map(str, inherited))}",
            )
        self._allowed[process] = chosen

    def limit_to(self, process: int, count: int, where: str = "") -> None:
        """The first `count` trays, as the paper's wrapper is told.

        Raises:
            UserError: no trays, or more than there are.
        """
        if not 1 <= count <= self.trays:
            raise UserError(
                f"memnice of process {process}: {count} of {self.trays} trays",
                where=where,
                remedy=f"1 to {self.trays}",
            )
        self.limit(process, range(count), where)

    def fork(self, parent: int, child: int) -> None:
        """A child begins: its parent's limit is its own."""
        if parent in self._allowed:
            self._allowed[child] = self._inherited[child] = self._allowed[parent]

    def exit(self, process: int) -> None:
        """A process has ended."""
        self._allowed.pop(process, None)
        self._inherited.pop(process, None)

    def allowed(self, process: int) -> tuple[int, ...] | None:
        """Trays that the process may use; None: all."""
        return self._allowed.get(process)

    def narrow(self, process: int, choice: TrayChoice) -> TrayChoice:
        """What is left of a color's choice of trays for this process.

        If nothing is left the limit wins: a color is a hint, the limit protects others.
        """
        allowed = self.allowed(process)
        if allowed is None:
            return choice
        left = tuple(tray for tray in choice.preferred if tray in allowed)
        if not choice.bound or not left:
            left += tuple(tray for tray in allowed if tray not in left)
        return TrayChoice(left, True, choice.recycle_locally)
