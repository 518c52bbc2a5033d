# SPDX-License-Identifier: BSD-2-Clause
"""Images in the files of the DRAM model's banks: where LiteDRAM's own model would put them."""

import random

import pytest
from litedram.modules import MT48LC4M16
from litedram.phy.model import SDRAMPHYModel
from litemrc.device.simulation.dram_files import DRAMLayout, bank_texts
from litemrc.errors import UserError

BASE = 0x4000_0000
BANKS, ROW_WORDS, WORD_BYTES = 4, 256, 8
CHIP = MT48LC4M16(50_000_000, "1:1")
ROWS = 1 << CHIP.geom_settings.rowbits
LAYOUT = DRAMLayout(
    bank_files=[f"bank{n}" for n in range(BANKS)],
    word_bytes=WORD_BYTES,
    row_words=ROW_WORDS,
    bytes=BANKS * ROWS * ROW_WORDS * WORD_BYTES,
    base=BASE,
)


def words_of(text):
    """{index: word} of a file, as $readmemh reads it."""
    words, index = {}, 0
    for line in text.split():
        if line.startswith("@"):
            index = int(line[1:], 16)
        else:
            assert len(line) == 2 * WORD_BYTES
            words[index] = int(line, 16)
            index += 1
    return words


def test_bytes_lie_where_litedram_puts_them():
    rng = random.Random(1)
    # More than a row of every bank, so that the order of banks and rows is seen.
    image = rng.randbytes(3 * BANKS * ROW_WORDS * WORD_BYTES)
    words = [int.from_bytes(image[i : i + 4], "little") for i in range(0, len(image), 4)]
    phy = SDRAMPHYModel(CHIP, data_width=8 * WORD_BYTES, clk_freq=50_000_000)
    expected = phy._SDRAMPHYModel__prepare_bank_init_data(
        words, BANKS, ROWS, ROW_WORDS, 8 * WORD_BYTES, "ROW_BANK_COL"
    )
    texts = bank_texts(LAYOUT, [(BASE, image)])
    for bank, name in enumerate(LAYOUT.bank_files):
        assert words_of(texts[name]) == dict(enumerate(expected[bank]))


def test_every_byte_of_unaligned_images_is_kept_and_the_rest_is_zero():
    rng = random.Random(2)
    images = [(BASE + 5, rng.randbytes(3)), (BASE + 8, b"\xff"), (BASE + 0x70_0001, rng.randbytes(5001))]
    images.append((BASE + LAYOUT.bytes - 1, b"\x7f"))
    found = {}
    for bank, text in enumerate(bank_texts(LAYOUT, images).values()):
        for index, word in words_of(text).items():
            row, column = divmod(index, ROW_WORDS)
            at = ((row * BANKS + bank) * ROW_WORDS + column) * WORD_BYTES
            found |= {
                BASE + at + i: byte for i, byte in enumerate(word.to_bytes(WORD_BYTES, "little")) if byte
            }
    assert found == {address + i: byte for address, image in images for i, byte in enumerate(image) if byte}


@pytest.mark.parametrize("address", [BASE - 1, BASE + LAYOUT.bytes - 3])
def test_images_outside_the_dram_are_refused(address):
    with pytest.raises(UserError, match="outside the DRAM"):
        bank_texts(LAYOUT, [(address, bytes(4))])


def test_images_on_one_another_are_refused():
    with pytest.raises(UserError, match="overlap"):
        bank_texts(LAYOUT, [(BASE, bytes(10)), (BASE + 9, bytes(4))])
