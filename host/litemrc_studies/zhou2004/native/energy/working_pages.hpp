// N_mrc: the smallest multiple of a chip whose miss ratio in an epoch is within epsilon of the best reachable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

class WorkingPages {
  public:
    // `epsilon_ppm`: parts per million.
    WorkingPages(uint32_t chips, uint64_t chip_pages, uint64_t epsilon_ppm)
        : chip_pages_(chip_pages), epsilon_ppm_(epsilon_ppm), hits_(chips) {}

    // Counts an access by its page's LRU position from 1; 0: the first to it.
    void count(uint32_t distance) {
        ++accesses_;
        if (!distance)
            return;
        const size_t size = size_t((distance - 1) / chip_pages_);
        ++hits_[size];
        deepest_ = size > deepest_ ? size : deepest_;
    }

    bool empty() const { return accesses_ == 0; }

    // N_mrc of the accesses counted, which are forgotten.
    uint64_t end_epoch() {
        uint64_t beyond = 0;
        size_t size = deepest_ + 1;
        while (size > 1 && (beyond + hits_[size - 1]) * 1000000 <= epsilon_ppm_ * accesses_)
            beyond += hits_[--size];
        accesses_ = 0;
        std::fill_n(hits_.begin(), deepest_ + 1, 0);
        deepest_ = 0;
        return size * chip_pages_;
    }

  private:
    const uint64_t chip_pages_, epsilon_ppm_;
    std::vector<uint64_t> hits_;
    uint64_t accesses_ = 0;
    size_t deepest_ = 0; // of the hits counted
};

} // namespace litemrc_native
