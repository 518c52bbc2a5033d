#include "recency_index.hpp"

#include <algorithm>
#include <new>

// Compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stacks/recency_index.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace litemrc_native {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Levels = RecencyLevels;

// Row n: n ones, then zeros.
template <typename T> struct alignas(64) Ones {
    T rows[Levels::RADIX][Levels::RADIX];
    constexpr Ones() : rows{} {
        for (unsigned n = 0; n < Levels::RADIX; ++n)
            for (unsigned i = 0; i < n; ++i)
                rows[n][i] = 1;
    }
};
constexpr Ones<uint16_t> ONES16;
constexpr Ones<uint32_t> ONES32;

template <typename T> HWY_INLINE void lower(T *siblings, const T *by) {
    const hn::CappedTag<T, Levels::RADIX> d;
    for (size_t i = 0; i < Levels::RADIX; i += hn::Lanes(d))
        hn::Store(hn::Sub(hn::Load(d, siblings + i), hn::Load(d, by + i)), d, siblings + i);
}

// Lowers the numbers of the siblings before the one that holds `slot`.
template <unsigned LEVEL> HWY_INLINE void lower_earlier(const Levels &levels, uint32_t slot) {
    const size_t at = slot >> Levels::shift(LEVEL);
    const size_t sibling = at % Levels::RADIX;
    if constexpr (LEVEL < Levels::SMALL)
        lower(levels.small[LEVEL] + (at - sibling), ONES16.rows[sibling]);
    else
        lower(levels.large[LEVEL - Levels::SMALL] + (at - sibling), ONES32.rows[sibling]);
}

template <unsigned COUNT> HWY_INLINE uint32_t younger_in(const Levels &levels, uint32_t slot) {
    uint32_t younger = uint32_t(hwy::PopCount((levels.words[slot >> Levels::WORD_BITS] >> (slot % 64)) >> 1));
    younger += levels.small[0][slot >> Levels::shift(0)];
    younger += levels.small[1][slot >> Levels::shift(1)];
    if constexpr (COUNT > 2)
        younger += levels.large[0][slot >> Levels::shift(2)];
    if constexpr (COUNT > 3)
        younger += levels.large[1][slot >> Levels::shift(3)];
    if constexpr (COUNT > 4)
        younger += levels.large[2][slot >> Levels::shift(4)];
    return younger;
}

template <unsigned COUNT> HWY_INLINE void take_out(const Levels &levels, uint32_t slot) {
    levels.words[slot >> Levels::WORD_BITS] &= ~(uint64_t(1) << (slot % 64));
    lower_earlier<0>(levels, slot);
    lower_earlier<1>(levels, slot);
    if constexpr (COUNT > 2)
        lower_earlier<2>(levels, slot);
    if constexpr (COUNT > 3)
        lower_earlier<3>(levels, slot);
    if constexpr (COUNT > 4)
        lower_earlier<4>(levels, slot);
}

// `unused`: slots marked live that no access has got yet, the one of the first access among them.
template <unsigned COUNT>
size_t touch_levels(const Levels levels, uint32_t unused, const uint32_t *last, size_t count, uint32_t *distances,
                    uint32_t *fresh) {
    constexpr size_t AHEAD = 12; // accesses; a large index lies in memory, not in a cache
    size_t found = 0;
    for (size_t i = 0; i < count; ++i, --unused) {
        if (COUNT > 2 && i + AHEAD < count) {
            const uint32_t ahead = last[i + AHEAD] >> Levels::WORD_BITS;
            __builtin_prefetch(levels.words + ahead);
            __builtin_prefetch(levels.small[0] + ahead);
        }
        const uint32_t slot = last[i];
        if (slot == NO_SLOT) {
            distances[i] = 0;
            fresh[found++] = uint32_t(i);
            continue;
        }
        distances[i] = younger_in<COUNT>(levels, slot) - unused + 1;
        take_out<COUNT>(levels, slot);
    }
    return found;
}

// Slots become ranks: 1 for the least recently used page. `marked`: slots marked live.
template <unsigned COUNT>
void rank_levels(const Levels levels, uint32_t marked, uint32_t *slots, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (slots[i] != NO_SLOT)
            slots[i] = marked - younger_in<COUNT>(levels, slots[i]);
}

size_t Touch(const Levels &levels, uint32_t unused, const uint32_t *last, size_t count, uint32_t *distances,
             uint32_t *fresh) {
    switch (levels.count) {
    case 2:
        return touch_levels<2>(levels, unused, last, count, distances, fresh);
    case 3:
        return touch_levels<3>(levels, unused, last, count, distances, fresh);
    case 4:
        return touch_levels<4>(levels, unused, last, count, distances, fresh);
    default:
        return touch_levels<5>(levels, unused, last, count, distances, fresh);
    }
}

void TakeOut(const Levels &levels, uint32_t slot) {
    switch (levels.count) {
    case 2:
        return take_out<2>(levels, slot);
    case 3:
        return take_out<3>(levels, slot);
    case 4:
        return take_out<4>(levels, slot);
    default:
        return take_out<5>(levels, slot);
    }
}

void Rank(const Levels &levels, uint32_t marked, uint32_t *slots, size_t count) {
    switch (levels.count) {
    case 2:
        return rank_levels<2>(levels, marked, slots, count);
    case 3:
        return rank_levels<3>(levels, marked, slots, count);
    case 4:
        return rank_levels<4>(levels, marked, slots, count);
    default:
        return rank_levels<5>(levels, marked, slots, count);
    }
}

} // namespace HWY_NAMESPACE
} // namespace litemrc_native
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
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

HWY_EXPORT(Touch);
HWY_EXPORT(TakeOut);
HWY_EXPORT(Rank);

size_t RecencyIndex::touch(const uint32_t *last, size_t count, uint32_t *distances, uint32_t *fresh) {
    const uint32_t unused = uint32_t(block_end_ - next_);
    const size_t found = HWY_DYNAMIC_DISPATCH(Touch)(levels_, unused, last, count, distances, fresh);
    live_ += found;
    next_ += count;
    return found;
}

void RecencyIndex::remove(uint32_t slot) {
    HWY_DYNAMIC_DISPATCH(TakeOut)(levels_, slot);
    --live_;
}

void RecencyIndex::rank(uint32_t *slots, size_t count) const {
    HWY_DYNAMIC_DISPATCH(Rank)(levels_, uint32_t(live_ + (block_end_ - next_)), slots, count);
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
    HWY_DYNAMIC_DISPATCH(TakeOut)(levels_, NO_SLOT);
}

void RecencyIndex::allocate(uint64_t slots) {
    capacity_ = 0; // should an allocation fail
    levels_.count = 2;
    while (slots > uint64_t(1) << Levels::shift(levels_.count))
        ++levels_.count;
    words_.reset();
    words_ = hwy::AllocateAligned<uint64_t>(words_of(slots));
    bool failed = !words_;
    levels_.words = words_.get();
    for (unsigned level = 0; level < levels_.count; ++level) {
        if (level < Levels::SMALL) {
            small_[level].reset();
            small_[level] = hwy::AllocateAligned<uint16_t>(numbers_of(slots, level));
            levels_.small[level] = small_[level].get();
            failed |= !small_[level];
        } else {
            auto &numbers = large_[level - Levels::SMALL];
            numbers.reset();
            numbers = hwy::AllocateAligned<uint32_t>(numbers_of(slots, level));
            levels_.large[level - Levels::SMALL] = numbers.get();
            failed |= !numbers;
        }
    }
    if (failed)
        throw std::bad_alloc();
    capacity_ = slots;
}

} // namespace litemrc_native
#endif
