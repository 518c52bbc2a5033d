# SPDX-License-Identifier: BSD-2-Clause
"""Energy of a memory's power domains, in millijoules, from residencies and counts: pure arithmetic.

Sources: Micron TN-41-01, "Calculating Memory System Power for DDR3" (2007), for the terms and how they
follow clock and supply; JESD79-3 for what each IDD is; zhou2004, table 4, for RDRAM. Energies are those of
the chips' cores: the power of data pins and terminations depends on the board and is left out.

Each cycle is charged with the current of its state, and each command with its current beyond that state.
Three terms differ from TN-41-01 on purpose:

- A refresh draws IDD5B - IDD2N beyond its state, not IDD5B - IDD3N: the meter counts its cycles as precharge
  standby, so with IDD2N the time of a refresh costs IDD5B, as it was measured.
- IDDs are taken at the nominal supply; TN-41-01 takes them at the highest, so that its results are 5 % lower.
- Entering self-refresh costs the refresh with which it begins (JESD79-3, "Self-Refresh operation").
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from litemrc.energy.parts.part import Part, Rail, RdramPart, SdramPart
from litemrc.errors import UserError
from litemrc.ranks.activity import LABELS, RankActivity

SDRAM_COMPONENTS = (
    *LABELS.values(),
    *("activate", "read", "write", "refresh", "self-refresh entry"),
)
RDRAM_COMPONENTS = ("active", "standby", "nap", "powerdown", "wake-up")
_ROUNDING = 1e-9  # a chip may be busy all the time it was awake


@dataclass(frozen=True)
class Operation:
    """How the memory was operated.

    Attributes
    ----------
    clock_hz
        frequency of the cycles counted.
    dram_clock_hz
        clock frequency of the DRAM.
    chips
        of a rank, which operate together.
    burst_length
        transfers of a read or write.
    fast_exit
        the DLL stays on in power-down (MR0 bit 12), so IDD2P1 flows instead of IDD2P0.
    kept
        part of the array that partial self-refresh refreshes.
    share
        of the cycles, refreshes and entries of the rank: 1 / n for one of n address slices, each of
        which counts all of them.
    supply
        voltage relative to the nominal one.
    """

    clock_hz: float
    dram_clock_hz: float
    chips: int = 1
    burst_length: int = 8
    fast_exit: bool = False
    kept: float = 1.0
    share: float = 1.0
    supply: float = 1.0


@dataclass(frozen=True)
class Energy:
    """Millijoules, by component."""

    components: Mapping[str, float]

    @property
    def total(self) -> float:
        """Sum of the components, mJ."""
        return sum(self.components.values())

    def __add__(self, other: "Energy") -> "Energy":
        return Energy({name: mj + other.components[name] for name, mj in self.components.items()})


def energy(part: Part, activity: RankActivity, use: Operation) -> Energy:
    """Return the energy of a domain in all chips of its rank.

    Raises
    ------
    UserError
        the part's data sheet lacks a current that is needed, or the record cannot be of an RDRAM.
    """
    if isinstance(part, RdramPart):
        return _rdram_energy(part, activity, use)
    total = Energy(dict.fromkeys(SDRAM_COMPONENTS, 0.0))
    for rail in part.rails:
        total += _rail_energy(part, rail, activity, use)
    return total


def always_awake(part: Part, activity: RankActivity, use: Operation) -> RankActivity:
    """Return the same work in the same time without low-power states: standby, and a refresh every tREFI.

    Refreshes during power-down are in the record; during self-refresh there were none from the controller.
    """
    asleep = activity.self_refresh + activity.self_refresh_partial
    spared = asleep / use.clock_hz / (part.refi_ns * 1e-9) if isinstance(part, SdramPart) else 0
    return replace(
        activity,
        precharge_standby=activity.precharge_standby + activity.power_down + asleep,
        refreshes=activity.refreshes + spared,
        **dict.fromkeys(("power_down", "self_refresh", "self_refresh_partial"), 0),
        **dict.fromkeys(("entered_power_down", "entered_self_refresh", "entered_self_refresh_partial"), 0),
        **dict.fromkeys(("wake_ups", "waking"), 0),
    )


def _rail_energy(part: SdramPart, rail: Rail, activity: RankActivity, use: Operation) -> Energy:
    """mJ drawn from one supply: mA x V x s.

    Equations of TN-41-01, by the names of their results: Pds(PRE_STBY), Pds(ACT_STBY), Pds(PRE_PDN);
    Pds(ACT) = (IDD0 - (IDD3N x tRAS + IDD2N x (tRC - tRAS)) / tRC) x VDD, for tRC an activation;
    Pds(RD) = (IDD4R - IDD3N) x VDD and Pds(WR), for BL / 2 clocks a burst; Pds(REF), for tRFC a refresh.
    Psys: all follow the square of the supply; background, reads and writes the clock, too, so a burst costs
    the same at any clock; activations and refreshes time themselves.
    """
    volts = rail.volts * use.supply**2 * use.chips
    part_clock_hz = part.clock_mhz * 1e6
    slower = use.dram_clock_hz / part_clock_hz
    second = 1 / use.clock_hz

    def drawn(times: float, charge_mas: float) -> float:
        return times * charge_mas * volts

    def background(clocks: float, name: str) -> float:
        return drawn(clocks * use.share, rail.current(name) * second * slower) if clocks else 0.0

    def activation() -> float:
        idd0, idd3n, idd2n = (rail.current(name) for name in ("idd0", "idd3n", "idd2n"))
        return (idd0 * part.rc - idd3n * part.ras - idd2n * (part.rc - part.ras)) / part_clock_hz

    def burst(name: str) -> float:
        clocks = use.burst_length / 2
        return (rail.current(name) - rail.current("idd3n")) * clocks / part_clock_hz

    def refresh(beyond: float) -> float:
        return (rail.current("idd5b") - beyond) * part.rfc / part_clock_hz

    whole, partial = activity.self_refresh * use.share, activity.self_refresh_partial * use.share
    entries = activity.entered_self_refresh * use.share
    entries_partial = activity.entered_self_refresh_partial * use.share
    entry = 0.0
    if entries:
        entry += drawn(entries, refresh(rail.current("idd6")))
    if entries_partial:
        entry += drawn(entries_partial, refresh(rail.partial(use.kept)))
    return Energy(
        {
            "active standby": background(activity.active_standby, "idd3n"),
            "precharge standby": background(activity.precharge_standby, "idd2n"),
            "power-down": background(activity.power_down, "idd2p1" if use.fast_exit else "idd2p0"),
            # The clock may stop in self-refresh, so IDD6 is not scaled with it.
            "self-refresh": drawn(whole, rail.current("idd6") * second) if whole else 0.0,
            "self-refresh, partial": drawn(partial, rail.partial(use.kept) * second) if partial else 0.0,
            "activate": drawn(activity.activates, activation()) if activity.activates else 0.0,
            "read": drawn(activity.reads, burst("idd4r")) if activity.reads else 0.0,
            "write": drawn(activity.writes, burst("idd4w")) if activity.writes else 0.0,
            "refresh": drawn(activity.refreshes * use.share, refresh(rail.current("idd2n")))
            if activity.refreshes
            else 0.0,
            "self-refresh entry": entry,
        }
    )


def _rdram_energy(part: RdramPart, activity: RankActivity, use: Operation) -> Energy:
    """mJ of a chip by zhou2004, table 4: mW x s.

    The counters of a rank meter stand for a chip's: both standby states are standby, power-down is nap,
    self-refresh is powerdown; each exit from a low-power state takes the table's time and power; an
    access without a wake-up comes from standby. Accesses and exits are subtracted from the standby cycles.

    Raises
    ------
    UserError
        they do not fit in, or the record has partial self-refresh, which no RDRAM has.
    """
    if activity.self_refresh_partial:
        raise UserError("RDRAM has no partial self-refresh, but the record has", remedy="choose another part")
    power_downs = activity.entered_power_down * use.share
    self_refreshes = activity.entered_self_refresh * use.share
    ways = (
        (max(activity.accesses - activity.wake_ups, 0), *part.from_standby),
        (power_downs, *part.from_nap),
        (self_refreshes, *part.from_powerdown),
    )
    second = use.share / use.clock_hz
    access_s = activity.accesses * part.access_ns * 1e-9
    ways_s = sum(times * ns for times, _, ns in ways) * 1e-9
    standby_s = (activity.active_standby + activity.precharge_standby) * second - access_s - ways_s
    if standby_s < -_ROUNDING * (access_s + ways_s):
        raise UserError(
            f"{activity.accesses:,.0f} accesses and their wake-ups take {1e3 * (access_s + ways_s):.3g} ms of"
            f" RDRAM, {-1e3 * standby_s:.3g} ms more than the record was awake",
            remedy="such a record is not of an RDRAM: choose another part",
        )
    components = {
        "active": part.active_mw * access_s,
        "standby": part.standby_mw * max(standby_s, 0),
        "nap": part.nap_mw * activity.power_down * second,
        "powerdown": part.powerdown_mw * activity.self_refresh * second,
        "wake-up": sum(times * mw * ns for times, mw, ns in ways) * 1e-9,
    }
    return Energy({name: mj * use.chips for name, mj in components.items()})
