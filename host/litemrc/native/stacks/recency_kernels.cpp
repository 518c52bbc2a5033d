// SPDX-License-Identifier: BSD-2-Clause
// Compiled once for each instruction set, with INSTRUCTION_SET its name (CMakeLists.txt).
//
// All of it has internal linkage but the one table at the end: an inline function shared with another translation unit could
// be linked from the one whose instructions this processor lacks.
#include "recency_kernels.hpp"

#define INLINE inline __attribute__((always_inline))

namespace litemrc_native {

namespace {

using Levels = RecencyLevels;

// A constant, so that no function is called that other instruction sets share.
template <unsigned LEVEL> constexpr unsigned SHIFT = Levels::shift(LEVEL);

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

// As wide as this instruction set's registers; the compiler splits wider ones badly.
#if defined(__AVX512BW__)
constexpr size_t VECTOR_BYTES = 64;
#elif defined(__AVX2__)
constexpr size_t VECTOR_BYTES = 32;
#else
constexpr size_t VECTOR_BYTES = 16;
#endif

template <typename T> INLINE void lower(T *siblings, const T *by) {
    typedef T Vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
    for (size_t i = 0; i < Levels::RADIX; i += VECTOR_BYTES / sizeof(T))
        *reinterpret_cast<Vector *>(siblings + i) -= *reinterpret_cast<const Vector *>(by + i);
}

// Lowers the numbers of the siblings before the one that holds `slot`.
template <unsigned LEVEL> INLINE void lower_earlier(const Levels &levels, uint32_t slot) {
    const size_t at = slot >> SHIFT<LEVEL>;
    const size_t sibling = at % Levels::RADIX;
    if constexpr (LEVEL < Levels::SMALL)
        lower(levels.small[LEVEL] + (at - sibling), ONES16.rows[sibling]);
    else
        lower(levels.large[LEVEL - Levels::SMALL] + (at - sibling), ONES32.rows[sibling]);
}

template <unsigned COUNT> INLINE uint32_t younger_in(const Levels &levels, uint32_t slot) {
    uint32_t younger = uint32_t(__builtin_popcountll((levels.words[slot >> Levels::WORD_BITS] >> (slot % 64)) >> 1));
    younger += levels.small[0][slot >> SHIFT<0>];
    younger += levels.small[1][slot >> SHIFT<1>];
    if constexpr (COUNT > 2)
        younger += levels.large[0][slot >> SHIFT<2>];
    if constexpr (COUNT > 3)
        younger += levels.large[1][slot >> SHIFT<3>];
    if constexpr (COUNT > 4)
        younger += levels.large[2][slot >> SHIFT<4>];
    return younger;
}

template <unsigned COUNT> INLINE void take_out_levels(const Levels &levels, uint32_t slot) {
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
        take_out_levels<COUNT>(levels, slot);
    }
    return found;
}

template <unsigned COUNT>
void rank_levels(const Levels levels, uint32_t marked, uint32_t *slots, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (slots[i] != NO_SLOT)
            slots[i] = marked - younger_in<COUNT>(levels, slots[i]);
}

size_t touch(const Levels &levels, uint32_t unused, const uint32_t *last, size_t count, uint32_t *distances,
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

void take_out(const Levels &levels, uint32_t slot) {
    switch (levels.count) {
    case 2:
        return take_out_levels<2>(levels, slot);
    case 3:
        return take_out_levels<3>(levels, slot);
    case 4:
        return take_out_levels<4>(levels, slot);
    default:
        return take_out_levels<5>(levels, slot);
    }
}

void rank(const Levels &levels, uint32_t marked, uint32_t *slots, size_t count) {
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

} // namespace

#define NAME_OF(SET) #SET
#define TABLE_OF(SET) recency_kernels_##SET
#define TABLE(SET) \
    extern const RecencyKernels TABLE_OF(SET); \
    const RecencyKernels TABLE_OF(SET) { NAME_OF(SET), &touch, &take_out, &rank }
TABLE(INSTRUCTION_SET);

} // namespace litemrc_native
