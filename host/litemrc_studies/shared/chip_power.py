# SPDX-License-Identifier: BSD-2-Clause
"""Power of a memory chip in each idle state, and time and power of the exit, from its data sheet.

An RDRAM has the values of zhou2004, table 4. Synchronous DRAM is modelled like it, with closed pages:

| state | current | exit |
| --- | --- | --- |
| awake | IDD3N | - |
| standby | IDD2N | none: an access opens its row in any case |
| power-down | IDD2P0, the DLL off | tXPDLL (LPDDR3: tXP) with IDD2N |
| self-refresh | IDD6 | tXSDLL (LPDDR3: tXS) with IDD2N |

All but self-refresh have a refresh every tREFI, (IDD5B - IDD2N) for tRFC, as a mean power. An access takes
tRC with IDD0 and a burst of 8, IDD4R - IDD3N. The whole exit time is charged, though a row could be opened in
its last part; going down is free, as in table 4.
"""

from dataclasses import dataclass

from litemrc.energy.parts.files import find_part, known_parts
from litemrc.energy.parts.part import Part, RdramPart, SdramPart
from litemrc.errors import UserError

_BURST_CLOCKS = 4


@dataclass(frozen=True)
class ChipPower:
    """A chip that waits in one of four states, the first one awake and each further one deeper.

    Attributes
    ----------
    part
        its name.
    states
        their names.
    access_ns, access_mw
        of an access.
    waiting_mw
        power in each state.
    exit_ns, exit_mw
        time and power of the way back; 0 of the first.
    """

    part: str
    states: tuple[str, ...]
    access_ns: float
    access_mw: float
    waiting_mw: tuple[float, ...]
    exit_ns: tuple[float, ...]
    exit_mw: tuple[float, ...]


def chip_power(part: Part) -> ChipPower:
    """The states of a chip of this part.

    Raises
    ------
    UserError
        the part's file lacks a current or an exit time that is needed.
    """
    return _rdram(part) if isinstance(part, RdramPart) else _sdram(part)


def find_power(name: str) -> ChipPower:
    """The states of a part by name: as `find_part`, or with its kind of memory before it, or the kind alone.

    Such as rdram, lpddr3, ddr3-mt41j64m16, mt41k64m16-125:j or FILE.toml.

    Raises
    ------
    UserError
        as `find_part` and `chip_power`; or the kind alone fits several parts.
    """
    kind, _, rest = name.lower().partition("-")
    of_kind = [part for part in known_parts() if part.memory.lower() == kind]
    if not of_kind or isinstance(of_kind[0], RdramPart):
        return chip_power(find_part(name))
    found = [part for part in of_kind if part.name.lower().startswith(rest)]
    if len(found) != 1:
        choice = ", ".join(f"{kind}-{part.name.lower()}" for part in found or of_kind)
        raise UserError(
            f"{len(found) or 'no'} parts fit {name!r}",
            remedy=f"name one of {choice}; or a part file, FILE.toml",
        )
    return chip_power(found[0])


def _rdram(part: RdramPart) -> ChipPower:
    ways = (part.from_standby, part.from_nap, part.from_powerdown)
    return ChipPower(
        part=part.name,
        states=("active", "standby", "nap", "powerdown"),
        access_ns=part.access_ns,
        access_mw=part.active_mw,
        waiting_mw=(part.active_mw, part.standby_mw, part.nap_mw, part.powerdown_mw),
        exit_ns=(0.0, *(ns for _, ns in ways)),
        exit_mw=(0.0, *(mw for mw, _ in ways)),
    )


def _sdram(part: SdramPart) -> ChipPower:
    def exit_ns(name: str) -> float:
        if (known := getattr(part, name)) is None:
            raise UserError(
                f"{part.name}: the exit latency of a low state is unknown ({name.removesuffix('_ns')})",
                remedy="put [exits] into a part file of your own, and name that: FILE.toml",
            )
        return float(known)

    power_down_ns, self_refresh_ns = exit_ns("power_down_exit_ns"), exit_ns("self_refresh_exit_ns")

    def mw(name: str) -> float:
        return sum(rail.volts * rail.current(name) for rail in part.rails)

    refresh = (mw("idd5b") - mw("idd2n")) * part.rfc * 1e3 / part.clock_mhz / part.refi_ns
    standby = mw("idd2n")
    return ChipPower(
        part=part.name,
        states=("active standby", "standby", "power-down", "self-refresh"),
        access_ns=part.rc * 1e3 / part.clock_mhz,
        access_mw=mw("idd0") + (mw("idd4r") - mw("idd3n")) * _BURST_CLOCKS / part.rc,
        waiting_mw=(mw("idd3n") + refresh, standby + refresh, mw("idd2p0") + refresh, mw("idd6")),
        exit_ns=(0.0, 0.0, power_down_ns, self_refresh_ns),
        exit_mw=(0.0, standby, standby, standby),
    )
