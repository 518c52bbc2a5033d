# SPDX-License-Identifier: BSD-2-Clause
"""Frames of the tray machine: ownership, page faults, reclaim and migration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from litemrc.errors import UserError
from numpy.typing import NDArray

from litemrc_studies._core import Allocator, Buddy, PhysicalMemory, Zone, allocate_pages, free_pages
from litemrc_studies._core import Tray as TrayAllocator
from litemrc_studies.jantz2013.machine.hardware import Hardware
from litemrc_studies.jantz2013.policies.guidance import Guidance
from litemrc_studies.jantz2013.policies.recycling import Residents, victims
from litemrc_studies.jantz2013.policies.trays import ANYWHERE, Tray, TrayChoice

ALLOCATORS = ("buddy", "tray")
NOBODY, HELD = -1, -2  # owners of frames without a process
_RECLAIM_SHARE = 1 / 512  # least share of all pages that is reclaimed at once
NO_FRAME = -1


@dataclass
class Space:
    """A process's virtual pages: the frame of each, and whether it is on disk."""

    frame: NDArray[np.int64]
    on_disk: NDArray[np.bool_]

    @classmethod
    def empty(cls, pages: int) -> "Space":
        return cls(np.full(pages, NO_FRAME, np.int64), np.zeros(pages, bool))

    def grow(self, pages: int) -> None:
        if pages > self.frame.size:
            more = Space.empty(pages)  # it at least doubles
            self.frame = np.concatenate([self.frame, more.frame])
            self.on_disk = np.concatenate([self.on_disk, more.on_disk])


