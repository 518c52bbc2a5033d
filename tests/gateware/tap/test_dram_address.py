# SPDX-License-Identifier: BSD-2-Clause
"""AddressMapping inverts LiteDRAM's crossbar: bank and rank are at the alignment."""

import random

import pytest
from litedram.common import GeomSettings
from litemrc_gateware.tap.dram_address import AddressMapping
from litex.gen import LiteXModule
from migen import Signal, run_simulation

GEOM = GeomSettings(bankbits=3, rowbits=13, colbits=9)
COLUMN_SHIFT = 1
ROW_SHIFT = COLUMN_SHIFT + GEOM.colbits


class Bench(LiteXModule):
    def __init__(self, ranks: int, alignment: int) -> None:
        mapping = AddressMapping(GEOM, ranks, 1 << COLUMN_SHIFT, alignment)
        self.rank, self.bank = Signal(max=max(2, ranks)), Signal(GEOM.bankbits)
        self.row, self.column = Signal(GEOM.rowbits), Signal(GEOM.colbits)
        self.address = Signal(mapping.bits)
        self.comb += self.address.eq(mapping.address(self.rank, self.bank, self.row, self.column))


@pytest.mark.parametrize("ranks", [1, 4])
@pytest.mark.parametrize(
    ("alignment", "bank_shift"),
    [
        (0, ROW_SHIFT),
        (1 << ROW_SHIFT - 2, ROW_SHIFT),  # less than a row: no column bits are above the bank
        (1 << ROW_SHIFT + 4, ROW_SHIFT + 4),
        (1 << ROW_SHIFT + GEOM.rowbits, ROW_SHIFT + GEOM.rowbits),  # a bank
    ],
)
def test_addresses_are_put_together_at_any_alignment(ranks: int, alignment: int, bank_shift: int) -> None:
    bench, dice = Bench(ranks, alignment), random.Random(1)

    def run():
        for _ in range(100):
            rank, bank = dice.randrange(ranks), dice.getrandbits(GEOM.bankbits)
            row, column = dice.getrandbits(GEOM.rowbits), dice.getrandbits(GEOM.colbits)
            for signal, value in (
                (bench.rank, rank),
                (bench.bank, bank),
                (bench.row, row),
                (bench.column, column),
            ):
                yield signal.eq(value)
            yield
            within = row << ROW_SHIFT | column << COLUMN_SHIFT
            upper, lower = divmod(within, 1 << bank_shift)
            above_bank = upper * ranks + rank
            expected = (above_bank << GEOM.bankbits | bank) << bank_shift | lower
            assert (yield bench.address) == expected

    run_simulation(bench, run())


def test_an_alignment_beyond_a_bank_is_refused() -> None:
    with pytest.raises(ValueError, match="more than a bank"):
        AddressMapping(GEOM, 1, 2, 2 << ROW_SHIFT + GEOM.rowbits)
