# SPDX-License-Identifier: BSD-2-Clause
"""Sleep schemes of memory chips: zhou2004, section 5, and one of ours.

A scheme holds thresholds and names; `machine.chips` runs it on a trace. The decisions that
the paper leaves open are listed in `zhou2004.golden.chip_energy`. A chip is in one of four states; for RDRAM
these are active, standby, nap and powerdown, by depth.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from litemrc.errors import UserError

MOST_NS = 10**12
DYNAMIC_NAP_NS = 100


@dataclass(frozen=True)
class Thresholds:
    """Chips enter deeper states by idle time; with `working_set`, non-working chips power down immediately.

    Attributes
    ----------
    name
        of the scheme.
    after_ns
        idle time until standby, nap and powerdown; None: the state is not used.
    working_set
        power down the chips that hold none of the top N_mrc pages (section 5.1); needs the
        monitor.
    tuned
        the nap and powerdown thresholds come from a sweep over the trace itself.
    base
        the scheme that it is compared with.

    Raises
    ------
    UserError
        a threshold that is negative, too long, or below that of a shallower state.
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
                f"{self.name}: thresholds of {', '.join(map(str, given))} ns are out of range or order",
                remedy=f"give 0 to {MOST_NS} ns, and no deeper state before a shallower one",
            )

    @property
    def monitored(self) -> bool:
        """Return whether the scheme needs the monitor."""
        return self.working_set

    def with_thresholds(self, nap_ns: int, powerdown_ns: int | None) -> "Thresholds":
        """Return this scheme, not tuned, with immediate standby and these thresholds."""
        return replace(self, after_ns=(0, nap_ns, powerdown_ns), tuned=False)


@dataclass(frozen=True)
class Predictive:
    """Ours: learned idle thresholds and predicted wake-ups (`zhou2004.golden.chip_prediction`).

    An entry per page and direction in the monitor's page array holds the next chip and its time. A table by
    chip and previous chip serves pages without a confident entry. The monitor's energy is charged.

    Attributes
    ----------
    tolerance_ns
        predicted times agree if they differ by at most this, or an eighth.
    hold_ns
        standby of a chip woken ahead, after the latest expected time.
    price
        price of delay, in addition to the exit power, as a share of the power of all chips in nap.
    """

    tolerance_ns: int = 10
    hold_ns: int = 15
    price: float = 2 / 3

    name: ClassVar[str] = "mrc-predictive"
    base: ClassVar[str] = "dynamic-tuned"
    monitored: ClassVar[bool] = True


@dataclass(frozen=True)
class Oracle:
    """Uses future knowledge: each idle time in its cheapest state, left just in time, without delay.

    This is a lower bound of energy and of delay; zhou2004/chip_energy.md proves it.
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
