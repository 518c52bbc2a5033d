"""What the memory of a placement run draws: units in use in standby, the others in a low state; and copying.

The powers are those of `chip_power`; accesses of programs are left out, for the trace does not tell them, and
they are the same whatever the allocator. A page that migration copies is read and written; each burst is
charged as an access of its own, which opens its row: an upper bound.
"""

from dataclasses import dataclass

from litemrc.energy.chip_power import ChipPower, chip_power
from litemrc.energy.parts.files import find_part
from litemrc.energy.parts.part import SdramPart
from litemrc.errors import UserError
from litemrc.machines.placement.machine import PAGE_BYTES, PlacementRun

OFF = "off"
_STANDBY = 1  # index of the state that a unit in use waits in
_BURST = 8  # transfers of an access


@dataclass(frozen=True)
class MemoryPower:
    """The chips of a memory, and what its units wait in.

    Attributes:
        part: name of the chips.
        power: what one draws.
        chip_bytes, width_bits: of one.
        low_state: what units without pages are in: one of `ChipPower.states`, or OFF, which draws nothing.
    """

    part: str
    power: ChipPower
    chip_bytes: float
    width_bits: int
    low_state: str

    @property
    def low_mw(self) -> float:
        """Of a chip without pages."""
        if self.low_state == OFF:
            return 0.0
        return self.power.waiting_mw[self.power.states.index(self.low_state)]


def memory_power(part_name: str, low_state: str) -> MemoryPower:
    """The memory made of a part.

    Raises:
        UserError: no such part, one whose size is not known, or a state it does not have.
    """
    part = find_part(part_name)
    if not isinstance(part, SdramPart):
        raise UserError(
            f"{part.name}: the size of the chip is not known",
            remedy="choose a part of synchronous DRAM: litemrc energy --list-parts",
        )
    power = chip_power(part)
    low_states = (*power.states[_STANDBY + 1 :], OFF)
    if low_state not in low_states:
        raise UserError(
            f"{part.name} has no low state {low_state!r}", remedy=f"choose of {', '.join(low_states)}"
        )
    return MemoryPower(part.name, power, part.megabits * 2**20 / 8, part.width_bits, low_state)


def run_energy_mj(run: PlacementRun, memory: MemoryPower) -> float:
    """Of the whole run, mJ."""
    chips = run.placement.memory_bytes / memory.chip_bytes
    offline_s = run.offline_share.sum() * run.tick_s
    online_s = len(run.used) * run.tick_s - offline_s
    waiting = chips * (online_s * memory.power.waiting_mw[_STANDBY] + offline_s * memory.low_mw)
    return waiting + run.copied_pages * page_copy_mj(memory)


def awake_energy_mj(run: PlacementRun, memory: MemoryPower) -> float:
    """The same time with all units in standby, mJ."""
    chips = run.placement.memory_bytes / memory.chip_bytes
    return chips * len(run.used) * run.tick_s * memory.power.waiting_mw[_STANDBY]


def page_copy_mj(memory: MemoryPower) -> float:
    """Of reading and writing a page, mJ: accesses of single chips, whatever a rank is made of."""
    accesses = 2 * PAGE_BYTES * 8 / (memory.width_bits * _BURST)
    return accesses * memory.power.access_mw * memory.power.access_ns * 1e-9
