# SPDX-License-Identifier: BSD-2-Clause
"""The byte address of rank, bank, row and column of a DRAM command, also with several ranks."""

from litedram.common import GeomSettings
from migen import Cat, Constant, log2_int


class AddressMapping:
    """The inverse of the address mapping of LiteDRAM's crossbar.

    LiteDRAM puts bank and rank above the column (``ROW_BANK_COL``). With
    ``ControllerSettings.bank_byte_alignment`` of the bytes of a bank they are above the row; with a smaller
    value they are within it.

    Parameters
    ----------
    geom : litedram.common.GeomSettings
        bank, row and column bits of a rank.
    ranks : int
        a power of two.
    column_bytes : int
        bytes of one column address (the width of the data bus).
    bank_byte_alignment : int
        the controller's setting: a power of two, or 0.

    Attributes
    ----------
    bits : int
        of an address.
    column_shift : int
        log2 of `column_bytes`.
    """

    def __init__(
        self, geom: GeomSettings, ranks: int, column_bytes: int, bank_byte_alignment: int = 0
    ) -> None:
        self.column_shift = log2_int(column_bytes)
        self._geom, self._rank_bits = geom, log2_int(ranks)
        bank_bytes_log2 = geom.rowbits + geom.colbits + self.column_shift
        alignment_log2 = log2_int(bank_byte_alignment) if bank_byte_alignment else 0
        if alignment_log2 > bank_bytes_log2:
            raise ValueError(
                f"AddressMapping: bank_byte_alignment {bank_byte_alignment} is more than a bank's "
                f"{1 << bank_bytes_log2} bytes"
            )
        self._bank_shift = max(geom.colbits + self.column_shift, alignment_log2)
        self.bits = bank_bytes_log2 + geom.bankbits + self._rank_bits

    def address(self, rank, bank, row, column) -> Cat:
        """The byte address of a column; `rank` is not used if there is only one."""
        below = [Constant(0, self.column_shift)] if self.column_shift else []
        within = Cat(*below, column, row)
        ranks = [rank] if self._rank_bits else []
        above = [within[self._bank_shift :]] if len(within) > self._bank_shift else []
        return Cat(within[: self._bank_shift], bank, *ranks, *above)


def complete_bank_row_column(crossbar):
    """Makes a crossbar with contiguous banks (``bank_byte_alignment``) work with several ranks.

    LiteDRAM 2024.12 counts the rank's bits as bits of row and column, too. It then slices row bits above bank
    and rank where there are none, and LiteX refuses the empty slice. Call this before the crossbar is
    finalised; the widths of its ports, other mappings and a single rank do not change.
    """
    settings = crossbar.controller.settings
    if crossbar.nranks == 1 or not settings.bank_byte_alignment:
        return
    rows_and_columns = crossbar.rca_bits - log2_int(crossbar.nranks)
    finalize = crossbar.do_finalize

    def do_finalize():
        crossbar.rca_bits = rows_and_columns
        finalize()

    crossbar.do_finalize = do_finalize
