// SPDX-License-Identifier: BSD-2-Clause
#include "recency_index.hpp"

#include <algorithm>
#include <new>

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
    if (slots != capacity_)
        allocate(slots);
    std::fill_n(levels_.words, words_of(slots), 0);
    for (unsigned level = 0; level < levels_.count; ++level) {
        if (level < Levels::SMALL)
            std::fill_n(levels_.small[level], numbers_of(slots, level), uint16_t(0));
        else
            std::fill_n(levels_.large[level - Levels::SMALL], numbers_of(slots, level), 0u);
    }
    live_ = live;
    next_ = live + 1;
    for (block_end_ = 0; block_end_ < next_;)
        begin_block();
    recency_kernels().take_out(levels_, NO_SLOT);
}

template <typename T> RecencyIndex::AlignedArray<T> RecencyIndex::aligned_array(size_t size) {
    const size_t bytes = (size * sizeof(T) + Levels::ALIGNMENT - 1) / Levels::ALIGNMENT * Levels::ALIGNMENT;
    return AlignedArray<T>(static_cast<T *>(std::aligned_alloc(Levels::ALIGNMENT, bytes)));
}

void RecencyIndex::allocate(uint64_t slots) {
    capacity_ = 0; // should an allocation fail
    levels_.count = 2;
    while (slots > uint64_t(1) << Levels::shift(levels_.count))
        ++levels_.count;
    words_.reset();
    words_ = aligned_array<uint64_t>(words_of(slots));
    bool failed = !words_;
    levels_.words = words_.get();
    for (unsigned level = 0; level < levels_.count; ++level) {
        if (level < Levels::SMALL) {
            small_[level].reset();
            small_[level] = aligned_array<uint16_t>(numbers_of(slots, level));
            levels_.small[level] = small_[level].get();
            failed |= !small_[level];
        } else {
            auto &numbers = large_[level - Levels::SMALL];
            numbers.reset();
            numbers = aligned_array<uint32_t>(numbers_of(slots, level));
            levels_.large[level - Levels::SMALL] = numbers.get();
            failed |= !numbers;
        }
    }
    if (failed)
        throw std::bad_alloc();
    capacity_ = slots;
}

} // namespace litemrc_native
