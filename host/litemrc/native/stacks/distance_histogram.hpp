// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "large_array.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace litemrc_native {

// Counters by stack distance, 0 for cold misses. Two bytes each, as many distances lie far apart in memory; what they cannot
// hold is carried elsewhere.
class DistanceHistogram {
  public:
    // Makes room for distances up to `most`. Throws std::bad_alloc.
    void reserve(size_t most) {
        if (most >= low_.size())
            low_.grow(std::max(most + 1024, low_.size() + low_.size() / 2));
    }

    // Counts each of `count` distances. Equal ones that follow each other, as in a loop, do not wait for each other's counter.
    void count_each(const uint32_t *distances, size_t count) {
        for (size_t i = 0; i < count; ++i)
            __builtin_prefetch(low_.data() + distances[i], 1);
        for (size_t i = 0, same; i < count; i += same) {
            for (same = 1; i + same < count && distances[i + same] == distances[i];)
                ++same;
            this->count(distances[i], same);
        }
    }

    void count(uint32_t distance, uint64_t times) {
        const uint64_t sum = low_[distance] + times;
        low_[distance] = uint16_t(sum);
        if (__builtin_expect(sum >= CARRY, 0))
            carried_[distance] += sum - sum % CARRY;
    }

    uint64_t at(uint32_t distance) const {
        const auto carried = carried_.find(distance);
        return low_[distance] + (carried == carried_.end() ? 0 : carried->second);
    }

    // The counters of distances below `size`.
    std::vector<uint64_t> counters(size_t size) const {
        std::vector<uint64_t> found(low_.data(), low_.data() + size);
        for (const auto &[distance, count] : carried_)
            found[distance] += count;
        return found;
    }

    void clear() {
        low_.clear();
        carried_.clear();
    }

  private:
    static constexpr uint64_t CARRY = uint64_t(1) << 16;

    LargeArray<uint16_t> low_;
    std::unordered_map<uint32_t, uint64_t> carried_;
};

} // namespace litemrc_native
