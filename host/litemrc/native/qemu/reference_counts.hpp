// SPDX-License-Identifier: BSD-2-Clause
// References to each page, before the caches, in intervals of instructions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace litemrc_qemu {

class ReferenceCounts {
  public:
    // Marks a record of the stream: end of the interval | COUNTED, page | references << 48.
    static constexpr uint64_t COUNTED = uint64_t(1) << 62;
    static constexpr uint64_t MOST = 0xFFFF; // references in a record

    // `interval`: instructions, 0: counts nothing.
    ReferenceCounts(uint64_t interval, uint32_t page_shift) : interval_(interval), end_(interval), shift_(page_shift) {}

    // A reference at an instruction, by the numbers of which references come in order. `put` takes records.
    template <typename Put> void reference(uint64_t time, uint64_t address, Put &&put) {
        if (!interval_)
            return;
        if (time > end_)
            end_interval(time, put);
        const uint64_t page = address >> shift_;
        if (page != last_ || !count_) {
            last_ = page;
            count_ = &counts_[page];
        }
        ++*count_;
    }

    // Puts the records of the interval, and begins that of `time`.
    template <typename Put> void end_interval(uint64_t time, Put &&put) {
        for (auto &[page, count] : counts_)
            for (; count; count -= std::min(count, MOST))
                put(end_ | COUNTED, (page & ((uint64_t(1) << 48) - 1)) | std::min(count, MOST) << 48);
        counts_.clear();
        count_ = nullptr;
        if (interval_)
            end_ += (std::max(time, end_) - end_ + interval_ - 1) / interval_ * interval_;
    }

  private:
    uint64_t interval_, end_; // instructions up to and including number `end_` are of the interval
    uint32_t shift_;
    std::unordered_map<uint64_t, uint64_t> counts_;
    uint64_t last_ = 0, *count_ = nullptr; // of the last reference
};

} // namespace litemrc_qemu
