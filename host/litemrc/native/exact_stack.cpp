#include "exact_stack.hpp"

#include <algorithm>
#include <stdexcept>

namespace litemrc_native {

void ExactStack::access(const uint64_t *pages, size_t count) {
    uint32_t last[BATCH], distances[BATCH];
    while (count) {
        uint64_t room = index_.room();
        if (room == 0) {
            compact();
            room = index_.room();
        }
        const size_t batch = size_t(std::min<uint64_t>({count, room, BATCH}));
        last_.exchange(pages, batch, uint32_t(index_.next()), last);
        index_.touch(last, batch, distances);
        histogram_.reserve(footprint());
        for (size_t i = 0; i < batch; ++i)
            histogram_.prefetch(distances[i]);
        for (size_t i = 0; i < batch; ++i)
            histogram_.count(distances[i]);
        accesses_ += batch;
        pages += batch;
        count -= batch;
    }
}

// Four slots a page: a renumbering for every three accesses a page, and a byte of memory a page.
void ExactStack::compact() {
    const uint64_t live = index_.live();
    const uint64_t unit = RecencyIndex::MIN_SLOTS;
    uint64_t slots = index_.capacity();
    if (slots < 4 * live)
        slots = std::min((4 * live + live / 2 + unit - 1) / unit * unit, RecencyIndex::MAX_SLOTS);
    if (live + 2 * RecencyIndex::BLOCK > slots)
        throw std::length_error("more than 2^31 distinct pages");
    last_.for_each_run([&](uint32_t *run, size_t length) { index_.rank(run, length); });
    index_.restart(live, slots);
}

} // namespace litemrc_native
