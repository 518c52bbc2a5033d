// SPDX-License-Identifier: BSD-2-Clause
// The sample without each of 8 groups of its pages, for the error of a sampled curve: a delete-a-group jackknife (native/shards.py).
#pragma once

#include "stacks/exact_stack.hpp"
#include "stacks/spatial_sample.hpp"

#include <array>
#include <numeric>
#include <vector>

namespace litemrc_qemu {

class SampleGroups {
  public:
    static constexpr size_t GROUPS = 8;

    // Takes an access to a page other than the last one.
    void access(uint64_t page) {
        group_ = litemrc_native::grouping_hash(page) % GROUPS;
        for (size_t group = 0; group < GROUPS; ++group)
            if (group != group_)
                without_[group].access(page);
    }

    // Takes one more access to the page of the last access.
    void repeat() { ++repeats_[group_]; }

    // Completes the counts below.
    void finish() {
        for (Stack &stack : without_)
            stack.finish();
    }

    // Accesses by exact stack distance, 0 for cold misses; those to pages of the group are left out.
    std::vector<uint64_t> histogram_without(size_t group) const {
        const litemrc_native::ExactStack &stack = without_[group].stack;
        std::vector<uint64_t> counts = stack.histogram();
        if (counts.size() > 1)
            counts[1] += std::accumulate(repeats_.begin(), repeats_.end(), uint64_t(0)) - repeats_[group];
        return counts;
    }

  private:
    struct Stack {
        static constexpr size_t BATCH = litemrc_native::ExactStack::BATCH;

        void access(uint64_t page) {
            pages[waiting++] = page;
            if (waiting == BATCH)
                finish();
        }
        void finish() {
            stack.access(pages.data(), waiting);
            waiting = 0;
        }

        litemrc_native::ExactStack stack;
        std::array<uint64_t, BATCH> pages;
        size_t waiting = 0;
    };

    std::array<Stack, GROUPS> without_;
    std::array<uint64_t, GROUPS> repeats_{}; // by group of the page
    size_t group_ = 0;
};

} // namespace litemrc_qemu
