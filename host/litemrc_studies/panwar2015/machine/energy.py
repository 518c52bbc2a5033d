# SPDX-License-Identifier: BSD-2-Clause
"""Memory energy of a placement run: used units in standby, others in a low state, and page copies.

The powers are those of `chip_power`. Accesses of programs are left out: the trace lacks them, and they are
equal for all allocators. A migrated page is read and written; each burst is charged as an access that opens
its row, which is an upper bound.
"""

from dataclasses import dataclass

from litemrc.energy.parts.files import find_part
from litemrc.energy.parts.part import SdramPart
from litemrc.errors import UserError, choose_from

from litemrc_studies.panwar2015.machine.placement import PAGE_BYTES, PlacementRun
from litemrc_studies.shared.chip_power import ChipPower, chip_power

OFF = "off"
_STANDBY = 1  # index of the state of a unit in use
_BURST = 8  # transfers per access


@dataclass(frozen=True)
class MemoryPower:
    """The chips of a memory and the states of its units.

    Attributes
    ----------
    part
        name of the chips.
    power
        of one chip.
    chip_bytes, width_bits
        of one chip.
    low_state
        state of units without pages: one of `ChipPower.states`, or OFF, without power.
    """

    part: str
    power: ChipPower
    chip_bytes: float
    width_bits: int
    low_state: str

    @property
    def low_mw(self) -> float:
        """Return the power of a chip without pages."""
        if self.low_state == OFF:
            return 0.0
        return self.power.waiting_mw[self.power.states.index(self.low_state)]


def memory_power(part_name: str, low_state: str) -> MemoryPower:
    """Return the memory power of a part.

    Raises
    ------
    UserError
        an unknown part or chip size, or a state that the part does not have.
    """
    part = find_part(part_name)
    if not isinstance(part, SdramPart):
        raise UserError(
            f"{part.name}: the size of the chip is not known",
            remedy="choose an SDRAM part: litemrc energy --list-parts",
        )
    power = chip_power(part)
    low_states = (*power.states[_STANDBY + 1 :], OFF)
    if low_state not in low_states:
        raise UserError(
            f"{part.name} has no low state {low_state!r}", remedy=choose_from(low_state, low_states)
        )
    return MemoryPower(part.name, power, part.megabits * 2**20 / 8, part.width_bits, low_state)


def run_energy_mj(run: PlacementRun, memory: MemoryPower) -> float:
    """Return the energy of the whole run in mJ."""
    chips = run.placement.memory_bytes / memory.chip_bytes
    offline_s = run.offline_share.sum() * run.tick_s
    online_s = len(run.used) * run.tick_s - offline_s
    waiting = chips * (online_s * memory.power.waiting_mw[_STANDBY] + offline_s * memory.low_mw)
    return waiting + run.copied_pages * page_copy_mj(memory)


def awake_energy_mj(run: PlacementRun, memory: MemoryPower) -> float:
    """Return the energy over the same time with all units in standby, in mJ."""
    chips = run.placement.memory_bytes / memory.chip_bytes
    return chips * len(run.used) * run.tick_s * memory.power.waiting_mw[_STANDBY]


def page_copy_mj(memory: MemoryPower) -> float:
    """Return the energy of a page copy in mJ, by accesses of single chips for any rank width."""
    accesses = 2 * PAGE_BYTES * 8 / (memory.width_bits * _BURST)
    return accesses * memory.power.access_mw * memory.power.access_ns * 1e-9
