// SPDX-License-Identifier: BSD-2-Clause
// A record of the DFI's commands as a self-describing NumPy file, for energy models and other tools.
//
// One row for each command and rank, or change of a rank's CKE, in order:
//
//   clock    <u8  of the controller, from 0
//   phase    u1   of the DFI
//   rank     u1
//   command  u1   ras_n << 2 | cas_n << 1 | we_n: 0 MRS, 1 REF, 2 PRE, 3 ACT, 4 WR, 5 RD, 6 ZQ; 7: only CKE changed;
//                 8: a mark (all else 0), as snapshots of a meter
//   cke      u1   the rank's CKE in this cycle: REF with cke 0 is self-refresh entry
//   bank     u1   MRS: number of the mode register
//   address  <u4  ACT: row; RD, WR: column, bit 10: auto-precharge; PRE: bit 10: all banks; MRS: value
#pragma once

#include "dfi_port.hpp"

#include <cstdio>

namespace ddr3 {

class CommandRecord {
  public:
    // Throws std::runtime_error if the file cannot be written. Every rank's CKE is assumed low before.
    CommandRecord(const std::string &path, unsigned ranks) : file_(std::fopen(path.c_str(), "w+b")), ranks_(ranks) {
        if (!file_)
            throw std::runtime_error("ddr3: cannot write " + path);
        std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
        write_header();
    }

    CommandRecord(const CommandRecord &) = delete;
    CommandRecord &operator=(const CommandRecord &) = delete;

    ~CommandRecord() {
        std::fseek(file_, 0, SEEK_SET);
        write_header();
        std::fclose(file_);
    }

    // For DfiPort::on_event.
    void event(Clock t, const Pins &pins) {
        for (unsigned rank = 0; rank < ranks_; ++rank) {
            const bool selected = pins.command != Command::NOP && !(pins.cs_n >> rank & 1);
            if (!selected && !((pins.cke ^ cke_) >> rank & 1))
                continue;
            Row row{std::uint64_t(t / DfiPort::PHASES), std::uint8_t(t % DfiPort::PHASES), std::uint8_t(rank),
                    std::uint8_t(Command::NOP), std::uint8_t(pins.cke >> rank & 1), 0, 0};
            if (selected) {
                row.command = std::uint8_t(pins.command);
                row.bank = std::uint8_t(pins.bank);
                row.address = pins.address;
            }
            put(row);
        }
        cke_ = pins.cke;
    }

    // A mark in a cycle of the controller.
    void mark(Clock clock) { put({std::uint64_t(clock), 0, 0, 8, 0, 0, 0}); }

    // The file's contents are the caller's to save.
    void transfer(State &state) { state(cke_, rows_); }

    std::FILE *file() const { return file_; }

  private:
    struct __attribute__((packed)) Row {
        std::uint64_t clock;
        std::uint8_t phase, rank, command, cke, bank;
        std::uint32_t address;
    };

    void put(const Row &row) {
        if (std::fwrite(&row, sizeof(row), 1, file_) != 1)
            throw std::runtime_error("ddr3: the disk of the command record is full");
        ++rows_;
    }

    void write_header() {
        constexpr std::size_t BYTES = 256; // including 10 of magic, version and header length
        std::string header("\x93NUMPY\x01\x00", 8);
        header += {char(BYTES - 10), 0};
        header += "{'descr': [('clock','<u8'),('phase','u1'),('rank','u1'),('command','u1'),('cke','u1'),('bank','u1'),"
                  "('address','<u4')], 'fortran_order': False, 'shape': (" +
                  std::to_string(rows_) + ",), }";
        header.resize(BYTES - 1, ' ');
        header += '\n';
        std::fwrite(header.data(), header.size(), 1, file_);
    }

    std::FILE *file_;
    const unsigned ranks_;
    std::uint32_t cke_ = 0;
    std::uint64_t rows_ = 0;
};

} // namespace ddr3
