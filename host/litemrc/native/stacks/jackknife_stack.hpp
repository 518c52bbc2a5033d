// SPDX-License-Identifier: BSD-2-Clause
// The exact stack of pages that belong to groups, and at the same time the stacks without the pages of a group each.
#pragma once

#include "exact_stack.hpp"
#include "group_index.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace litemrc_native {

class JackknifeStack {
  public:
    static constexpr unsigned GROUPS = GroupIndex::GROUPS;

    JackknifeStack() { index_.restart(RecencyIndex::MIN_SLOTS); }

    // Takes `count` accesses to pages of `groups`, always the same for a page. Throws as ExactStack::access.
    void access(const uint64_t *pages, const uint8_t *groups, size_t count) {
        uint32_t last[BATCH];
        GroupIndex::Numbers younger[BATCH];
        while (count) {
            if (index_.room() == 0)
                compact();
            const size_t batch = size_t(std::min<uint64_t>({count, index_.room(), BATCH}));
            last_.exchange(pages, batch, index_.next(), last);
            index_.touch(last, groups, batch, younger);
            count_distances(last, groups, batch, younger);
            pages += batch;
            groups += batch;
            count -= batch;
        }
    }

    // Accesses by stack distance, as ExactStack::histogram. Sample 0: all pages, n + 1: those not of group n. Throws
    // std::out_of_range.
    std::vector<uint64_t> histogram(size_t sample) const {
        const DistanceHistogram &histogram = histograms_.at(sample);
        return histogram.counters(size_t(histogram.at(0)) + 1); // each page has one first access
    }

  private:
    static constexpr size_t BATCH = 256;

    void count_distances(const uint32_t *last, const uint8_t *groups, size_t count, const GroupIndex::Numbers *younger) {
        for (DistanceHistogram &histogram : histograms_)
            histogram.reserve(index_.live());
        for (size_t i = 0; i < count; ++i) {
            const uint32_t distance = GroupIndex::distance(last[i], younger[i]);
            histograms_[0].count(distance, 1);
            for (unsigned group = 0; group < GROUPS; ++group)
                if (group != groups[i])
                    histograms_[group + 1].count(distance ? distance - younger[i][group] : 0, 1);
        }
    }

    // Four slots a page, as in ExactStack.
    void compact() {
        const uint64_t live = index_.live(), unit = RecencyIndex::MIN_SLOTS;
        const uint64_t wanted = index_.capacity() < 4 * live ? (4 * live + live / 2 + unit) / unit * unit : index_.capacity();
        const uint64_t slots = std::min(wanted, GroupIndex::MAX_SLOTS);
        if (live + 1 >= slots)
            throw std::length_error("more than 2^31 distinct pages");
        last_.for_each_run([&](uint32_t *run, size_t length) {
            for (size_t i = 0; i < length; ++i)
                index_.rank(run[i]);
        });
        index_.compact(slots);
    }

    LastSlots last_;
    GroupIndex index_;
    std::array<DistanceHistogram, GROUPS + 1> histograms_;
};

} // namespace litemrc_native
