// SPDX-License-Identifier: BSD-2-Clause
// Contents of the DRAM. A row takes memory from its first write; lost data read as a pattern with their address.
#pragma once

#include "jedec/geometry.hpp"
#include "state.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace ddr3 {

// The value of a lost 32-bit word; `address` is a multiple of 4.
constexpr std::uint32_t lost_word(std::uint64_t address) {
    return 0xdead0000u | std::uint32_t(address >> 2 & 0xffff);
}

class Storage {
  public:
    explicit Storage(const Geometry &geometry) : geometry_(geometry), banks_(geometry.ranks * BANKS) {}

    // Writes a burst; bit i of `masked` keeps byte i. `data` has burst_bytes() bytes.
    void write(const Location &at, const std::uint8_t *data, std::uint64_t masked) {
        Row &row = existing(at);
        const unsigned first = offset(at);
        for (unsigned i = 0; i < geometry_.burst_bytes(); ++i) {
            if (masked >> i & 1)
                continue;
            row.data[first + i] = data[i];
            row.state[first + i] = WRITTEN;
        }
    }

    // Reads a burst; returns whether a byte of it was written and then lost. Bytes never written are 0.
    bool read(const Location &at, std::uint8_t *data) {
        Row *row = find(at);
        if (!row) {
            std::memset(data, 0, geometry_.burst_bytes());
            return false;
        }
        const unsigned first = offset(at);
        std::memcpy(data, row->data.get() + first, geometry_.burst_bytes());
        return std::memchr(row->state.get() + first, LOST, geometry_.burst_bytes()) != nullptr;
    }

    // Sets bytes at a byte address before the start.
    void fill(std::uint64_t address, const std::uint8_t *data, std::uint64_t size) {
        if (address > geometry_.bytes() || size > geometry_.bytes() - address)
            throw std::out_of_range("ddr3: contents end beyond the DRAM");
        for (std::uint64_t done = 0; done < size;) {
            const std::uint64_t in_row = (address + done) % geometry_.row_bytes();
            const std::uint64_t part = std::min<std::uint64_t>(size - done, geometry_.row_bytes() - in_row);
            Row &row = existing(geometry_.location(address + done));
            std::memcpy(row.data.get() + in_row, data + done, part);
            std::memset(row.state.get() + in_row, WRITTEN, part);
            done += part;
        }
    }

    // Loses the contents of banks of a rank, one bit each.
    void lose(unsigned rank, std::uint32_t banks) {
        for (unsigned bank = 0; bank < BANKS; ++bank)
            if (banks >> bank & 1)
                ++banks_[rank * BANKS + bank].losses;
    }

    // Bytes of host memory that rows take.
    std::uint64_t host_bytes() const { return rows_ * 2 * geometry_.row_bytes(); }

    void transfer(State &state) {
        if (state.restoring())
            rows_ = 0;
        for (Bank &bank : banks_)
            transfer(state, bank);
    }

  private:
    enum ByteState : std::uint8_t { NEVER_WRITTEN, WRITTEN, LOST };

    struct Row {
        std::unique_ptr<std::uint8_t[]> data, state;
        std::uint32_t losses = 0; // losses of its bank that are applied to it
    };

    struct Bank {
        std::vector<std::unique_ptr<Row>> rows; // empty until the first write
        std::uint32_t losses = 0;
    };

    unsigned offset(const Location &at) const { return (at.column & ~(BURST - 1)) * geometry_.data_bytes; }

    // The rows that exist, each behind its number.
    void transfer(State &state, Bank &bank) {
        std::vector<std::uint32_t> numbers;
        for (std::size_t row = 0; row < bank.rows.size(); ++row)
            if (bank.rows[row])
                numbers.push_back(std::uint32_t(row));
        state(bank.losses);
        state.list(numbers);
        if (state.restoring()) {
            bank.rows.clear();
            bank.rows.resize(numbers.empty() ? 0 : geometry_.rows());
        }
        for (const std::uint32_t number : numbers) {
            if (state.restoring())
                bank.rows[number] = new_row();
            Row &row = *bank.rows[number];
            state(row.losses);
            state.bytes(row.data.get(), geometry_.row_bytes());
            state.bytes(row.state.get(), geometry_.row_bytes());
        }
    }

    // A row of bytes that were never written.
    std::unique_ptr<Row> new_row() {
        auto row = std::make_unique<Row>();
        row->data = std::make_unique<std::uint8_t[]>(geometry_.row_bytes());
        row->state = std::make_unique<std::uint8_t[]>(geometry_.row_bytes());
        ++rows_;
        return row;
    }

    Row *find(const Location &at) {
        Bank &bank = banks_[at.rank * BANKS + at.bank];
        if (bank.rows.empty() || !bank.rows[at.row])
            return nullptr;
        Row &row = *bank.rows[at.row];
        if (row.losses != bank.losses)
            forget(row, at, bank.losses);
        return &row;
    }

    Row &existing(const Location &at) {
        if (Row *row = find(at))
            return *row;
        Bank &bank = banks_[at.rank * BANKS + at.bank];
        if (bank.rows.empty())
            bank.rows.resize(geometry_.rows());
        auto row = new_row();
        row->losses = bank.losses;
        return *(bank.rows[at.row] = std::move(row));
    }

    void forget(Row &row, const Location &at, std::uint32_t losses) {
        const std::uint64_t address = geometry_.address({at.rank, at.bank, at.row, 0});
        for (unsigned i = 0; i < geometry_.row_bytes(); ++i) {
            if (row.state[i] == NEVER_WRITTEN)
                continue;
            row.state[i] = LOST;
            row.data[i] = std::uint8_t(lost_word(address + i) >> 8 * (i % 4));
        }
        row.losses = losses;
    }

    Geometry geometry_;
    std::vector<Bank> banks_;
    std::uint64_t rows_ = 0;
};

} // namespace ddr3
