// SPDX-License-Identifier: BSD-2-Clause
// Shape of the DRAM on one data bus, and the mapping of byte addresses.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace ddr3 {

using Clock = std::int64_t; // periods of the DRAM's clock since the start

constexpr unsigned BURST = 8; // beats; DDR3's BC4 is not modelled
constexpr unsigned MAX_RANKS = 8;
constexpr unsigned BANKS = 8;

struct Location {
    unsigned rank, bank, row, column;
};

enum class AddressMap {
    row_bank_column, // consecutive rows are in different banks and ranks: LiteDRAM's default
    bank_row_column, // ranks and banks are contiguous: LiteDRAM with bank_byte_alignment = bytes of a bank
};

struct Geometry {
    unsigned ranks = 1;
    unsigned row_bits = 14;
    unsigned column_bits = 10;
    unsigned data_bytes = 2; // width of the data bus
    AddressMap map = AddressMap::row_bank_column;

    unsigned rows() const { return 1u << row_bits; }
    unsigned row_bytes() const { return data_bytes << column_bits; }
    unsigned burst_bytes() const { return data_bytes * BURST; }
    std::uint64_t rank_bytes() const { return std::uint64_t(BANKS) * rows() * row_bytes(); }
    std::uint64_t bytes() const { return ranks * rank_bytes(); }

    std::uint64_t address(const Location &at) const {
        const std::uint64_t bank = at.rank * BANKS + at.bank;
        const std::uint64_t row = map == AddressMap::row_bank_column ? std::uint64_t(at.row) * ranks * BANKS + bank
                                                                     : bank * rows() + at.row;
        return row * row_bytes() + at.column * data_bytes;
    }

    // The column is that of the byte's beat.
    Location location(std::uint64_t address) const {
        const std::uint64_t row = address / row_bytes();
        const bool interleaved = map == AddressMap::row_bank_column;
        const unsigned bank = unsigned(interleaved ? row % (ranks * BANKS) : row / rows());
        return {bank / BANKS, bank % BANKS, unsigned(interleaved ? row / (ranks * BANKS) : row % rows()),
                unsigned(address % row_bytes()) / data_bytes};
    }

    void check() const {
        if (!ranks || ranks > MAX_RANKS || (ranks & (ranks - 1)))
            throw std::invalid_argument("ddr3: ranks must be 1, 2, 4 or 8");
        if (column_bits < 3 || column_bits > 10)
            throw std::invalid_argument("ddr3: column bits must be 3 to 10 (address bit 10 is auto-precharge)");
        if (row_bits < 1 || row_bits > 16)
            throw std::invalid_argument("ddr3: row bits must be 1 to 16");
        if (!data_bytes || data_bytes > 8 || (data_bytes & (data_bytes - 1)))
            throw std::invalid_argument("ddr3: the data bus must be 1, 2, 4 or 8 bytes wide");
    }
};

} // namespace ddr3
