# SPDX-License-Identifier: BSD-2-Clause
"""The model's registers and windows by name, through its bus."""

import json
from pathlib import Path

from litedram.common import GeomSettings
from litedram.phy import dfi
from litemrc_gateware.export.registers import Register, registers_of
from litemrc_gateware.monitor.monitor import Monitor
from litemrc_gateware.ranks.registers import RankRegisters
from litemrc_gateware.refs.registers import RefCounterRegisters
from litemrc_gateware.tap.dram_tap import DRAMTap

from tests.models.model_library import ENGINES, HOT_PAGES, Model

SIZE = "1.256.256.16.4.4.4"
BLOCKS = ("mrc", "ranks", "refs")


def gateware(model: Model) -> dict[str, list[Register]]:
    """The registers of the gateware in the model's sizes."""
    names = {number: name for name, number in ENGINES.items()}

    def add(soc) -> None:
        # 256 frames of 4 KiB in the model's ranks.
        geom = GeomSettings(bankbits=1, rowbits=8, colbits=8)
        pins = dfi.Interface(addressbits=13, bankbits=1, nranks=model.power, databits=16)
        soc.tap = DRAMTap(pins, geom, column_bytes=2)
        soc.mrc = Monitor(
            soc.tap,
            groups=model.groups,
            contexts=model.contexts,
            queue_depth=2,
            engine=names[model.engine],
            recent_pages=model.recent_pages,
            page_bitmap=True,
            hot_pages=HOT_PAGES,
            domains=model.power,
        )
        soc.ranks = RankRegisters(model.power, virtual=False, groups=model.groups, partial=True)
        soc.refs = RefCounterRegisters(model.frames, 4, 8, 12, 512, page_shift=12)

    return registers_of(add, BLOCKS)


class ModelBus:
    """Registers by block and name, `windows` by block."""

    def __init__(self, library: Path, hot_pages: int = HOT_PAGES, access_bytes: int = 0) -> None:
        self.model = Model(library, SIZE, hot_pages)
        if access_bytes:
            assert self.model.set_memory(0, self.model.frames << 12, 12, access_bytes, 2) == 0
        self.map = json.loads(self.model.bus_map())
        self.registers = gateware(self.model)
        self._places = {
            (block, each.name): self.map["blocks"][block] + each.offset
            for block, found in self.registers.items()
            if block in self.map["blocks"]
            for each in found
        }

    def read(self, block: str, name: str) -> int:
        return self.model.bus_read(self._places[block, name])

    def write(self, block: str, name: str, value: int) -> None:
        self.model.bus_write(self._places[block, name], value)

    def fields(self, block: str, name: str) -> dict[str, int]:
        (register,) = (each for each in self.registers[block] if each.name == name)
        word = self.read(block, name)
        return {f.name: word >> f.offset & (1 << f.size) - 1 for f in register.fields}

    def window(self, block: str, first: int, words: int) -> list[int]:
        base, size = self.map["regions"][f"{block}_window"]
        assert 4 * (first + words) <= size
        return [self.model.bus_read(base + 4 * (first + n)) for n in range(words)]

    def write_window(self, block: str, word: int, value: int) -> None:
        self.model.bus_write(self.map["regions"][f"{block}_window"][0] + 4 * word, value)
