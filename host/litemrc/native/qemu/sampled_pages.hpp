// SPDX-License-Identifier: BSD-2-Clause
// Sampling by a hash of the page number, as hls/page_filter does: golden/monitor/page_filter.py, `hashed`.
#pragma once

#include <cmath>
#include <cstdint>

namespace litemrc_qemu {

class SampledPages {
  public:
    // Numbers have `bits` bits, at most 53; one of 2^rate pages is sampled.
    SampledPages(uint32_t bits, uint32_t rate) : rate_(rate), shift_(bits - rate), mask_((uint64_t(1) << bits) - 1) {
        half_ = bits / 2 ? bits / 2 : 1;
        quarter_ = bits / 4 ? bits / 4 : 1;
        multiplier_ = uint64_t(std::ldexp(std::sqrt(5.0) - 1, int(bits) - 1)) | 1; // 2^bits over the golden ratio
    }

    // Replaces the page by its number among the sampled ones; false: it is not sampled.
    bool number(uint64_t &page) const {
        if (!rate_)
            return true;
        const uint64_t folded = page ^ (page >> half_) ^ (page >> quarter_);
        page = folded * multiplier_ & mask_;
        return page >> shift_ == 0;
    }

  private:
    uint32_t rate_, shift_, half_, quarter_;
    uint64_t mask_, multiplier_;
};

} // namespace litemrc_qemu
