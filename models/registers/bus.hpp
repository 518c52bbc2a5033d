// SPDX-License-Identifier: BSD-2-Clause
// The blocks of registers and their windows at addresses of their own, as a bridge of LiteX shows them.
#pragma once

#include <memory>
#include <string>

#include "monitor.hpp"
#include "ranks.hpp"
#include "refs.hpp"

namespace monitor_model {

class Bus {
  public:
    // `queue`: accesses that may wait before the monitor; `access_bytes`: moved by an access of the DRAM; 0: not known.
    Bus(Monitor &monitor, const Size &size, uint32_t page_shift, uint32_t queue, uint32_t access_bytes = 0,
        const Ranks &ranks = {})
        : mrc_(monitor, size, page_shift, queue, ranks.count ? ranks.count : size.domains ? size.domains : 1, access_bytes) {
        if (size.domains)
            ranks_ = std::make_unique<RankRegisters>(monitor, size, ranks);
        if (monitor.pages())
            refs_ = std::make_unique<RefRegisters>(*monitor.pages(), size.frames, page_shift);
    }

    bool interrupt() const { return mrc_.interrupt(); } // of the monitor
    bool refs_enabled() const { return refs_ && refs_->enabled(); }

    uint32_t read(uint32_t address) const {
        const uint32_t offset = address % BLOCK;
        switch (address - offset) {
        case MRC:
            return mrc_.read(offset);
        case RANKS:
            return ranks_ ? ranks_->read(offset) : 0;
        case REFS:
            return refs_ ? refs_->read(offset) : 0;
        }
        if (in(address, MRC_WINDOW, mrc_.window_words()))
            return mrc_.window((address - MRC_WINDOW) / 4);
        if (ranks_ && in(address, RANKS_WINDOW, ranks_->window_words()))
            return ranks_->window((address - RANKS_WINDOW) / 4);
        if (refs_ && in(address, REFS_WINDOW, refs_->window_words()))
            return refs_->window((address - REFS_WINDOW) / 4);
        return 0;
    }

    // Windows are read-only, except that of the reference counters.
    void write(uint32_t address, uint32_t value) {
        const uint32_t offset = address % BLOCK, block = address - offset;
        if (block == MRC)
            mrc_.write(offset, value);
        else if (block == RANKS && ranks_)
            ranks_->write(offset, value);
        else if (block == REFS && refs_)
            refs_->write(offset, value);
        else if (refs_ && in(address, REFS_WINDOW, refs_->window_words()))
            refs_->write_window((address - REFS_WINDOW) / 4, value);
    }

    // Whether writing this word clears the monitor.
    bool clears(uint32_t address, uint32_t value) const {
        return address == MRC + LITEMRC_COMMAND && (value & LITEMRC_COMMAND_CLEAR);
    }

    // JSON: of each block there is, its base; of each window NAME_window, its base and bytes; addresses of further registers.
    std::string map() const {
        std::string blocks, windows;
        const auto put = [&](const char *name, uint32_t base, uint32_t window, uint32_t words) {
            const std::string separator = blocks.empty() ? "" : ", ";
            blocks += separator + "\"" + name + "\": " + std::to_string(base);
            windows += separator + "\"" + name + "_window\": [" + std::to_string(window) + ", " +
                       std::to_string(4 * uint64_t(words)) + "]";
        };
        put("mrc", MRC, MRC_WINDOW, mrc_.window_words());
        if (ranks_)
            put("ranks", RANKS, RANKS_WINDOW, ranks_->window_words());
        if (refs_)
            put("refs", REFS, REFS_WINDOW, refs_->window_words());
        const std::string taps_lost = refs_ ? "\"refs_taps_lost\": " + std::to_string(REFS + BLOCK - 4) : ""; // 0: none are
        return "{\"blocks\": {" + blocks + "}, \"regions\": {" + windows + "}, \"registers\": {" + taps_lost + "}}";
    }

  private:
    static constexpr uint32_t BLOCK = 0x1000, MRC = 0, RANKS = BLOCK, REFS = 2 * BLOCK;
    static constexpr uint32_t MRC_WINDOW = 0x10000000, RANKS_WINDOW = 0x20000000, REFS_WINDOW = 0x30000000;

    static bool in(uint32_t address, uint32_t base, uint32_t words) { return address >= base && (address - base) / 4 < words; }

    MonitorRegisters mrc_;
    std::unique_ptr<RankRegisters> ranks_;
    std::unique_ptr<RefRegisters> refs_;
};

} // namespace monitor_model
