"""memnice: limits a process and its children to some trays (Jantz et al. 2013, section 7)."""

from collections.abc import Iterable

from litemrc.errors import UserError

from litemrc_studies.jantz2013.policies.trays import TrayChoice, check_trays


class MemNice:
    """The tray limits of processes.

    A process without a limit may use all trays. A child inherits its parent's limit and can only narrow it,
    so that a process cannot escape its limit by forking.

    Parameters:
        trays: number of trays.
    """

    def __init__(self, trays: int) -> None:
        self.trays = trays
        self._allowed: dict[int, tuple[int, ...]] = {}
        self._inherited: dict[int, tuple[int, ...]] = {}

    def limit(self, process: int, trays: Iterable[int], where: str = "") -> None:
        """Limit the process to pages of these trays from now on.

        Raises:
            UserError: no tray, a tray that does not exist, or one that the process did not inherit.
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