class Memory:
    """All frames of a machine.

    Parameters
    ----------
    allocator
        `buddy`, without trays and guidance, or `tray`.

    Attributes
    ----------
    owner, page, color
        int64[frames], the frame's process, virtual page, and color number.
    last_used
        int64[frames], time of the last use.
    file
        bool[frames], file pages.
    colors
        color number by (process, color); all uncolored pages have process -1.
    recycled, migrated
        pages so far.
    """

    def __init__(self, hardware: Hardware, allocator: str) -> None:
        self.hardware = hardware
        self.physical = _physical(hardware)
        self.guided = allocator == "tray"
        self.allocator: Allocator = (TrayAllocator if self.guided else Buddy)(self.physical)
        self.owner = np.full(hardware.pages, NOBODY, np.int64)
        self.page, self.color, self.last_used = (np.zeros(hardware.pages, np.int64) for _ in range(3))
        self.file = np.zeros(hardware.pages, bool)
        self.recycled = self.migrated = 0
        self.guidance = Guidance(self.trays())
        self._spaces: dict[int, Space] = {}
        self._tick = 1
        self._hints: dict[tuple[int | None, TrayChoice], int] = {}
        self.colors: dict[tuple[int, str | None], int] = {}

    def trays(self, asleep: Sequence[bool] = ()) -> list[Tray]:
        """Return the on-demand view: each tray and its free pages (section 5.3).

        Parameters
        ----------
        asleep
            for each rank, if known.
        """
        counted = np.arange(self.hardware.trays).repeat(self.hardware.tray_pages)
        free = np.bincount(counted[self.owner == NOBODY], minlength=self.hardware.trays)
        used = np.bincount(counted[self.owner >= 0], minlength=self.hardware.trays)
        return [
            Tray(
                number,
                self.hardware.node(number),
                self.hardware.tray_pages,
                int(free[number]),
                int(used[number]),
                bool(asleep[number]) if asleep else False,
            )
            for number in range(self.hardware.trays)
        ]

    def tray_of(self, frames: NDArray[np.int64]) -> NDArray[np.int64]:
        return frames // self.hardware.tray_pages

    def space(self, process: int, pages: int = 0) -> Space:
        space = self._spaces.get(process)
        if space is None:
            space = self._spaces[process] = Space.empty(pages)
        space.grow(pages)
        return space

    def touch(
        self,
        process: int,
        pages: NDArray[np.int64],
        file: NDArray[np.bool_] | bool = False,
        node: int = 0,
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Fault absent pages in and mark all pages as used now.

        Parameters
        ----------
        file
            whether each page, or all, are file pages.
        node
            of the processor; pages without a color for a node come from it while it has room.

        Returns
        -------
        the frame of each page; whether it was zero-filled; whether it was read from disk.

        Raises
        ------
        UserError
            no page can be reclaimed.
        """
        self._tick += 1
        space = self.space(process, int(pages.max()) + 1)
        fresh, read = np.zeros(pages.size, bool), np.zeros(pages.size, bool)
        there = space.frame[pages]
        self.last_used[there[there >= 0]] = self._tick
        absent = np.flatnonzero(there < 0)
        if absent.size:
            _, first = np.unique(pages[absent], return_index=True)
            faults = absent[np.sort(first)]
            wanted = pages[faults]
            read[faults], fresh[faults] = space.on_disk[wanted], ~space.on_disk[wanted]
            for color, mine in self._by_color(process, wanted):
                self._back(process, color, mine, node)
            self.file[space.frame[wanted]] = np.broadcast_to(file, pages.shape)[faults]
        return space.frame[pages], fresh, read

    def recolor(self, process: int, begin: int, end: int) -> None:
        """Update the colors of a range's resident pages; the pages stay in place."""
        space = self.space(process, end)
        backed = begin + np.flatnonzero(space.frame[begin:end] >= 0)
        for color, pages in self._by_color(process, backed):
            self.color[space.frame[pages]] = self._number(process, color)

    def release(self, process: int, begin: int, end: int) -> None:
        """Free a virtual range, in memory and on disk."""
        space = self.space(process, end)
        frames = space.frame[begin:end]
        self._free(frames[frames >= 0])
        frames[:] = NO_FRAME
        space.on_disk[begin:end] = False

    def exit(self, process: int) -> None:
        """Free all pages of a process."""
        if process in self._spaces:
            self.release(process, 0, self._spaces[process].frame.size)
            del self._spaces[process]
        self.guidance.exit(process)

    def hold(self, pages: int) -> NDArray[np.int64]:
        """Allocate frames that no process uses: `pages`, or fewer if memory is full."""
        frames = allocate_pages(self.allocator, pages, hint=self._hint(HELD, ANYWHERE))
        frames = frames.astype(np.int64)
        self.owner[frames] = HELD
        return frames

    def let_go(self, frames: NDArray[np.int64]) -> None:
        """Free held pages, the first one first."""
        self._free(frames)

    def migrate(self, frames: NDArray[np.int64], tray: int) -> NDArray[np.int64]:
        """Copy pages to another tray while it has room, and return their new frames.

        Raises
        ------
        ValueError
            the allocator has no trays.
        """
        if not self.guided:
            raise ValueError("pages can be migrated with allocator tray only")
        to = allocate_pages(
            self.allocator, frames.size, hint=self._hint(None, TrayChoice((tray,), True))
        ).astype(np.int64)
        moved = frames[: to.size]
        for of_frame in (self.owner, self.page, self.color, self.last_used, self.file):
            of_frame[to] = of_frame[moved]
        for process in np.unique(self.owner[moved]).tolist():
            mine = self.owner[moved] == process
            self._spaces[process].frame[self.page[moved[mine]]] = to[mine]
        self._free(moved)
        self.migrated += to.size
        return to

    def processes(self) -> list[int]:
        """Return all processes that have, or had, pages."""
        return list(self._spaces)

    def _by_color(
        self, process: int, pages: NDArray[np.int64]
    ) -> Iterator[tuple[str | None, NDArray[np.int64]]]:
        """Yield the pages of each color, in their order."""
        if not self.guided:
            yield None, pages
        if not self.guided or not pages.size:
            return
        ranges = list(self.guidance.colors(process, int(pages.min()), int(pages.max()) + 1))
        begins = np.array([begin for begin, _, _ in ranges])
        colors = [color for _, _, color in ranges]
        names = list(dict.fromkeys(colors))
        of_range = np.array([names.index(color) for color in colors])
        of_page = of_range[np.searchsorted(begins, pages, side="right") - 1]
        for number, name in enumerate(names):
            if (of_page == number).any():
                yield name, pages[of_page == number]

    def _back(self, process: int, color: str | None, pages: NDArray[np.int64], node: int) -> None:
        choice = self.guidance.choice(process, color) if self.guided else ANYWHERE
        number = self._number(process, color)
        hint = self._hint(number, choice)
        frames = allocate_pages(self.allocator, pages.size, node=node, hint=hint)
        while frames.size < pages.size:
            self._recycle(process, pages.size - frames.size, choice, number)
            more = allocate_pages(self.allocator, pages.size - frames.size, node=node, hint=hint)
            frames = np.concatenate([frames, more])
        frames = frames.astype(np.int64)
        self.owner[frames], self.page[frames], self.color[frames] = process, pages, number
        self.last_used[frames] = self._tick
        self._spaces[process].frame[pages] = frames

    def _number(self, process: int, color: str | None) -> int:
        return self.colors.setdefault((process if color else -1, color), len(self.colors))

    def _recycle(self, process: int, count: int, choice: TrayChoice, color: int) -> None:
        """Reclaim pages on the trays of `choice`; pages in use now stay."""
        frames = np.flatnonzero(self.owner >= 0)
        residents = Residents(
            self.last_used[frames],
            self.tray_of(frames),
            self.color[frames],
            self.file[frames],
            self.last_used[frames] == self._tick,
        )
        trays = choice.preferred if choice.bound else None
        wanted = max(count, int(self.hardware.pages * _RECLAIM_SHARE))
        oldest = victims(residents, wanted, trays=trays, color=color if choice.recycle_locally else None)
        if not oldest.size and choice.recycle_locally:  # the color has no page there yet
            oldest = victims(residents, wanted, trays=trays)
        if not oldest.size:
            raise UserError(
                f"process {process} needs {count:,} pages more than can be reclaimed",
                where=f"trays {', '.join(map(str, trays))}" if trays else "",
                remedy="allow it more trays, or reduce its resident set",
            )
        gone = frames[oldest]
        for owner in np.unique(self.owner[gone]).tolist():
            pages = self.page[gone[self.owner[gone] == owner]]
            self._spaces[owner].frame[pages] = NO_FRAME
            self._spaces[owner].on_disk[pages] = True
        self._free(gone)
        self.recycled += gone.size

    def _free(self, frames: NDArray[np.int64]) -> None:
        self.owner[frames] = NOBODY
        free_pages(self.allocator, frames.astype(np.uint32))

    def _hint(self, use: int | None, choice: TrayChoice) -> int:
        """Return the allocator's hint number for pages of one use under one choice of trays."""
        if not self.guided:
            return 0
        key = (use, choice)
        if key not in self._hints:
            # One number per use and choice of trays keeps similar pages together.
            self._hints[key] = len(self._hints)
            self.allocator.guide(self._hints[key], list(choice.preferred), choice.bound)
        return self._hints[key]


def _physical(hardware: Hardware) -> PhysicalMemory:
    """Return one normal zone per node (memory above 4 GiB), so that all trays are equal."""
    of_node = hardware.pages // hardware.nodes
    zones = [Zone(node=node, kind=2, first=node * of_node, frames=of_node) for node in range(hardware.nodes)]
    return PhysicalMemory(
        frames=hardware.pages, unit_frames=hardware.tray_pages, stripe_frames=0, zones=zones
    )
