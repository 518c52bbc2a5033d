"""Initial contents of DRAM, as the files read by the model of each bank."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from litemrc.errors import UserError

Image = tuple[int, bytes]  # physical address, contents


@dataclass(frozen=True)
class DRAMLayout:
    """Where a byte lies in DRAM; `litex-soc/simulation/dram.py` defines the order and writes dram.json.

    Attributes:
        bank_files: name of each bank's file.
        word_bytes: bytes of a word of a file.
        row_words: consecutive words in one bank.
        bytes: size of the DRAM.
        base: physical address of its first byte.
    """

    bank_files: list[str]
    word_bytes: int
    row_words: int
    bytes: int
    base: int


def bank_texts(layout: DRAMLayout, images: Sequence[Image]) -> dict[str, str]:
    """The text of each bank's file, in Verilog's `$readmemh` format; zero where no image is.

    Raises:
        UserError: an image is outside the DRAM or lies on another.
    """
    memory = np.zeros(layout.bytes, np.uint8)
    taken: list[tuple[int, int]] = []
    for address, contents in images:
        start = address - layout.base
        end = start + len(contents)
        if not 0 <= start <= end <= layout.bytes:
            raise UserError(
                f"an image of {len(contents)} bytes at {address:#x} is outside the DRAM",
                where=f"{layout.base:#x} to {layout.base + layout.bytes - 1:#x}",
            )
        for other, other_end in taken:
            if start < other_end and other < end:
                raise UserError("two images overlap", where=f"at {address:#x} and {other + layout.base:#x}")
        taken.append((start, end))
        memory[start:end] = np.frombuffer(contents, np.uint8)

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
