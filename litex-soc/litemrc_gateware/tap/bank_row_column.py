"""LiteDRAM's bank-row-column address mapping with several ranks."""

from migen import log2_int


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
