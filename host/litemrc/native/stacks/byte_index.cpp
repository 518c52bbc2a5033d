// SPDX-License-Identifier: BSD-2-Clause
#include "byte_index.hpp"

#include <algorithm>

namespace litemrc_native {

template <typename Number>
void BasicByteIndex<Number>::restart(const std::vector<uint32_t> &sizes, uint64_t slots) {
    if (slots != capacity_)
        allocate(slots);
    else
        for (auto &numbers : numbers_)
            numbers.clear();
    std::fill_n(levels_.open, Levels::MOST, Number(0));
    levels_.total = 0;
    levels_.next = NO_SLOT + 1;
    constexpr size_t BATCH = 512;
    const Place never[BATCH] = {};
    uint64_t distances[BATCH];
    for (size_t start = 0; start < sizes.size(); start += BATCH)
        touch(never, sizes.data() + start, std::min(sizes.size() - start, BATCH), distances);
}

template <typename Number> void BasicByteIndex<Number>::allocate(uint64_t slots) {
    capacity_ = 0; // should an allocation fail
    levels_.count = Levels::FEWEST;
    while (slots > uint64_t(1) << Levels::shift(levels_.count))
        ++levels_.count;
    for (unsigned level = 0; level < levels_.count; ++level) {
        const uint64_t set = uint64_t(1) << Levels::shift(level + 1); // slots below a set of siblings; the last set is filled up
        numbers_[level].restart((slots + set - 1) / set * Levels::RADIX);
        levels_.numbers[level] = numbers_[level].data();
    }
    capacity_ = slots;
}

template class BasicByteIndex<uint32_t>;
template class BasicByteIndex<uint64_t>;

} // namespace litemrc_native
