# SPDX-License-Identifier: BSD-2-Clause
"""What the registers of the library do, by name; a bus as a board has it."""

import json
from collections.abc import Callable
from pathlib import Path

from litemrc.device.bridge.csr_file import SoCMap
from litemrc.device.bridge.layout import layout
from litemrc.device.qemu.client import soc_of
from litemrc_gateware.ranks.registers import STATE_BITS


class LibraryBus:
    """A RegisterBus.

    Parameters
    ----------
    read, write
        of the library.
    """

    def __init__(self, read: Callable[[int], int], write: Callable[[int, int], int]) -> None:
        self._read, self._write = read, write

    def read(self, address: int, words: int) -> list[int]:
        return [self._read(address + 4 * n) for n in range(words)]

    def write(self, address: int, *words: int) -> None:
        for n, word in enumerate(words):
            self._write(address + 4 * n, word)

    def close(self) -> None:
        """Nothing to close."""


class NamedBlock:
    """A block of registers."""

    def __init__(self, bus: LibraryBus, soc: SoCMap, kind: str) -> None:
        self._bus, self._soc, self._kind = bus, soc, kind
        self._layout = layout().fields[kind]

    def read(self, register: str) -> int:
        """The first word of a long register is its upper one."""
        words = self._bus.read(*self._soc.registers[f"{self._kind}_{register}"])
        return sum(word << 32 * n for n, word in enumerate(reversed(words)))

    def fields(self, register: str) -> dict[str, int]:
        word = self.read(register)
        return {name: word >> at & (1 << bits) - 1 for name, (at, bits) in self._layout[register].items()}

    def write(self, register: str, word: int = 0, **fields: int) -> None:
        """Write these fields; the others are those of `word`."""
        for name, value in fields.items():
            shift, bits = self._layout[register][name]
            assert not value >> bits, name
            word = word & ~((1 << bits) - 1 << shift) | value << shift
        self._bus.write(self._soc.registers[f"{self._kind}_{register}"][0], word)

    def window(self, first: int, words: int) -> list[int]:
        return self._bus.read(self._soc.region(f"{self._kind}_window")[0] + 4 * first, words)


def register_blocks(bus: LibraryBus, bus_map: str) -> dict[str, NamedBlock]:
    """Return the blocks of the library, by their kind."""
    found = json.loads(bus_map)
    soc = soc_of(found, Path("bus_map"), {}, {})
    return {block: NamedBlock(bus, soc, block) for block in found["blocks"]}


def update(block: NamedBlock, register: str, **fields: int) -> None:
    """Write these fields of a register; the others keep their value."""
    block.write(register, block.read(register), **fields)


class NamedRegisters:
    """Registers of the monitor and its ranks.

    Attributes
    ----------
    blocks
        by their kind.
    """

    blocks: dict[str, NamedBlock]

    @property
    def mrc(self) -> NamedBlock:
        return self.blocks["mrc"]

    @property
    def ranks(self) -> NamedBlock:
        return self.blocks["ranks"]

    def control(self, enable: int, hold: int, by_cycles: int, freeze: int, single_shot: int) -> None:
        update(
            self.mrc,
            "control",
            **{"enable": enable, "hold": hold, "epoch_unit": by_cycles},
            **{"freeze": freeze, "single_shot": single_shot},
        )

    def set_context(self, context: int) -> None:
        self.mrc.write("context", context)

    def set_epoch_length(self, length: int) -> None:
        self.mrc.write("epoch_length", length)

    def set_filter(self, lower: int, upper: int, sampling: int, split: int) -> None:
        for name, value in {"range_lower": lower, "range_upper": upper, "sampling": sampling}.items():
            self.mrc.write(name, value)
        update(self.mrc, "control", split=split)

    def invalidate(self, frame: int) -> None:
        self.mrc.write("invalidate", frame)

    def claim(self, frame: int, context: int, order: int = 0) -> None:
        self.mrc.write("claim", frame=frame, context=context, order=order)

    def clear(self) -> None:
        self.mrc.write("command", clear=1)

    def end_epoch(self) -> None:
        self.mrc.write("command", end_epoch=1)

    def release(self) -> None:
        self.mrc.write("command", release=1)

    def arm(self) -> None:
        self.mrc.write("command", arm=1)

    def epoch(self) -> int:
        return self.mrc.read("epoch")

    def epoch_outside(self) -> int:
        return self.mrc.read("epoch_outside")

    def epoch_unsampled(self) -> int:
        return self.mrc.read("epoch_unsampled")

    def scale_log2(self) -> int:
        return self.mrc.read("scale")

    def epoch_ready(self) -> int:
        return self.mrc.fields("status")["epoch_ready"]

    def frozen(self) -> int:
        return self.mrc.fields("status")["frozen"]

    def window(self, word: int) -> int:
        return self.mrc.window(word, 1)[0]

    def command(self, domain: int, state: int) -> None:
        self.ranks.write("command", domain=domain, state=state)

    def set_policy(self, kind: int, static_state: int, mrc_state: int, mrc_base: int) -> None:
        update(
            self.ranks,
            "policy",
            **{"kind": kind, "static_state": static_state, "mrc_state": mrc_state, "mrc_base": mrc_base},
        )

    def set_thresholds(self, power_down: int, self_refresh: int) -> None:
        self.ranks.write("threshold_power_down", power_down)
        self.ranks.write("threshold_self_refresh", self_refresh)

    def set_partial(self, part: int, allowed: int) -> None:
        self.ranks.write("partial", part)
        self.ranks.write("partial_allowed", allowed)

    def set_n_mrc(self, groups: int) -> None:
        self.ranks.write("n_mrc", groups)

    def set_n_mrc_auto(self, enable: int, epsilon: int) -> None:
        update(self.ranks, "n_mrc_auto", enable=enable, epsilon=epsilon)

    def state(self, domain: int) -> int:
        return self.ranks.read("state") >> STATE_BITS * domain & (1 << STATE_BITS) - 1

    def working(self) -> int:
        return self.ranks.read("working")

    def snapshot_clocks(self) -> int:
        return self.ranks.read("snapshot_clocks")

    def meter_overflow(self) -> int:
        return self.ranks.fields("meter_status")["overflow"]

    def meter_window(self, word: int) -> int:
        return self.ranks.window(word, 1)[0]
