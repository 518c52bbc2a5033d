// SPDX-License-Identifier: BSD-2-Clause
#include "recency_index.hpp"

namespace litemrc_native {

namespace {

using Levels = RecencyLevels;

size_t words_of(uint64_t slots) { return slots >> Levels::WORD_BITS; }

// Numbers of a level, the last set of siblings filled up.
size_t numbers_of(uint64_t slots, unsigned level) {
    const uint64_t set = uint64_t(1) << Levels::shift(level + 1); // slots below a set
    return (slots + set - 1) / set * Levels::RADIX;
}

} // namespace

size_t RecencyIndex::touch(const uint32_t *last, size_t count, uint32_t *distances, uint32_t *fresh) {
    const uint32_t unused = uint32_t(block_end_ - next_);
    const size_t found = recency_kernels().touch(levels_, unused, last, count, distances, fresh);
    live_ += found;
    next_ += count;
    return found;
}

void RecencyIndex::remove(uint32_t slot) {
    recency_kernels().take_out(levels_, slot);
    --live_;
}

void RecencyIndex::rank(uint32_t *slots, size_t count) const {
    recency_kernels().rank(levels_, uint32_t(live_ + (block_end_ - next_)), slots, count);
}

uint64_t RecencyIndex::room(uint64_t wanted) {
    while (block_end_ - next_ < wanted && block_end_ != capacity_)
        begin_block();
    return block_end_ - next_;
}

// Marks all slots of the next block live.
void RecencyIndex::begin_block() {
    for (unsigned i = 0; i < Levels::RADIX; ++i) {
        const size_t word = (block_end_ >> Levels::WORD_BITS) + i;
        levels_.words[word] = ~uint64_t(0);
        levels_.small[0][word] = uint16_t((Levels::RADIX - 1 - i) * 64);
    }
    for (unsigned level = 1; level < levels_.count; ++level) {
        const size_t at = block_end_ >> Levels::shift(level);
        for (size_t earlier = at - at % Levels::RADIX; earlier < at; ++earlier) {
            if (level < Levels::SMALL)
                levels_.small[level][earlier] = uint16_t(levels_.small[level][earlier] + BLOCK);
            else
                levels_.large[level - Levels::SMALL][earlier] += uint32_t(BLOCK);
        }
    }
    block_end_ += BLOCK;
}

void RecencyIndex::restart(uint64_t live, uint64_t slots) {
    if (slots != capacity_) {
        allocate(slots);
    } else {
        words_.clear();
        for (auto &numbers : small_)
            numbers.clear();
        for (auto &numbers : large_)
            numbers.clear();
    }
    live_ = live;
    next_ = live + 1;
    for (block_end_ = 0; block_end_ < next_;)
        begin_block();
    recency_kernels().take_out(levels_, NO_SLOT);
}

void RecencyIndex::allocate(uint64_t slots) {
    capacity_ = 0; // should an allocation fail
    levels_.count = 2;
    while (slots > uint64_t(1) << Levels::shift(levels_.count))
        ++levels_.count;
    words_.restart(words_of(slots));
    levels_.words = words_.data();
    for (unsigned level = 0; level < Levels::SMALL; ++level) {
        small_[level].restart(numbers_of(slots, level));
        levels_.small[level] = small_[level].data();
    }
    for (unsigned level = Levels::SMALL; level < levels_.count; ++level) {
        LargeArray<uint32_t> &numbers = large_[level - Levels::SMALL];
        numbers.restart(numbers_of(slots, level));
        levels_.large[level - Levels::SMALL] = numbers.data();
    }
    capacity_ = slots;
}

} // namespace litemrc_native
