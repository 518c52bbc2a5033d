# SPDX-License-Identifier: BSD-2-Clause
"""liblitemrc_model through ctypes, built in the sizes the tests need."""

import ctypes
import os
import subprocess
from ctypes import c_char_p, c_int, c_uint32, c_uint64, c_void_p
from pathlib import Path

from litemrc_gateware.stacks import engines

from tests.models.named_registers import LibraryBus, NamedRegisters, register_blocks
from tests.products import REPO, alone_in

PREFIX = "litemrc_model_"
ENGINES = {name: engine.number for name, engine in engines.ENGINES.items()}
# engine.frames.pages.groups.contexts.recent_pages.domains; the third samples, the fourth has tiny groups.
SIZES = (
    "1.256.256.16.4.4.0",
    "2.256.256.16.4.1.0",
    "2.1024.256.16.4.3.0",
    "1.64.64.64.1.1.0",
    "1.256.256.16.4.4.4",
)
# Memories with page bitmap, hot pages and reference counters.
HOT_PAGES = 64  # a quarter of the frames
PAGES = (f"256.{HOT_PAGES}",)
_ARGUMENTS = {
    "version": [],
    "sizes": [],
    "create": [c_uint32] * 8,
    "set_memory": [c_void_p, c_uint64, c_uint64] + [c_uint32] * 3,
    "set_caches": [c_void_p] + [c_uint32] * 5,
    "access": [c_void_p, c_uint64, c_int],
    "access_frame": [c_void_p, c_uint32, c_int],
    "log": [c_void_p, c_char_p],
    "set_time": [c_void_p, c_uint64],
    "set_ranks": [c_void_p, c_uint32, c_int] + [c_uint32] * 3,
    "bus_read": [c_void_p, c_uint32],
    "bus_write": [c_void_p, c_uint32, c_uint32],
    "request": [c_void_p, c_uint32, c_int, c_uint32, c_uint32],
}
_RESULTS = {"create": c_void_p, "sizes": c_char_p, "bus_map": c_char_p, "dram_accesses": c_uint64}


def build(out: Path, flags: str = "") -> Path:
    """Compiles the library in SIZES; returns its path."""
    settings = [
        f"OUT={out}",
        f"SIZES={' '.join(SIZES)}",
        f"PAGES={' '.join(PAGES)}",
        f"EXTRA_CXXFLAGS={flags}",
    ]
    environment = {**os.environ, "MAKEFLAGS": ""}
    with alone_in(out):
        subprocess.run(["make", "-s", "-C", REPO / "models", *settings], check=True, env=environment)
    return out / "liblitemrc_model.so"


class Model(NamedRegisters):
    """One monitor; the functions of litemrc_model.h are its methods.

    Parameters
    ----------
    library
        path of liblitemrc_model.so.
    size
        one of SIZES.
    hot_pages
        0, or HOT_PAGES if its memory is one of PAGES.
    """

    def __init__(self, library: Path, size: str, hot_pages: int = 0) -> None:
        self._library = ctypes.CDLL(str(library))
        self.engine, self.frames, self.pages, self.groups, self.contexts, self.recent_pages, self.power = map(
            int, size.split(".")
        )
        self._handle = self._call("create", *map(int, size.split(".")), hot_pages)
        assert self._handle, f"{size} was not compiled"
        self.blocks = register_blocks(LibraryBus(self.bus_read, self.bus_write), self.bus_map().decode())

    def __getattr__(self, name: str):
        return lambda *arguments: self._call(name, self._handle, *arguments)

    def _call(self, name: str, *arguments):
        function = self._library[PREFIX + name]
        function.argtypes = _ARGUMENTS.get(name, [c_void_p])
        function.restype = _RESULTS.get(name, c_uint32)
        return function(*arguments)

    def window_rows(self) -> list[list[int]]:
        """The window as [context][2 * groups]."""
        row = 2 * self.groups
        return [self.mrc.window(context * row, row) for context in range(self.contexts)]

    def sizes(self) -> list[str]:
        return self._call("sizes").decode().split()
