// SPDX-License-Identifier: BSD-2-Clause
// The DFI as ports of a Verilated design, connected by DDR3ModelPHY in simulation/ddr3.py.
#pragma once

#include "dfi_port.hpp"

namespace ddr3 {

// Pointers to the ports' storage, little-endian; phase 0 in the lowest bits, within a phase rank 0. rddata_valid is one
// bit, of all phases.
struct DfiPads {
    const void *cs_n, *cke, *odt;                 // 4 * ranks bits
    const void *ras_n, *cas_n, *we_n, *reset_n;   // 4
    const void *bank;                             // 4 * 3
    const void *address;                          // 4 * address_bits
    const void *wrdata, *wrdata_mask, *wrdata_en; // a burst, one bit per byte, 4
    const void *rddata_en;                        // 4
    void *rddata, *rddata_valid;
};

class PadDriver {
  public:
    PadDriver(DfiPort &port, const DfiPads &pads, unsigned address_bits)
        : port_(port), pads_(pads), ranks_(port.model.geometry().ranks), address_bits_(address_bits) {
        // With fewer bits A10 (precharge-all, auto-precharge) and the write recovery in MR0 would be missing.
        if (address_bits < 12 || address_bits > 16)
            throw std::invalid_argument("ddr3: address_bits must be 12 to 16 (got " + std::to_string(address_bits) +
                                        ")");
    }

    // Called in each cycle of the controller, between its rising edge and the next: reads the ports' levels and
    // drives rddata of this cycle.
    void clock() {
        const bool commands = load(pads_.ras_n, 4) != 15 || load(pads_.cas_n, 4) != 15 || load(pads_.we_n, 4) != 15;
        const std::uint64_t cke = load(pads_.cke, 4 * ranks_), odt = load(pads_.odt, 4 * ranks_);
        const std::uint64_t reset_n = load(pads_.reset_n, 4);
        const bool steady = cke == cke_ && odt == odt_ && reset_n == reset_n_;
        if (steady && !commands && !load(pads_.rddata_en, 4) && port_.idle_clock()) {
            *static_cast<std::uint8_t *>(pads_.rddata_valid) = 0;
            return;
        }
        cke_ = cke;
        odt_ = odt;
        reset_n_ = reset_n;
        const std::uint64_t cs_n = load(pads_.cs_n, 4 * ranks_), ras_n = load(pads_.ras_n, 4);
        const std::uint64_t cas_n = load(pads_.cas_n, 4), we_n = load(pads_.we_n, 4), bank = load(pads_.bank, 12);
        const std::uint64_t address = load(pads_.address, 4 * address_bits_);
        const std::uint64_t wrdata_en = load(pads_.wrdata_en, 4), rddata_en = load(pads_.rddata_en, 4);
        DfiPhase phases[DfiPort::PHASES];
        for (unsigned p = 0; p < DfiPort::PHASES; ++p) {
            const std::uint32_t mask = (1u << ranks_) - 1;
            phases[p] = {std::uint32_t(cs_n >> p * ranks_) & mask,
                         std::uint32_t(cke >> p * ranks_) & mask,
                         std::uint32_t(odt >> p * ranks_) & mask,
                         bool(ras_n >> p & 1),
                         bool(cas_n >> p & 1),
                         bool(we_n >> p & 1),
                         bool(reset_n >> p & 1),
                         unsigned(bank >> p * 3 & 7),
                         unsigned(address >> p * address_bits_) & ((1u << address_bits_) - 1),
                         bool(wrdata_en >> p & 1),
                         bool(rddata_en >> p & 1)};
        }
        const std::uint64_t mask = load(pads_.wrdata_mask, port_.model.geometry().burst_bytes());
        *static_cast<std::uint8_t *>(pads_.rddata_valid) =
            port_.clock(phases, static_cast<const std::uint8_t *>(pads_.wrdata), mask,
                        static_cast<std::uint8_t *>(pads_.rddata));
    }

    void transfer(State &state) { state(cke_, odt_, reset_n_); }

  private:
    // A port of `bits` bits in Verilator's storage.
    static std::uint64_t load(const void *port, unsigned bits) {
        std::uint64_t value = 0;
        std::memcpy(&value, port, bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8);
        return value;
    }

    DfiPort &port_;
    const DfiPads pads_;
    const unsigned ranks_, address_bits_;
    std::uint64_t cke_ = 0, odt_ = 0, reset_n_ = ~std::uint64_t(0);
};

} // namespace ddr3
