"""Which memory chips sleep when: zhou2004, section 5, and a scheme of ours.

A scheme knows thresholds and names, no chip and no trace: `litemrc.machines.chips.machine` runs it, and
`golden.machines.chip_energy` says what the paper leaves open. Chips wait in one of four states, the last one
the deepest: RDRAM's are active, standby, nap and powerdown.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from litemrc.errors import UserError

MOST_NS = 10**12
DYNAMIC_NAP_NS = 100


@dataclass(frozen=True)
class Thresholds:
    """Chips sink by how long they have waited; with `working_set`, those outside it sleep deepest at once.

    Attributes:
        name: of the scheme.
        after_ns: waiting until standby, nap and powerdown; None: the state is left out.
        working_set: power down the chips that hold none of the top N_mrc pages (section 5.1); needs the
            monitor.
        tuned: nap and powerdown thresholds are those of a sweep over the trace itself.
        base: the scheme it builds on, or is compared with.

    Raises:
        UserError: a threshold that is negative, too long, or below that of a shallower state.
    """

    name: str
    after_ns: tuple[int | None, int | None, int | None]
    working_set: bool = False
    tuned: bool = False
    base: str = "always-on"

    def __post_init__(self) -> None:
        given = [after for after in self.after_ns if after is not None]
        if any(not 0 <= after <= MOST_NS for after in given) or given != sorted(given):
            raise UserError(
                f"{self.name}: thresholds of {', '.join(map(str, given))} ns make no sense",
                remedy=f"from 0 to {MOST_NS} ns, and the deeper state not before the other",
            )

    @property
    def monitored(self) -> bool:
        """Does it need the miss ratio monitor?"""
        return self.working_set

    def with_thresholds(self, nap_ns: int, powerdown_ns: int | None) -> "Thresholds":
        """The same, not tuned, with these thresholds behind the standby that begins at once."""
        return replace(self, after_ns=(0, nap_ns, powerdown_ns), tuned=False)


@dataclass(frozen=True)
class Predictive:
    """Ours: thresholds learned from idle times, and chips woken ahead (`golden.machines.chip_prediction`).

    An entry a page and direction in the monitor's page array remembers which chip came next and when; a table
    of the same kind by chip and chip before stands in for pages that are not sure. The monitor is charged.

    Attributes:
        tolerance_ns: predicted times agree that differ by so much, or by an eighth.
        hold_ns: standby of a chip woken ahead, behind the latest time it was expected.
        price: of a delay: a second costs this share of what all chips in nap draw, beside the way back.
    """

    tolerance_ns: int = 10
    hold_ns: int = 15
    price: float = 2 / 3

    name: ClassVar[str] = "mrc-predictive"
    base: ClassVar[str] = "dynamic-tuned"
    monitored: ClassVar[bool] = True


@dataclass(frozen=True)
class Oracle:
    """Knows the future: each wait in its cheapest state, left just in time, and no delay.

    A lower bound of energy and of delay; docs/chip_energy.md says why.
    """

    name: ClassVar[str] = "oracle"
    base: ClassVar[str] = "dynamic-tuned"
    monitored: ClassVar[bool] = False


Scheme = Thresholds | Predictive | Oracle
_DYNAMIC_NAP = (0, DYNAMIC_NAP_NS, None)
_TUNED = (0, 0, None)  # replaced by the sweep
SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Thresholds("always-on", (None, None, None)),
        Thresholds("static-nap", (None, 0, None)),
        Thresholds("dynamic-nap", _DYNAMIC_NAP, base="static-nap"),
        Thresholds("dynamic-tuned", _TUNED, tuned=True, base="dynamic-nap"),
        Thresholds("mrc-static", (None, 0, None), working_set=True, base="static-nap"),
        Thresholds("mrc-dynamic-nap", _DYNAMIC_NAP, working_set=True, base="dynamic-nap"),
        Thresholds("mrc-dynamic-tuned", _TUNED, working_set=True, tuned=True, base="dynamic-tuned"),
        Predictive(),
        Oracle(),
    )
}
