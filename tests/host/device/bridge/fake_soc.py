# SPDX-License-Identifier: BSD-2-Clause
"""A SoC's registers as plain numbers, behind LiteX's own server: a monitor whose epochs tests know."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from litemrc.device.bridge.layout import layout
from litemrc_gateware.counters.totals import TOTALS
from litex.tools.litex_server import RemoteServer

GROUPS, CONTEXTS, DOMAINS = 4, 2, 2
ROW = 2 * GROUPS
FRAMES, HOT_PAGES = 64, 128
LIST = CONTEXTS * ROW + 2 * FRAMES // 32  # word of the list of hot pages
WINDOW = 0xB000_0000
RANKS_WINDOW = 0xB001_0000
SCRATCH = 0x0004
CAPABILITIES = {
    "capabilities": {"page_shift": 12, "frames_log2": 6, "groups_log2": 2, "contexts_log2": 1}
    | {"queue_log2": 9, "engine": 2, "ranks": 1},
    "stack_capabilities": {"pages_log2": 6, "recent_pages": 1},
}


def counters_of(epoch: int, context: int) -> dict[str, object]:
    """What the fake monitor counts for a context in an epoch: sum(hits) + misses == accesses."""
    hits = [1000 * epoch + 10 * context + group for group in range(GROUPS)]
    return {"hits": hits, "misses": 7 + epoch, "accesses": sum(hits) + 7 + epoch, "touched": 3 + context}


def frames_of(epoch: int) -> tuple[set[int], set[int]]:
    """The frames accessed, and written, in an epoch of the fake monitor."""
    accessed = {(epoch + n * n) % FRAMES for n in range(5)} if epoch % 4 else set()
    return accessed, {frame for frame in accessed if frame % 2}


def hot_of(epoch: int) -> list[tuple[int, int]]:
    """The hot pages of an epoch with their counts: 0, 30 or 60 of them."""
    return [((epoch + 7 * n) % FRAMES, 500 - n) for n in range(30 * (epoch % 3))]


class FakeSoC:
    """The bus of a SoC: `words` by address; the methods are LiteX's interface of a bridge.

    Attributes
    ----------
    before_read
        called with each address before it is read: what the hardware does meanwhile.
    on_write
        called with each address and word after it was written.
    queue
        the hot pages that wait.

    Parameters
    ----------
    pages
        the monitor has a page bitmap and hot pages.
    """

    def __init__(
        self, monitors: tuple[str, ...] = ("mrc",), *, ranks: bool = False, pages: bool = False
    ) -> None:
        self.words: dict[int, int] = {SCRATCH: 0x12345678}
        self.places: dict[str, tuple[int, int]] = {"ctrl_scratch": (SCRATCH, 1)}
        self.regions = {"csr": (0, 65536), "main_ram": (0x4000_0000, 64 << 12)}
        self.before_read: Callable[[int], None] = lambda address: None
        self.on_write: Callable[[int, int], None] = lambda address, word: None
        self.pages, self.queue = pages, list[int]()
        for number, name in enumerate(monitors):
            self._add_block(0x1000 * (number + 1), "mrc", name)
            self.regions[f"{name}_window"] = (WINDOW + 0x1_0000 * 16 * number, 4 * CONTEXTS * ROW)
            for register, fields in CAPABILITIES.items():
                self.set(f"{name}_{register}", **fields)
            if pages:
                words = LIST + 2 * HOT_PAGES
                self.regions[f"{name}_window"] = (self.regions[f"{name}_window"][0], 4 * words)
                self.set(f"{name}_stack_capabilities", page_bitmap=1, hot_pages_log2=7)
                self.set(f"{name}_hot_control", reads=1, writes=1)
            else:
                self.places = {n: at for n, at in self.places.items() if not n.startswith(f"{name}_hot_")}
            self.set(f"{name}_control", hold=1)
            self.set(f"{name}_status", idle=1)
        if ranks:
            self._add_block(0x8000, "ranks", "ranks")
            self.regions["ranks_window"] = (RANKS_WINDOW, 4 * (16 * DOMAINS + CONTEXTS))
            self.set("ranks_capabilities", domains_log2=1, states=0b01111)

    def _add_block(self, base: int, kind: str, name: str) -> None:
        for register in layout().fields[kind]:
            words = 2 if register == "state" else 1
            self.places[f"{name}_{register}"] = base, words
            self.words[base] = 0
            base += 4 * words
        self.words[self.places[f"{name}_version"][0]] = layout().versions[kind]

    def fields_of(self, register: str) -> dict[str, tuple[int, int]]:
        name, _, short = register.partition("_")
        return layout().fields["ranks" if name == "ranks" else "mrc"][short]

    def get(self, register: str, field: str | None = None) -> int:
        """A register, or one of its fields."""
        word = self.words[self.places[register][0]]
        if field is None:
            return word
        shift, bits = self.fields_of(register)[field]
        return word >> shift & (1 << bits) - 1

    def word(self, register: str, **fields: int) -> int:
        """The word of a register with these fields."""
        return sum(value << self.fields_of(register)[field][0] for field, value in fields.items())

    def set(self, register: str, word: int | None = None, **fields: int) -> None:
        """Set a register, or some of its fields."""
        address, _ = self.places[register]
        if word is not None:
            self.words[address] = word
        for field, value in fields.items():
            shift, bits = self.fields_of(register)[field]
            self.words[address] = self.words[address] & ~((1 << bits) - 1 << shift) | value << shift

    def end_epoch(self, used: tuple[int, ...] = (0, 1), monitor: str = "mrc") -> None:
        """An epoch with accesses in these contexts reaches the window."""
        epoch = self.get(f"{monitor}_epoch")
        self.fill_window(epoch, used, monitor)
        self.set(f"{monitor}_epoch", epoch + 1)
        self.set(f"{monitor}_epoch_dropped", 40 + epoch)
        self.set(f"{monitor}_status", epoch_ready=1, epoch_due=0)

    def fill_window(self, epoch: int, used: tuple[int, ...] = (0, 1), monitor: str = "mrc") -> None:
        base, _ = self.regions[f"{monitor}_window"]
        for context in range(CONTEXTS):
            counted = counters_of(epoch, context)
            row = [*counted["hits"], *(counted[total] for total in TOTALS)]
            for word, value in enumerate(row):
                self.words[base + 4 * (context * ROW + word)] = value if context in used else 0
        if self.pages:
            self._fill_pages(base, epoch, monitor)

    def _fill_pages(self, base: int, epoch: int, monitor: str) -> None:
        for kind, frames in enumerate(frames_of(epoch)):
            bits = sum(1 << frame for frame in frames)
            for word in range(FRAMES // 32):
                place = CONTEXTS * ROW + kind * FRAMES // 32 + word
                self.words[base + 4 * place] = bits >> 32 * word & 0xFFFF_FFFF
        listed = hot_of(epoch)
        for word, value in enumerate(value for page in listed for value in page):
            self.words[base + 4 * (LIST + word)] = value
        self.set(f"{monitor}_hot_status", listed=len(listed), more=epoch % 2, saturated=0)
        self.set(f"{monitor}_hot_accesses", 500 * len(listed) + epoch)

    def hot(self, *frames: int, overflow: bool = False) -> None:
        """Pages become hot and are queued."""
        self.queue += frames
        self._show_queue()
        self.set("mrc_hot_status", queue_overflow=overflow)

    def _show_queue(self) -> None:
        self.set("mrc_hot_queue", frame=self.queue[0] if self.queue else 0, valid=bool(self.queue))

    # LiteX's interface of a bridge.

    def open(self) -> None: ...

    def close(self) -> None: ...

    def read(self, address: int, length: int, burst: str) -> list[int]:
        found = []
        for place in range(address, address + 4 * length, 4):
            self.before_read(place)
            found.append(self.words.get(place, 0))
        return found

    def write(self, address: int, data: list[int]) -> None:
        for number, word in enumerate(data):
            place = address + 4 * number
            self.words[place] = word
            for name, (register, _) in self.places.items():
                if place == register and name.endswith("_hot_command"):
                    if word & 1:
                        self.queue.pop(0)
                        self._show_queue()
                    if word & 2:
                        self.set("mrc_hot_status", queue_overflow=0)
                elif place == register and name.endswith("_command") and not name.startswith("ranks"):
                    self._obey(name.removesuffix("_command"), word)
            self.on_write(place, word)

    def _obey(self, monitor: str, word: int) -> None:
        shifts = layout().fields["mrc"]["command"]
        given = {name for name, (shift, _) in shifts.items() if word >> shift & 1}
        if "release" in given:
            self.set(f"{monitor}_status", epoch_ready=0)
        if "acknowledge" in given:
            self.set(f"{monitor}_status", command_lost=0)
        if "end_epoch" in given:
            self.end_epoch(monitor=monitor)

    def csr_json(self) -> str:
        """The csr.json of this SoC."""
        constants = {"config_csr_data_width": 32, "config_bus_address_width": 32}
        constants |= {"config_clock_frequency": 50_000_000, "config_dram_part": "mt41k64m16"}
        constants |= {"config_dram_chips": 1, "config_dram_phases": 4}
        return json.dumps(
            {
                "csr_registers": {n: {"addr": a, "size": w} for n, (a, w) in self.places.items()},
                "memories": {n: {"base": b, "size": s} for n, (b, s) in self.regions.items()},
                "constants": constants,
            }
        )


class Server(RemoteServer):
    """LiteX's server, whose threads end with its socket."""

    def _serve_thread(self) -> None:
        with suppress(OSError, AttributeError):
            super()._serve_thread()


@contextmanager
def served(soc: FakeSoC, folder: Path) -> Iterator[str]:
    """Serve a SoC by LiteX's server; yields the URL of its device."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "csr.json").write_text(soc.csr_json())
    server = Server(soc, "127.0.0.1", port)
    server.open()
    server.start(1)
    try:
        yield f"litex://127.0.0.1:{port}?csr={folder / 'csr.json'}"
    finally:
        server.socket.shutdown(socket.SHUT_RDWR)
        server.close()
