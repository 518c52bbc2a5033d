# SPDX-License-Identifier: BSD-2-Clause
"""Power figures of a DRAM part from its data sheet; plain records."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from litemrc.errors import UserError

# Currents in mA, named and measured as JESD79-3 (table "IDD measurement conditions") says.
CURRENTS = (
    *("idd0", "idd2n", "idd2p0", "idd2p1", "idd3n", "idd3p"),
    *("idd4r", "idd4w", "idd5b", "idd6"),
)


@dataclass(frozen=True)
class Rail:
    """One supply of a chip.

    Attributes
    ----------
    volts
        nominal.
    currents
        mA by the names of `CURRENTS`; currents that no source gives are missing.
    idd6_partial
        mA of self-refresh of a part of the array, by that part (0.5: half of it).
    where
        file and field, for errors.
    absent
        why a current is missing, by its name, or for all of them by "currents".
    """

    volts: float
    currents: Mapping[str, float]
    idd6_partial: Mapping[float, float] = field(default_factory=dict)
    where: str = ""
    absent: Mapping[str, str] = field(default_factory=dict)

    def current(self, name: str) -> float:
        """A current in mA.

        Raises
        ------
        UserError
            no source gives it.
        """
        if name not in self.currents:
            raise self._missing(name, f"{name.upper()} is not known")
        return self.currents[name]

    def partial(self, kept: float) -> float:
        """Self-refresh current in mA with a part `kept` of the array refreshed; 1: all of it.

        Raises
        ------
        UserError
            no source gives it.
        """
        if kept == 1:
            return self.current("idd6")
        if kept not in self.idd6_partial:
            known = ", ".join(f"{part:g}" for part in self.idd6_partial) or "none"
            raise self._missing(
                "idd6_partial", f"IDD6 with {kept:g} of the array refreshed is not known (known: {known})"
            )
        return self.idd6_partial[kept]

    def _missing(self, name: str, what: str) -> UserError:
        why = self.absent.get(name) or self.absent.get("currents")
        return UserError(
            f"{what}: {why}" if why else what,
            where=f"{self.where}.{name}",
            remedy="put it from the data sheet into a part file of your own, and name that: --part FILE.toml",
        )


@dataclass(frozen=True)
class SdramPart:
    """A synchronous DRAM chip of one speed grade and die: DDR3, LPDDR3 and their like.

    Attributes
    ----------
    name
        as ordered: part, speed grade and die.
    memory
        kind of memory, such as DDR3L.
    megabits, width_bits
        of a chip.
    clock_mhz
        at which the currents were measured.
    rc, ras, rfc
        clocks of the loops in which IDD0 and IDD5B were measured.
    refi_ns
        mean time between two refreshes.
    rails
        its supplies.
    power_down_exit_ns, self_refresh_exit_ns
        from the exit of a precharge power-down with the DLL off, of
        self-refresh, to a read; None: not in the file.
    datasheet
        where the numbers stand; cross_check: where else they were found, or not.
    """

    name: str
    memory: str
    megabits: int
    width_bits: int
    clock_mhz: float
    rc: int
    ras: int
    rfc: int
    refi_ns: float
    rails: tuple[Rail, ...]
    power_down_exit_ns: float | None = None
    self_refresh_exit_ns: float | None = None
    datasheet: str = ""
    cross_check: str = ""

    @property
    def complete(self) -> bool:
        """All currents but those of partial self-refresh are known."""
        return all(name in rail.currents for rail in self.rails for name in CURRENTS)


@dataclass(frozen=True)
class RdramPart:
    """A Rambus DRAM chip, as zhou2004 table 4 models it: powers in mW, times in ns.

    Attributes
    ----------
    active_mw, access_ns
        power while a chip serves an access, and how long one takes.
    standby_mw, nap_mw, powerdown_mw
        of the states it waits in.
    from_standby, from_nap, from_powerdown
        mW and ns of the way back to active.
    """

    name: str
    active_mw: float
    access_ns: float
    standby_mw: float
    nap_mw: float
    powerdown_mw: float
    from_standby: tuple[float, float]
    from_nap: tuple[float, float]
    from_powerdown: tuple[float, float]
    datasheet: str = ""
    cross_check: str = ""
    memory: str = "RDRAM"
    complete: bool = True


Part = SdramPart | RdramPart
