# SPDX-License-Identifier: BSD-2-Clause
"""Views of the tray memory: the feedback of Jantz et al. 2013, section 5.3.

`Memory.trays` is the view by tray; these functions give the views by process and color.
"""

import numpy as np
from numpy.typing import NDArray

from litemrc_studies.jantz2013.machine.memory import Memory


def backing(memory: Memory, process: int, begin: int, end: int) -> NDArray[np.int64]:
    """Return int64[trays], the pages of a virtual range on each tray (the other tool of section 5.3)."""
    frames = memory.space(process, end).frame[begin:end]
    return np.bincount(memory.tray_of(frames[frames >= 0]), minlength=memory.hardware.trays)


def by_color(memory: Memory) -> dict[tuple[int | None, str | None], NDArray[np.int64]]:
    """Return int64[trays], pages on each tray, by (process, color); (None, None) for uncolored pages."""
    frames = np.flatnonzero(memory.owner >= 0)
    return {
        (None if process < 0 else process, color): np.bincount(
            memory.tray_of(frames[memory.color[frames] == number]), minlength=memory.hardware.trays
        )
        for (process, color), number in memory.colors.items()
    }


def free_to_move(memory: Memory, frames: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each frame of a process whether neither memnice nor a color binds its page to trays."""
    names = list(memory.colors)
    uses, of_use = np.unique(
        np.stack([memory.owner[frames], memory.color[frames]]), axis=1, return_inverse=True
    )
    bound = [memory.guidance.choice(owner, names[color][1]).bound for owner, color in uses.T.tolist()]
    return ~np.array(bound, bool)[of_use.ravel()] if bound else np.zeros(0, bool)


def outside(memory: Memory, process: int) -> int:
    """Return the pages of a process on trays that its memnice forbids."""
    allowed = memory.guidance.nice.allowed(process)
    if allowed is None or process not in memory.processes():
        return 0
    frames = memory.space(process).frame
    return int((~np.isin(memory.tray_of(frames[frames >= 0]), allowed)).sum())
