"""Frames of the tray machine: who has which, page faults, recycling, migration, and views of all that."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.errors import UserError
from litemrc.machines.trays.hardware import Hardware
from litemrc.native.placement import Allocator, Buddy, PhysicalMemory, Zone
from litemrc.native.tray import Tray as TrayAllocator
from litemrc.native.tray import allocate_pages, free_pages
from litemrc.policies.trays.guidance import Guidance
from litemrc.policies.trays.recycling import Residents, victims
from litemrc.policies.trays.trays import ANYWHERE, Tray, TrayChoice

ALLOCATORS = ("buddy", "tray")
NOBODY, HELD = -1, -2  # owners of frames that no process has
_RECLAIM_SHARE = 1 / 512  # of all pages, that is recycled at once, at least
_HELD_HINT = 1
NO_FRAME = -1


@dataclass
class Space:
    """A process's virtual pages: the frame that backs each, and whether it is on disk instead."""

    frame: NDArray[np.int64]
    on_disk: NDArray[np.bool_]

    @classmethod
    def empty(cls, pages: int) -> "Space":
        return cls(np.full(pages, NO_FRAME, np.int64), np.zeros(pages, bool))

    def grow(self, pages: int) -> None:
        if pages > self.frame.size:
            more = Space.empty(max(pages, 2 * self.frame.size) - self.frame.size)
            self.frame = np.concatenate([self.frame, more.frame])
            self.on_disk = np.concatenate([self.on_disk, more.on_disk])


class Memory:
    """All frames of a machine.

    Parameters:
        allocator: `buddy`, which knows no trays and takes no guidance, or `tray`.

    Attributes:
        owner, page, color: int64[frames], the process that has a frame, its virtual page, the color's number.
        last_used: int64[frames], the larger the later.
        file: bool[frames], pages of files.
        colors: the number of each process's color; without a color all processes are one, -1.
        recycled, migrated: pages so far.
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
        """The on-demand view: each tray and what is free of it (section 5.3).

        Parameters:
            asleep: of each rank, if that is known.
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
        space = self._spaces.setdefault(process, Space.empty(max(pages, 1)))
        space.grow(pages)
        return space

    def touch(
        self, process: int, pages: NDArray[np.int64], file: NDArray[np.bool_] | bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Back pages that are not, and remember that all were used now.

        Parameters:
            file: of each page or all: is it that of a file?

        Returns:
            the frame of each; where a page of zeros was given; where one was read from disk.

        Raises:
            UserError: nothing that may go makes room.
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
                self._back(process, color, mine)
            self.file[space.frame[wanted]] = np.broadcast_to(file, pages.shape)[faults]
        return space.frame[pages], fresh, read

    def recolor(self, process: int, begin: int, end: int) -> None:
        """Colors of a range have changed: its pages count as of the new ones, and stay where they are."""
        space = self.space(process, end)
        backed = begin + np.flatnonzero(space.frame[begin:end] >= 0)
        for color, pages in self._by_color(process, backed):
            self.color[space.frame[pages]] = self._number(process, color)

    def release(self, process: int, begin: int, end: int) -> None:
        """Give back what backs a virtual range; nothing of it is kept on disk."""
        space = self.space(process, end)
        frames = space.frame[begin:end]
        self._free(frames[frames >= 0])
        frames[:] = NO_FRAME
        space.on_disk[begin:end] = False

    def exit(self, process: int) -> None:
        """A process gives everything back."""
        if process in self._spaces:
            self.release(process, 0, self._spaces[process].frame.size)
            del self._spaces[process]
        self.guidance.exit(process)

    def hold(self, pages: int) -> NDArray[np.int64]:
        """Frames of pages that nobody uses: so many, fewer if there is no room."""
        frames = allocate_pages(self.allocator, pages, hint=_HELD_HINT if self.guided else 0)
        frames = frames.astype(np.int64)
        self.owner[frames] = HELD
        return frames

    def let_go(self, frames: NDArray[np.int64]) -> None:
        """Free pages that were held, the first one first."""
        self._free(frames)

    def migrate(self, frames: NDArray[np.int64], tray: int) -> NDArray[np.int64]:
        """Copy pages into another tray, as many as find room; where they are now.

        Raises:
            ValueError: the allocator knows no trays.
        """
        if not self.guided:
            raise ValueError("only trays can be migrated to")
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
        """All that have pages, or had."""
        return list(self._spaces)

    def _by_color(self, process: int, pages: NDArray[np.int64]):
        """Pages of one color each, in their order."""
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

    def _back(self, process: int, color: str | None, pages: NDArray[np.int64]) -> None:
        choice = self.guidance.choice(process, color) if self.guided else ANYWHERE
        number = self._number(process, color)
        hint = self._hint(number, choice)
        frames = allocate_pages(self.allocator, pages.size, hint=hint)
        while frames.size < pages.size:
            self._recycle(process, pages.size - frames.size, choice, number)
            more = allocate_pages(self.allocator, pages.size - frames.size, hint=hint)
            frames = np.concatenate([frames, more])
        frames = frames.astype(np.int64)
        self.owner[frames], self.page[frames], self.color[frames] = process, pages, number
        self.last_used[frames] = self._tick
        self._spaces[process].frame[pages] = frames

    def _number(self, process: int, color: str | None) -> int:
        return self.colors.setdefault((process if color else -1, color), len(self.colors))

    def _recycle(self, process: int, count: int, choice: TrayChoice, color: int) -> None:
        """Make room where `choice` wants it; what is used right now stays."""
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
        if not oldest.size and choice.recycle_locally:  # the color has nothing there yet
            oldest = victims(residents, wanted, trays=trays)
        if not oldest.size:
            raise UserError(
                f"process {process} needs {count:,} pages more at once than may be recycled",
                where=f"trays {', '.join(map(str, trays))}" if trays else "",
                remedy="allow it more trays, or give it less to hold",
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
        """The allocator's number for pages of one use under one choice of trays."""
        if not self.guided:
            return 0
        key = (use, choice)
        if key not in self._hints:
            # One number a use as long as its trays stay the same: similar use stays together.
            self._hints[key] = _HELD_HINT + 1 + len(self._hints)
            self.allocator.guide(self._hints[key], list(choice.preferred), choice.bound)
        return self._hints[key]


def _physical(hardware: Hardware) -> PhysicalMemory:
    """One normal zone a node: memory above 4 GiB, so that all trays are alike."""
    of_node = hardware.pages // hardware.nodes
    zones = [Zone(node=node, kind=2, first=node * of_node, frames=of_node) for node in range(hardware.nodes)]
    return PhysicalMemory(
        frames=hardware.pages, unit_frames=hardware.tray_pages, stripe_frames=0, zones=zones
    )
