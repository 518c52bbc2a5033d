// SPDX-License-Identifier: BSD-2-Clause
#include "byte_index.hpp"

#include <algorithm>
#include <new>

namespace litemrc_native {

namespace {

using Levels = ByteLevels;

// Numbers of a level, the last siblings filled up.
size_t numbers_of(uint64_t slots, unsigned level) {
    const uint64_t set = uint64_t(1) << Levels::shift(level + 1); // slots below a set of siblings
    return (slots + set - 1) / set * Levels::RADIX;
}

} // namespace

void ByteIndex::restart(const std::vector<uint32_t> &sizes, uint64_t slots) {
    if (slots != capacity_)
        allocate(slots);
    for (unsigned level = 0; level < levels_.count; ++level)
        std::fill_n(levels_.numbers[level], numbers_of(slots, level), uint64_t(0));
    std::fill_n(levels_.open, Levels::MOST, uint64_t(0));
    levels_.total = 0;
    levels_.next = NO_SLOT + 1;
    constexpr size_t BATCH = 512;
    const Place never[BATCH] = {};
    uint64_t distances[BATCH];
    for (size_t start = 0; start < sizes.size(); start += BATCH)
        touch(never, sizes.data() + start, std::min(sizes.size() - start, BATCH), distances);
}

void ByteIndex::allocate(uint64_t slots) {
    capacity_ = 0; // should an allocation fail
    levels_.count = 4;
    while (slots > uint64_t(1) << Levels::shift(levels_.count))
        ++levels_.count;
    for (unsigned level = 0; level < levels_.count; ++level) {
        numbers_[level].reset();
        const size_t bytes = numbers_of(slots, level) * sizeof(uint64_t);
        numbers_[level].reset(static_cast<uint64_t *>(std::aligned_alloc(Levels::ALIGNMENT, bytes)));
        levels_.numbers[level] = numbers_[level].get();
        if (!numbers_[level])
            throw std::bad_alloc();
    }
    capacity_ = slots;
}

} // namespace litemrc_native
