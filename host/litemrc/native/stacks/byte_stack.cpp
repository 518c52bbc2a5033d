// SPDX-License-Identifier: BSD-2-Clause
#include "byte_stack.hpp"

#include <algorithm>
#include <stdexcept>

namespace litemrc_native {

void ByteHistogram::count(const uint64_t *distances, size_t count) {
    uint64_t largest = 0;
    for (size_t i = 0; i < count; ++i)
        largest = std::max(largest, distances[i]);
    while (largest > CLASSES << shift_)
        halve();
    const uint64_t up = resolution() - 1;
    uint32_t classes[MOST];
    for (size_t i = 0; i < count; ++i)
        classes[i] = uint32_t((distances[i] + up) >> shift_);
    counters_.count_each(classes, count);
}

void ByteHistogram::halve() {
    const std::vector<uint64_t> before = counters();
    counters_.clear();
    counters_.count(0, before[0]);
    for (size_t to = 1; to <= CLASSES / 2; ++to)
        counters_.count(uint32_t(to), before[2 * to - 1] + before[2 * to]);
    ++shift_;
}

void ByteStack::access(const uint64_t *objects, const uint32_t *sizes, size_t count) {
    Place last[BATCH];
    uint64_t distances[BATCH];
    while (count) {
        uint64_t most = narrow_.total(); // bytes of all objects after the next accesses, if none takes another's place
        for (size_t i = 0; !is_wide_ && i < std::min(count, BATCH); ++i)
            most += sizes[i];
        is_wide_ = is_wide_ || most > UINT32_MAX;
        const bool widens = is_wide_ && !wide_.capacity();
        if (widens || room() == 0)
            compact();
        const size_t batch = size_t(std::min<uint64_t>({count, room(), BATCH}));
        const uint32_t first = is_wide_ ? wide_.next() : narrow_.next();
        last_.exchange_with(objects, batch, [=](size_t i) { return place_of(first + uint32_t(i), sizes[i]); }, last);
        if (is_wide_)
            wide_.touch(last, sizes, batch, distances);
        else
            narrow_.touch(last, sizes, batch, distances);
        histogram_.count(distances, batch);
        accesses_ += batch;
        objects += batch;
        sizes += batch;
        count -= batch;
    }
}

// Renumbers the objects' slots by their ranks; four slots an object, as in ExactStack.
void ByteStack::compact() {
    const uint64_t slots = std::max(wide_.capacity(), narrow_.capacity());
    std::vector<uint64_t> used(slots / 64 + 1);
    last_.for_each_run([&](const Place *run, size_t length) {
        for (size_t i = 0; i < length; ++i)
            used[uint32_t(run[i]) / 64] |= uint64_t(1) << uint32_t(run[i]) % 64;
    });
    used[0] &= ~uint64_t(1); // NO_SLOT
    std::vector<uint32_t> before(used.size());
    uint64_t live = 0;
    for (size_t word = 0; word < used.size(); ++word) {
        before[word] = uint32_t(live);
        live += unsigned(__builtin_popcountll(used[word]));
    }
    std::vector<uint32_t> sizes(live);
    last_.for_each_run([&](Place *run, size_t length) {
        for (size_t i = 0; i < length; ++i) {
            const uint32_t slot = uint32_t(run[i]);
            if (slot == NO_SLOT)
                continue;
            const uint64_t older = used[slot / 64] & ((uint64_t(1) << slot % 64) - 1);
            const uint32_t rank = before[slot / 64] + uint32_t(__builtin_popcountll(older));
            sizes[rank] = uint32_t(run[i] >> 32);
            run[i] = place_of(rank + 1, sizes[rank]);
        }
    });
    const uint64_t unit = BasicByteIndex<uint64_t>::MIN_SLOTS;
    const uint64_t wanted = 2 * slots < 5 * live ? (4 * live + unit) / unit * unit : slots;
    const uint64_t granted = std::min(wanted, BasicByteIndex<uint64_t>::MAX_SLOTS);
    if (live + 1 >= granted)
        throw std::length_error("more than 2^31 distinct pages");
    if (!is_wide_)
        return narrow_.restart(sizes, granted);
    narrow_ = {};
    wide_.restart(sizes, granted);
}

} // namespace litemrc_native
