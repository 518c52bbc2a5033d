// SPDX-License-Identifier: BSD-2-Clause
// Compiled once for each instruction set, as recency_kernels.cpp, with internal linkage for the same reason.
#include "byte_kernels.hpp"

#define INLINE inline __attribute__((always_inline))

namespace litemrc_native {

namespace {

// Row n: ones in the places after n.
template <typename Number> struct alignas(64) After {
    static constexpr unsigned RADIX = ByteLevels<Number>::RADIX;
    Number rows[RADIX][RADIX];
    constexpr After() : rows{} {
        for (unsigned n = 0; n < RADIX; ++n)
            for (unsigned i = n + 1; i < RADIX; ++i)
                rows[n][i] = Number(~Number(0));
    }
};
template <typename Number> constexpr After<Number> AFTER;

#if defined(__AVX512F__)
constexpr size_t VECTOR_BYTES = 64;
#elif defined(__AVX2__)
constexpr size_t VECTOR_BYTES = 32;
#else
constexpr size_t VECTOR_BYTES = 16;
#endif

// Lowers the numbers of a node's later siblings by `bytes`.
template <typename Number> INLINE void lower_later(Number *numbers, size_t node, Number bytes) {
    typedef Number Vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
    constexpr size_t LANES = VECTOR_BYTES / sizeof(Number), RADIX = ByteLevels<Number>::RADIX;
    const size_t sibling = node % RADIX;
    Number *siblings = numbers + (node - sibling);
    for (size_t i = 0; i < RADIX; i += LANES)
        *reinterpret_cast<Vector *>(siblings + i) -=
            *reinterpret_cast<const Vector *>(AFTER<Number>.rows[sibling] + i) & (Vector{} + bytes);
}

// Puts `bytes` into the next slot.
template <unsigned COUNT, typename Number> INLINE void put(ByteLevels<Number> &levels, uint32_t bytes) {
    using Levels = ByteLevels<Number>;
    levels.numbers[0][levels.next] += levels.open[0];
    levels.open[0] += bytes;
    levels.total += bytes;
    const size_t next = ++levels.next;
    if (next % Levels::RADIX)
        return;
    for (unsigned level = 1; level < COUNT; ++level) {
        levels.open[level] += levels.open[level - 1];
        levels.open[level - 1] = 0;
        const size_t node = next >> Levels::shift(level);
        if (node % Levels::RADIX) {
            levels.numbers[level][node] += levels.open[level];
            return;
        }
    }
}

template <unsigned COUNT, typename Number>
void touch_levels(ByteLevels<Number> &shared, const Place *last, const uint32_t *sizes, size_t count, uint64_t *distances) {
    using Levels = ByteLevels<Number>;
    constexpr size_t AHEAD = 12; // accesses; a large index lies in memory, not in a cache
    Levels levels = shared;      // a copy: the compiler sees that no store changes it
    for (size_t i = 0; i < count; ++i) {
        if (Levels::shift(COUNT - 1) >= 15 && i + AHEAD < count) {
            const uint32_t ahead = uint32_t(last[i + AHEAD]);
            __builtin_prefetch(levels.numbers[0] + ahead, 1);
            __builtin_prefetch(levels.numbers[1] + (ahead >> Levels::shift(1)), 1);
        }
        const uint32_t slot = uint32_t(last[i]);
        distances[i] = 0;
        if (slot != NO_SLOT) {
            const Number before = Number(last[i] >> 32); // the object's size until now
            Number later = levels.total - before;
#pragma GCC unroll 11
            for (unsigned level = 0; level < COUNT; ++level)
                later -= levels.numbers[level][slot >> Levels::shift(level)];
            const Number distance = later + sizes[i];
            distances[i] = distance ? distance : 1;
#pragma GCC unroll 11
            for (unsigned level = 0; level < COUNT; ++level)
                lower_later(levels.numbers[level], slot >> Levels::shift(level), before);
            levels.total -= before;
        }
        put<COUNT>(levels, sizes[i]);
    }
    shared = levels;
}

template <unsigned COUNT, typename Number>
void touch_from(ByteLevels<Number> &levels, const Place *last, const uint32_t *sizes, size_t count, uint64_t *distances) {
    if constexpr (COUNT < ByteLevels<Number>::MOST)
        if (levels.count != COUNT)
            return touch_from<COUNT + 1>(levels, last, sizes, count, distances);
    touch_levels<COUNT>(levels, last, sizes, count, distances);
}

template <typename Number>
void touch(ByteLevels<Number> &levels, const Place *last, const uint32_t *sizes, size_t count, uint64_t *distances) {
    touch_from<ByteLevels<Number>::FEWEST>(levels, last, sizes, count, distances);
}

} // namespace

#define NAME_OF(SET) #SET
#define TABLE_OF(SET) byte_kernels_##SET
#define TABLE(SET) \
    extern const ByteKernels TABLE_OF(SET); \
    const ByteKernels TABLE_OF(SET) { NAME_OF(SET), &touch<uint32_t>, &touch<uint64_t> }
TABLE(INSTRUCTION_SET);

} // namespace litemrc_native
