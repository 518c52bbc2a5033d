// SPDX-License-Identifier: BSD-2-Clause
#include "exact_stack.hpp"

#include <algorithm>
#include <stdexcept>

namespace litemrc_native {

template <typename Visit> void ExactStack::in_batches(const uint64_t *pages, size_t count, Visit visit) {
    uint32_t last[BATCH], distances[BATCH], fresh[BATCH];
    while (count) {
        uint64_t room = index_.room();
        if (room == 0) {
            compact(1);
            room = index_.room();
        }
        const size_t batch = size_t(std::min<uint64_t>({count, room, BATCH}));
        last_.exchange(pages, batch, uint32_t(index_.next()), last);
        const size_t found = index_.touch(last, batch, distances, fresh);
        visit(pages, distances, batch, fresh, found);
        pages += batch;
        count -= batch;
    }
}

void ExactStack::access(const uint64_t *pages, size_t count, std::vector<uint64_t> *cold) {
    in_batches(pages, count,
               [=](const uint64_t *batch, const uint32_t *distances, size_t size, const uint32_t *fresh, size_t found) {
                   if (cold)
                       for (size_t i = 0; i < found; ++i)
                           cold->push_back(batch[fresh[i]]);
                   count_distances(distances, size);
               });
}

void ExactStack::access(const uint64_t *pages, size_t count, uint32_t *distances) {
    in_batches(pages, count,
               [=, &distances](const uint64_t *, const uint32_t *found, size_t size, const uint32_t *, size_t) {
                   distances = std::copy_n(found, size, distances);
                   count_distances(found, size);
               });
}

void ExactStack::ranks(const uint64_t *pages, size_t count, uint32_t *ranks) {
    last_.find(pages, count, ranks);
    index_.rank(ranks, count);
}

void ExactStack::append(const ExactStack &later, const std::vector<uint64_t> &cold,
                        const std::vector<uint32_t> &ranks) {
    join(cold.data(), ranks.data(), cold.size());
    const std::vector<uint64_t> counters = later.histogram();
    for (uint64_t distance = 1; distance <= later.footprint(); ++distance)
        histogram_.count(uint32_t(distance), counters[distance]);
    accesses_ += later.accesses_ - cold.size();
}

void ExactStack::join(const uint64_t *cold, const uint32_t *ranks, size_t count, std::vector<uint64_t> *added) {
    if (index_.room(count) < count) {
        compact(count);
        index_.room(count);
    }
    const uint32_t base = uint32_t(index_.next() - 1);
    uint32_t slots[BATCH], last[BATCH], distances[BATCH], fresh[BATCH];
    for (size_t start = 0; start < count; start += BATCH) {
        const size_t batch = std::min(count - start, BATCH);
        for (size_t i = 0; i < batch; ++i)
            slots[i] = base + ranks[start + i];
        last_.exchange(cold + start, batch, slots, last);
        const size_t found = index_.touch(last, batch, distances, fresh);
        if (added)
            for (size_t i = 0; i < found; ++i)
                added->push_back(cold[start + fresh[i]]);
        count_distances(distances, batch);
    }
}

void ExactStack::restore(const uint64_t *pages, const uint32_t *ranks, size_t count, size_t more) {
    const uint64_t needed = uint64_t(count) + more + 2 * RecencyIndex::BLOCK;
    if (needed > RecencyIndex::MAX_SLOTS)
        throw std::length_error("more than 2^31 distinct pages");
    last_.restore(pages, ranks, count);
    index_.restart(count, whole_units(needed));
    histogram_.clear();
    histogram_.reserve(count);
    accesses_ = 0;
}

void ExactStack::clear() {
    last_.clear();
    index_.restart(0, index_.capacity());
    histogram_.clear();
    accesses_ = 0;
}

void ExactStack::count_distances(const uint32_t *distances, size_t count) {
    histogram_.reserve(footprint());
    histogram_.count_each(distances, count);
    accesses_ += count;
}

// Makes room for `wanted` accesses at once. Four slots a page: renumbering comes every three accesses a page, and costs
// a byte of memory a page.
void ExactStack::compact(uint64_t wanted) {
    const uint64_t live = index_.live();
    const uint64_t needed = live + wanted + 2 * RecencyIndex::BLOCK;
    if (needed > RecencyIndex::MAX_SLOTS)
        throw std::length_error("more than 2^31 distinct pages");
    uint64_t slots = index_.capacity();
    if (slots < std::max(4 * live, needed))
        slots = whole_units(std::max(4 * live + live / 2, needed + live));
    last_.for_each_run([&](uint32_t *run, size_t length) { index_.rank(run, length); });
    index_.restart(live, slots);
}

uint64_t ExactStack::whole_units(uint64_t slots) {
    const uint64_t unit = RecencyIndex::MIN_SLOTS;
    return std::min((slots + unit - 1) / unit * unit, RecencyIndex::MAX_SLOTS);
}

} // namespace litemrc_native
