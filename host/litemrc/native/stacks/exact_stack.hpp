// SPDX-License-Identifier: BSD-2-Clause
// Exact LRU stack distances of a stream of pages, with a state that depends on the number of distinct pages only.
//
// A table knows the slot of each page's last access, a RecencyIndex the number of pages used since. When the slots run
// out, the pages' slots are replaced by their ranks, and time goes on from there.
#pragma once

#include "distance_histogram.hpp"
#include "last_slots.hpp"
#include "recency_index.hpp"

#include <vector>

namespace litemrc_native {

class ExactStack {
  public:
    static constexpr size_t BATCH = 512; // accesses whose slots and distances stay in the first-level cache

    // `slots`: to begin with, as for RecencyIndex::restart.
    explicit ExactStack(uint64_t slots = RecencyIndex::MIN_SLOTS) {
        index_.restart(0, slots);
        histogram_.reserve(0);
    }

    // Takes `count` accesses, and appends the pages that are new to `cold` in the order of their first access.
    // Throws std::bad_alloc, and std::length_error if there are more distinct pages than slots.
    void access(const uint64_t *pages, size_t count, std::vector<uint64_t> *cold = nullptr);

    // The same, and writes each access's stack distance: the LRU position from 1, or 0 for the first access to a page.
    void access(const uint64_t *pages, size_t count, uint32_t *distances);

    // Writes the ranks of `count` pages, all of them in the stack: 1 for the least recently used page.
    void ranks(const uint64_t *pages, size_t count, uint32_t *ranks);

    // Continues with the accesses that `later` took, as if they had come here. `cold`: the pages new to it; `ranks`:
    // theirs in its stack.
    //
    // The first accesses of a later part are the only ones that depend on what came before (Niu et al., PARDA, IPDPS
    // 2012). Each finds above its page the pages used since, and the later part's pages before it: what it finds if
    // these were moved to the top one by one. Each moves to the slot that its last access of the later part deserves.
    void append(const ExactStack &later, const std::vector<uint64_t> &cold, const std::vector<uint32_t> &ranks);

    // What `append` does but for the later part's own counters: takes the first accesses to the `count` pages `cold` of
    // a part. Appends the pages that are new here to `fresh`, in their order.
    void join(const uint64_t *cold, const uint32_t *ranks, size_t count, std::vector<uint64_t> *fresh = nullptr);

    // Begins again with `count` pages, page i of the rank ranks[i] (1 .. count, each once), counters of 0, and slots for
    // `more` accesses.
    void restore(const uint64_t *pages, const uint32_t *ranks, size_t count, size_t more);

    void clear();

    uint64_t accesses() const { return accesses_; }
    uint64_t footprint() const { return index_.live(); } // distinct pages

    // Accesses by stack distance 0 .. footprint(): the LRU position from 1, or 0 for the first access to a page.
    std::vector<uint64_t> histogram() const { return histogram_.counters(footprint() + 1); }

    uint64_t cold_misses() const { return histogram_.at(0); }

  private:
    template <typename Visit> void in_batches(const uint64_t *pages, size_t count, Visit visit);
    void count_distances(const uint32_t *distances, size_t count);
    void compact(uint64_t wanted);
    static uint64_t whole_units(uint64_t slots);

    LastSlots last_;
    RecencyIndex index_;
    DistanceHistogram histogram_;
    uint64_t accesses_ = 0;
};

} // namespace litemrc_native
