// SPDX-License-Identifier: BSD-2-Clause
// Processors that share memory through copies of pages, of which a write leaves one: an invalidate-based protocol.
//
// The model is litemrc_studies.reference_counters.golden.InvalidateMachine.
#pragma once

#include "costs.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace litemrc_native {

class InvalidateMachine {
  public:
    static constexpr uint32_t FIRST_TOUCH = UINT32_MAX;

    InvalidateMachine(const NumaCosts &costs, uint32_t delay, uint32_t processors, uint32_t home)
        : costs_(costs), delay_(delay), processors_(processors), home_(home) {}

    void run(const uint32_t *pages, const uint16_t *processors, const uint8_t *writes, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            if (pages[i] >= owners_.size())
                grow(pages[i]);
            access(pages[i], processors[i], writes[i]);
        }
    }

    const NumaCounts &counts() const { return counts_; }

  private:
    void grow(uint32_t page) {
        owners_.resize(std::max<size_t>(page + 1, owners_.size() * 2), FIRST_TOUCH);
        left_.resize(owners_.size() * processors_, delay_);
        holders_.resize(owners_.size() * ProcessorSet::words(processors_));
    }

    void access(uint32_t page, uint32_t processor, bool write) {
        ProcessorSet holders(&holders_[size_t(page) * ProcessorSet::words(processors_)], processors_);
        uint32_t &owner = owners_[page];
        if (owner == FIRST_TOUCH) {
            owner = home_ == FIRST_TOUCH ? processor : home_;
            holders.add(owner);
        }
        uint32_t &left = left_[size_t(page) * processors_ + processor];
        bool copy = holders.has(processor);
        if (!copy && left && !--left) {
            ++counts_.replications;
            counts_.cycles += costs_.replication;
            holders.add(processor);
            copy = true;
        }
        if (!write) {
            ++(copy ? counts_.local_reads : counts_.remote_reads);
            counts_.cycles += copy ? costs_.local_access : costs_.remote_read;
            return;
        }
        ++(copy ? counts_.local_writes : counts_.remote_writes);
        counts_.cycles += copy ? costs_.local_access : costs_.remote_write;
        owner = copy ? processor : owner;
        holders.for_each([&](uint32_t holder) {
            if (holder == owner)
                return;
            ++counts_.invalidations;
            ++counts_.updates_sent;
            counts_.cycles += costs_.update;
            holders.remove(holder);
            left_[size_t(page) * processors_ + holder] = delay_;
        });
    }

    const NumaCosts costs_;
    const uint32_t delay_, processors_, home_;
    std::vector<uint32_t> owners_;
    std::vector<uint32_t> left_; // of DELAY, a page and processor
    std::vector<uint64_t> holders_;
    NumaCounts counts_;
};

} // namespace litemrc_native
