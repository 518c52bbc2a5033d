// SPDX-License-Identifier: BSD-2-Clause
// SHARDS with a fixed sampling rate: the exact engine over the sampled pages' accesses (Waldspurger et al., FAST 2015,
// section 3.1).
#pragma once

#include "exact_part.hpp"
#include "jackknife_stack.hpp"
#include "spatial_sample.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace litemrc_native {

// For the error of the curve (a delete-a-group jackknife), the sample is also divided into groups, by equal parts of the
// hashes below the threshold, and further stacks take the sample without one of the groups each.
//
// `Stacks`: takes the accesses to sampled pages, and the groups of these pages.
template <typename Stacks> class BasicShardsFixedRate {
  public:
    // `groups`: whether there are groups.
    BasicShardsFixedRate(double rate, bool groups)
        : threshold_(sampling_threshold(rate)), group_hashes_(threshold_ / GROUPS + 1), stacks_(groups) {}

    BasicShardsFixedRate(const BasicShardsFixedRate &) = delete;
    BasicShardsFixedRate &operator=(const BasicShardsFixedRate &) = delete;

    // Throws as ExactStack::access.
    void access(const uint64_t *pages, size_t count) {
        uint64_t sampled[2 * BATCH];
        size_t selected = 0;
        accesses_ += count;
        while (count) {
            const size_t batch = std::min(count, BATCH);
            selected += select_sampled(pages, batch, threshold_, sampled + selected);
            pages += batch;
            count -= batch;
            if (selected < BATCH && count)
                continue;
            uint8_t groups[2 * BATCH];
            if (stacks_.has_groups())
                for (size_t i = 0; i < selected; ++i)
                    groups[i] = uint8_t(sampling_hash(sampled[i]) / group_hashes_);
            stacks_.access(sampled, groups, selected);
            selected = 0;
        }
    }

    uint64_t accesses() const { return accesses_; }
    Stacks &stacks() { return stacks_; }

  private:
    static constexpr unsigned GROUPS = JackknifeStack::GROUPS;
    static constexpr size_t BATCH = 1024;

    uint64_t threshold_;
    uint64_t group_hashes_; // hashes of a group
    uint64_t accesses_ = 0;
    Stacks stacks_;
};

// Of a whole trace.
class JackknifeStacks {
  public:
    explicit JackknifeStacks(bool groups) : has_groups_(groups) {}

    bool has_groups() const { return has_groups_; }
    void access(const uint64_t *sampled, const uint8_t *groups, size_t count) {
        if (has_groups_)
            grouped_.access(sampled, groups, count);
        else
            stack_.access(sampled, count);
    }

    // As JackknifeStack::histogram.
    std::vector<uint64_t> histogram(size_t sample) const {
        if (!has_groups_ && sample)
            throw std::out_of_range("no groups");
        return has_groups_ ? grouped_.histogram(sample) : stack_.histogram();
    }

  private:
    bool has_groups_;
    ExactStack stack_;
    JackknifeStack grouped_;
};

// Of a part of a trace: parts are joined, so each stack has its own pages.
class JackknifeParts {
  public:
    explicit JackknifeParts(bool groups) : parts_(groups ? JackknifeStack::GROUPS + 1 : 1) {}

    bool has_groups() const { return parts_.size() > 1; }
    void access(const uint64_t *sampled, const uint8_t *groups, size_t count) {
        parts_[0].access(sampled, count);
        std::vector<uint64_t> others(count);
        for (size_t group = 0; group + 1 < parts_.size(); ++group) {
            size_t kept = 0;
            for (size_t i = 0; i < count; ++i) {
                others[kept] = sampled[i];
                kept += groups[i] != group; // no branch to predict
            }
            parts_[group + 1].access(others.data(), kept);
        }
    }

    ExactPart &part(size_t sample) { return parts_.at(sample); }

  private:
    std::vector<ExactPart> parts_;
};

using ShardsFixedRate = BasicShardsFixedRate<JackknifeStacks>;
using ShardsFixedRatePart = BasicShardsFixedRate<JackknifeParts>;

} // namespace litemrc_native
