# SPDX-License-Identifier: BSD-2-Clause
"""Energy and delay of one program on a blocking CPU whose memory chips sleep (zhou2004, section 5).

`zhou2004.golden.chip_energy` lists the decisions where the paper is silent; the native core is equal to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from litemrc.errors import UserError, choose_from
from numpy.typing import NDArray

from litemrc_studies import _core as core
from litemrc_studies.shared.chip_power import ChipPower
from litemrc_studies.zhou2004.machine.chip_references import PLACEMENTS, ChipReferences, place_pages
from litemrc_studies.zhou2004.policies import SCHEMES, Oracle, Predictive, Scheme, Thresholds

FS = 10**15
MOST_FS = 1 << 62
NAP_SWEEP = (0, 0.5, 1, 2, 3, 5, 10)  # multiples of the exit latency of nap
POWERDOWN_SWEEP = (1, 2, 4, 8, 12, 16, 25, 50, 100, 200, 500)  # multiples of the exit latency of powerdown


@dataclass(frozen=True)
class ChipMachine:
    """The processor and its memory.

    Attributes
    ----------
    power
        of each chip.
    chip_pages
        pages per chip.
    clock_hz
        of the processor; a cycle is rounded to whole femtoseconds.
    epoch_cycles
        epoch of MRC schemes.
    epsilon
        of N_mrc, with a resolution of 10^-6.
    monitor_mw
        power of the monitor, charged for the whole run to schemes that need it.
    placement, seed
        of pages on chips; see `place_pages`.

    Raises
    ------
    UserError
        a value out of range.
    """

    power: ChipPower
    chip_pages: int = 64
    clock_hz: float = 600e6
    epoch_cycles: int = 10_000
    epsilon: float = 0.01
    monitor_mw: float = 20.0
    placement: str = "sequential"
    seed: int = 1

    def __post_init__(self) -> None:
        for name, low, high in (
            ("chip_pages", 1, 1 << 32),
            ("clock_hz", 1e3, 1e12),
            ("epoch_cycles", 1, 1 << 40),
            ("epsilon", 0, 1),
            ("monitor_mw", 0, 1e9),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise UserError(f"{name} cannot be {value}", remedy=f"give {low:g} to {high:g}")
        if self.placement not in PLACEMENTS:
            raise UserError(
                f"unknown placement {self.placement!r}", remedy=choose_from(self.placement, PLACEMENTS)
            )

    @property
    def cycle_fs(self) -> int:
        return round(FS / self.clock_hz)


@dataclass(frozen=True, eq=False)
class SchemeResult:
    """Result of the program under one scheme.

    Attributes
    ----------
    scheme
        as it ran, with the thresholds found by a sweep.
    delay_s
        length of the run.
    monitor_mj
        energy of the monitor, part of `energy_mj`.
    waited_s
        float64[chips, states], time in each state.
    wakes
        uint64[chips, states], wake-ups from each state.
    accesses
        uint64[chips].
    chip_mj
        float64[chips], energy.
    chip_waking_s
        float64[chips], total exit latency; the program waits for it unless the chip was woken
        ahead.
    mean_working_pages
        mean N_mrc of the epochs with an access; None: the scheme has none.
    swept
        whether the thresholds come from a sweep.
    """

    scheme: Scheme
    delay_s: float
    monitor_mj: float
    waited_s: NDArray[np.float64]
    wakes: NDArray[np.uint64]
    accesses: NDArray[np.uint64]
    chip_mj: NDArray[np.float64]
    chip_waking_s: NDArray[np.float64]
    mean_working_pages: float | None = None
    swept: bool = False

    @property
    def energy_mj(self) -> float:
        """Return the energy of all chips and the monitor."""
        return float(self.chip_mj.sum()) + self.monitor_mj

    @property
    def energy_delay(self) -> float:
        """Return energy x delay in mJ s."""
        return self.energy_mj * self.delay_s


class ChipSimulation:
    """A program in one machine, ready to run under any scheme.

    Attributes
    ----------
    chips
        number of chips: the footprint in whole chips.
    """

    def __init__(self, references: ChipReferences, machine: ChipMachine) -> None:
        """
        Raises
        ------
        UserError
            a run longer than the time counter, 77 minutes.
        """
        self.references, self.machine = references, machine
        chip_of, self.chips = place_pages(
            references.footprint_pages, machine.chip_pages, machine.placement, machine.seed
        )
        power = machine.power
        self._exit_fs = [_fs(ns) for ns in power.exit_ns]
        access_fs = _fs(power.access_ns)
        longest = float(references.gaps.sum(dtype=np.float64)) * machine.cycle_fs
        if longest + len(references) * float(access_fs + max(self._exit_fs)) > MOST_FS:
            raise UserError(
                f"the trace lasts {longest / FS:,.0f} s of computing at {machine.clock_hz / 1e6:g} MHz",
                where=references.trace,
                remedy="shorten it to 77 minutes, and check that its times are cycles",
            )
        self._power = core.ChipPower(
            access_fs,
            self._exit_fs,
            [_uw(mw) for mw in power.waiting_mw],
            [_uw(mw) for mw in power.exit_mw],
        )
        gaps_fs = references.gaps * np.uint64(machine.cycle_fs)
        self._trace = core.ChipTrace(references.pages, gaps_fs, references.writes, chip_of, self.chips)
        self._tuned: tuple[int, int] | None = None

    def run(self, scheme: Scheme) -> SchemeResult:
        """Run the program under a scheme; a tuned scheme uses the best thresholds of the sweep."""
        if isinstance(scheme, Oracle):
            return self._result(scheme, core.run_oracle(self._trace, self._power))
        if isinstance(scheme, Predictive):
            price_uw = round(scheme.price * _uw(self.machine.power.waiting_mw[2]) * self.chips)
            parameters = core.PredictiveParameters(price_uw, _fs(scheme.tolerance_ns), _fs(scheme.hold_ns))
            return self._result(scheme, core.run_predictive(self._trace, self._power, parameters))
        if scheme.tuned:
            return self._thresholds(scheme.with_thresholds(*self._tune()), swept=True)
        return self._thresholds(scheme)

    def _tune(self) -> tuple[int, int]:
        """Return the (nap, powerdown) thresholds of the sweep with the least energy x delay, unmonitored."""
        if self._tuned is None:
            nap_ns, powerdown_ns = self.machine.power.exit_ns[2:]
            naps = [round(times * nap_ns) for times in NAP_SWEEP]
            downs = [round(times * powerdown_ns) for times in POWERDOWN_SWEEP]
            plain = Thresholds("sweep", (0, 0, None))
            self._tuned = min(
                ((nap, down) for nap in naps for down in downs if nap <= down),
                key=lambda after: self._thresholds(plain.with_thresholds(*after)).energy_delay,
            )
        return self._tuned

    def _thresholds(self, scheme: Thresholds, swept: bool = False) -> SchemeResult:
        after = [0, *(core.NEVER_FS if ns is None else _fs(ns) for ns in scheme.after_ns)]
        machine = self.machine
        mrc = core.MrcParameters()
        if scheme.working_set:
            mrc = core.MrcParameters(
                machine.epoch_cycles * machine.cycle_fs, machine.chip_pages, round(machine.epsilon * 1e6)
            )
        return self._result(scheme, core.run_chips(self._trace, self._power, after, mrc), swept)

    def _result(self, scheme: Scheme, run: core.ChipRun, swept: bool = False) -> SchemeResult:
        states, power = core.MOST_CHIP_STATES, self.machine.power
        rows = run.chips().reshape(self.chips, 2 * states + 1)
        waited_s, wakes, accesses = rows[:, :states] / FS, rows[:, states : 2 * states], rows[:, -1]
        waking_mj = np.array(self._exit_fs) / FS * power.exit_mw
        access_mj = _fs(power.access_ns) / FS * power.access_mw
        delay_s = run.total_fs / FS
        return SchemeResult(
            scheme=scheme,
            delay_s=delay_s,
            monitor_mj=self.machine.monitor_mw * delay_s if scheme.monitored else 0.0,
            waited_s=waited_s,
            wakes=wakes,
            accesses=accesses,
            chip_waking_s=wakes @ (np.array(self._exit_fs) / FS),
            chip_mj=waited_s @ np.array(power.waiting_mw) + wakes @ waking_mj + accesses * access_mj,
            mean_working_pages=run.working_pages / run.epochs if run.epochs else None,
            swept=swept,
        )


@dataclass(frozen=True)
class EnergyRun:
    """One program in one machine under several schemes.

    Attributes
    ----------
    chips
        number of chips.
    results
        of the schemes, in the order given.
    bases
        by scheme name, the result it is compared with.
    """

    machine: ChipMachine
    chips: int
    results: list[SchemeResult]
    bases: dict[str, SchemeResult]

    def relative(self, name: str) -> float:
        """Return energy x delay of a scheme relative to its base."""
        result = next(result for result in self.results if result.scheme.name == name)
        return result.energy_delay / self.bases[name].energy_delay


def compare(
    references: ChipReferences,
    machine: ChipMachine,
    schemes: Sequence[Scheme],
    known: Mapping[str, Scheme] = SCHEMES,
    base: Scheme | None = None,
) -> EnergyRun:
    """Run a program under each scheme and its base.

    Parameters
    ----------
    known
        schemes by name, for the lookup of bases.
    base
        compares all schemes with this one instead.

    Raises
    ------
    UserError
        as in `ChipSimulation`.
    """
    simulation = ChipSimulation(references, machine)
    done: dict[str, SchemeResult] = {}

    def result(scheme: Scheme) -> SchemeResult:
        if scheme.name not in done:
            done[scheme.name] = simulation.run(scheme)
        return done[scheme.name]

    results = [result(scheme) for scheme in schemes]
    bases = {scheme.name: result(base or known[scheme.base]) for scheme in schemes}
    return EnergyRun(machine, simulation.chips, results, bases)


def _fs(ns: float) -> int:
    return round(ns * 1e6)


def _uw(mw: float) -> int:
    return round(mw * 1e3)
