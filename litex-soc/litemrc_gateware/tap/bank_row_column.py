"""LiteDRAM's bank-row-column address mapping, on several ranks."""

from migen import log2_int


def complete_bank_row_column(crossbar):
    """Lets a crossbar of several ranks be built whose banks are contiguous (``bank_byte_alignment``).

    LiteDRAM 2024.12 takes the rank's bits for bits of row and column, too, so above bank and rank it looks
    for more row bits, finds none, and LiteX refuses to write a slice of no bits. Ports got by then and later
    are as wide as ever. Call it before the crossbar is finalised; other mappings and a single rank are left
    as they are.
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
