// SPDX-License-Identifier: BSD-2-Clause
// SHARDS with a fixed sampling rate: the exact engine over the sampled pages' accesses (Waldspurger et al., FAST 2015,
// section 3.1).
#pragma once

#include "exact_stack.hpp"
#include "spatial_sample.hpp"

#include <algorithm>
#include <vector>

namespace litemrc_native {

// For the error of the curve (a delete-a-group jackknife), the sample is also divided into groups, by equal parts of the
// hashes below the threshold, and as many further stacks take the sample without one of the groups each.
//
// `Stack`: ExactStack, or ExactPart for a part of a trace.
template <typename Stack> class BasicShardsFixedRate {
  public:
    // `groups`: of the sample; 0: none.
    BasicShardsFixedRate(double rate, unsigned groups)
        : threshold_(sampling_threshold(rate)), group_hashes_(groups ? threshold_ / groups + 1 : 0), without_(groups) {}

    // Throws as ExactStack::access.
    void access(const uint64_t *pages, size_t count) {
        uint64_t sampled[BATCH];
        accesses_ += count;
        while (count) {
            const size_t batch = std::min(count, BATCH);
            const size_t selected = select_sampled(pages, batch, threshold_, sampled);
            stack_.access(sampled, selected);
            access_groups(sampled, selected);
            pages += batch;
            count -= batch;
        }
    }

    uint64_t accesses() const { return accesses_; }
    Stack &stack() { return stack_; } // of the sampled accesses

    // The stack of the sampled accesses without those to pages of a group.
    Stack &stack_without(size_t group) { return without_.at(group); }

  private:
    static constexpr size_t BATCH = 2048;

    void access_groups(const uint64_t *sampled, size_t count) {
        if (without_.empty() || !count)
            return;
        uint64_t others[BATCH];
        uint8_t groups[BATCH];
        for (size_t i = 0; i < count; ++i)
            groups[i] = uint8_t(sampling_hash(sampled[i]) / group_hashes_);
        for (size_t group = 0; group < without_.size(); ++group) {
            size_t kept = 0;
            for (size_t i = 0; i < count; ++i) {
                others[kept] = sampled[i];
                kept += groups[i] != group; // no branch to predict
            }
            without_[group].access(others, kept);
        }
    }

    uint64_t threshold_;
    uint64_t group_hashes_; // hashes of a group
    uint64_t accesses_ = 0;
    Stack stack_;
    std::vector<Stack> without_;
};

using ShardsFixedRate = BasicShardsFixedRate<ExactStack>;

} // namespace litemrc_native
