// SPDX-License-Identifier: BSD-2-Clause
// Exact LRU stack distances in bytes of a stream of objects of varying size: the structure of ExactStack, with sizes in place
// of ones.
#pragma once

#include "byte_index.hpp"
#include "distance_histogram.hpp"
#include "last_slots.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// Counters by stack distance in bytes, rounded up to a multiple of the resolution. The resolution is the smallest power of
// two with which the largest distance needs at most CLASSES counters; it doubles as distances grow, so that the result does
// not depend on the order of the distances.
class ByteHistogram {
  public:
    static constexpr uint64_t CLASSES = uint64_t(1) << 18;

    ByteHistogram() { counters_.reserve(CLASSES); }

    static constexpr size_t MOST = 512; // distances at once

    // Counts `count` <= MOST distances of at least 1, and as cold misses those that are 0.
    void count(const uint64_t *distances, size_t count);

    uint64_t resolution() const { return uint64_t(1) << shift_; }

    // [0] counts cold misses, [n] distances above (n - 1) and up to n times the resolution; CLASSES + 1 of them.
    std::vector<uint64_t> counters() const { return counters_.counters(CLASSES + 1); }

  private:
    void halve();

    unsigned shift_ = 0;
    DistanceHistogram counters_;
};

class ByteStack {
  public:
    explicit ByteStack(uint64_t slots = uint64_t(1) << 16) { narrow_.restart({}, slots); }

    // Takes `count` accesses to `objects`, which have `sizes` bytes from then on. Throws std::bad_alloc, and
    // std::length_error if there are more distinct objects than slots.
    void access(const uint64_t *objects, const uint32_t *sizes, size_t count);

    uint64_t accesses() const { return accesses_; }
    const ByteHistogram &histogram() const { return histogram_; }

  private:
    static constexpr size_t BATCH = ByteHistogram::MOST; // accesses whose places and distances stay in the first-level cache

    uint64_t room() const { return is_wide_ ? wide_.room() : narrow_.room(); }
    void compact();

    BasicLastSlots<Place> last_;
    BasicByteIndex<uint32_t> narrow_; // until all objects have 2^32 bytes
    BasicByteIndex<uint64_t> wide_;   // from then on
    bool is_wide_ = false;
    ByteHistogram histogram_;
    uint64_t accesses_ = 0;
};

} // namespace litemrc_native
