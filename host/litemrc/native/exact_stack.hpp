// Exact LRU stack distances of a stream of pages, with a state that depends on the number of distinct pages only.
//
// A table knows the slot of each page's last access, a RecencyIndex the number of pages used since. When the slots run
// out, the pages' slots are replaced by their ranks, and time goes on from there.
#pragma once

#include "last_slots.hpp"
#include "recency_index.hpp"

#include <cstdlib>
#include <new>

namespace litemrc_native {

// Counters by stack distance, 0 for cold misses. Grows in place where the system can.
class DistanceHistogram {
  public:
    ~DistanceHistogram() { std::free(counters_); }
    DistanceHistogram() = default;
    DistanceHistogram(const DistanceHistogram &) = delete;
    DistanceHistogram &operator=(const DistanceHistogram &) = delete;

    // Makes room for distances up to `most`. Throws std::bad_alloc.
    void reserve(size_t most) {
        if (most < size_)
            return;
        const size_t size = most + most / 8 + 1024;
        void *moved = std::realloc(counters_, size * sizeof(uint64_t));
        if (!moved)
            throw std::bad_alloc();
        counters_ = static_cast<uint64_t *>(moved);
        std::fill(counters_ + size_, counters_ + size, 0);
        size_ = size;
    }

    void prefetch(uint32_t distance) const { __builtin_prefetch(counters_ + distance, 1); }
    void count(uint32_t distance) { ++counters_[distance]; }
    const uint64_t *counters() const { return counters_; }

  private:
    uint64_t *counters_ = nullptr;
    size_t size_ = 0;
};

class ExactStack {
  public:
    // `slots`: to begin with, as for RecencyIndex::restart.
    explicit ExactStack(uint64_t slots = RecencyIndex::MIN_SLOTS) {
        index_.restart(0, slots);
        histogram_.reserve(0);
    }

    // Throws std::bad_alloc, and std::length_error if there are more distinct pages than slots.
    void access(const uint64_t *pages, size_t count);

    uint64_t accesses() const { return accesses_; }
    uint64_t footprint() const { return index_.live(); } // distinct pages

    // Accesses by stack distance 0 .. footprint(): the LRU position from 1, or 0 for the first access to a page.
    const uint64_t *histogram() const { return histogram_.counters(); }

  private:
    static constexpr size_t BATCH = 512; // accesses whose slots and distances stay in the first-level cache

    void compact();

    LastSlots last_;
    RecencyIndex index_;
    DistanceHistogram histogram_;
    uint64_t accesses_ = 0;
};

} // namespace litemrc_native
