# SPDX-License-Identifier: BSD-2-Clause
"""Initial contents of DRAM, as the files that its model reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from litemrc.errors import UserError

Image = tuple[int, bytes]  # physical address, contents


@dataclass(frozen=True)
class DRAMLayout:
    """Where a byte lies in DRAM; `litemrc_soc/simulation/dram.py` defines the order and writes dram.json.

    Attributes
    ----------
    bank_files
        name of each bank's file.
    word_bytes
        bytes of a word of a file.
    row_words
        consecutive words in one bank.
    bytes
        size of the DRAM.
    base
        physical address of its first byte.
    """

    bank_files: list[str]
    word_bytes: int
    row_words: int
    bytes: int
    base: int


@dataclass(frozen=True)
class ModuleDRAM:
    """A DRAM model that is a simulation module and loads raw files itself (`litex-soc/sim_modules/ddr3`).

    Attributes
    ----------
    module
        its name in the simulator's configuration; its argument `contents` has the file of each image.
    bytes
        size of the DRAM.
    base
        physical address of its first byte.
    """

    module: str
    bytes: int
    base: int


def dram_of(described: Mapping[str, Any]) -> DRAMLayout | ModuleDRAM:
    """Return the DRAM that a dram.json describes."""
    return ModuleDRAM(**described) if "module" in described else DRAMLayout(**described)


def offsets(dram: DRAMLayout | ModuleDRAM, images: Sequence[Image]) -> list[int]:
    """Return the first byte of each image in the DRAM.

    Raises
    ------
    UserError
        an image is outside the DRAM or lies on another.
    """
    taken: list[tuple[int, int]] = []
    for address, contents in images:
        start = address - dram.base
        end = start + len(contents)
        if not 0 <= start <= end <= dram.bytes:
            raise UserError(
                f"an image of {len(contents)} bytes at {address:#x} is outside the DRAM",
                where=f"{dram.base:#x} to {dram.base + dram.bytes - 1:#x}",
            )
        for other, other_end in taken:
            if start < other_end and other < end:
                raise UserError("two images overlap", where=f"at {address:#x} and {other + dram.base:#x}")
        taken.append((start, end))
    return [start for start, _ in taken]


def bank_texts(layout: DRAMLayout, images: Sequence[Image]) -> dict[str, str]:
    """The text of each bank's file, in Verilog's `$readmemh` format; zero where no image is.

    Raises
    ------
    UserError
        as `offsets`.
    """
    memory = np.zeros(layout.bytes, np.uint8)
    for start, (_, contents) in zip(offsets(layout, images), images, strict=True):
        memory[start : start + len(contents)] = np.frombuffer(contents, np.uint8)

    banks = len(layout.bank_files)
    # [row][bank][column][byte], most significant byte first for hexadecimal
    words = memory.reshape(-1, banks, layout.row_words, layout.word_bytes)[..., ::-1]
    rows = np.any(words, axis=(2, 3))
    digits = 2 * layout.word_bytes
    texts = {}
    for bank, name in enumerate(layout.bank_files):
        lines = ["@0", "0" * digits]  # a file without a word is an error to Verilog
        for row in np.flatnonzero(rows[:, bank]).tolist():
            lines.append(f"@{row * layout.row_words:x}")
            text = words[row, bank].tobytes().hex()
            lines += [text[i : i + digits] for i in range(0, len(text), digits)]
        texts[name] = "\n".join(lines) + "\n"
    return texts
