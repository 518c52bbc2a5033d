# SPDX-License-Identifier: BSD-2-Clause
"""Block RAMs that a module takes, counted before synthesis."""

from collections.abc import Iterator

from migen import Memory, Module

BLOCK_KBIT = 18
# Words and bits of a block RAM of 18 Kbit with one read and one write port: DP16KD of ECP5, RAMB18 of AMD.
_SHAPES = ((16384, 1), (8192, 2), (4096, 4), (2048, 9), (1024, 18), (512, 36))
_LUT_RAM_BITS = 1024  # synthesis puts memories up to this size into LUTs


def block_rams(module: Module) -> int:
    """Return the block RAMs of 18 Kbit of a module and its submodules, as they are before finalization."""
    return sum(_blocks_of(memory) for memory in _memories(module))


def _memories(module: Module) -> Iterator[Memory]:
    yield from (special for special in module._fragment.specials if isinstance(special, Memory))
    for _, submodule in getattr(module, "_submodules", ()):
        yield from _memories(submodule)


def _blocks_of(memory: Memory) -> int:
    if any(port.async_read for port in memory.ports):
        return 0  # only LUT RAM reads at once
    small = memory.width * memory.depth <= _LUT_RAM_BITS
    if small and ("ram_style", "block") not in getattr(memory, "attr", ()):
        return 0
    return min(-(-memory.depth // depth) * -(-memory.width // width) for depth, width in _SHAPES)
