"""LiteDRAM's bank-row-column mapping for more than one rank: each rank, and each bank in it, is one address range."""


def bank_bytes(phy, module):
    """``ControllerSettings.bank_byte_alignment`` that puts rank and bank above row and column."""
    geometry = module.geom_settings
    return (phy.settings.databits // 8) << (geometry.rowbits + geometry.colbits)


def keep_bank_ranges(crossbar):
    """Has a LiteDRAM crossbar with that alignment, not yet finalized, take addresses apart where banks are ranges.

    With several ranks LiteDRAM 2024.12 counts the rank among the bits of row and column too, so it looks for a
    part of the row above the bank, where the address has no more bits, and does not generate. With one rank this
    changes nothing.
    """
    finalize = crossbar.do_finalize

    def do_finalize():
        for port in crossbar.masters:
            port.get_row_column_address = _below_bank(port)
        finalize()

    crossbar.do_finalize = do_finalize


def _below_bank(port):
    def get_row_column_address(bank_bits, rca_bits, cba_shift):
        return port.cmd.addr[:cba_shift]

    return get_row_column_address
