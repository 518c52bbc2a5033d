// SPDX-License-Identifier: BSD-2-Clause
// Compiled once for each instruction set, as recency_kernels.cpp, with internal linkage for the same reason.
#include "group_kernels.hpp"

#define INLINE inline __attribute__((always_inline))

namespace litemrc_native {

namespace {

using Levels = GroupLevels;

INLINE void younger_than(const Levels &levels, uint32_t slot, Levels::Numbers &younger) {
    const uint64_t *word = levels.words[slot >> Levels::WORD_BITS];
    for (unsigned group = 0; group < Levels::GROUPS; ++group) // up to the slot: what is shifted out lies after it
        younger[group] = levels.total[group] - uint32_t(__builtin_popcountll(word[group] << (63 - slot % 64)));
    for (unsigned level = 0; level < levels.count; ++level) {
        const Levels::Numbers &numbers = levels.numbers[level][slot >> Levels::shift(level)];
        for (unsigned group = 0; group < Levels::GROUPS; ++group)
            younger[group] -= numbers[group];
    }
}

INLINE void take_out_of(Levels &levels, uint32_t slot, unsigned group) {
    levels.words[slot >> Levels::WORD_BITS][group] &= ~(uint64_t(1) << slot % 64);
    --levels.total[group];
    for (unsigned level = 0; level < levels.count; ++level) {
        const size_t node = slot >> Levels::shift(level);
        for (size_t later = node + 1; later % Levels::RADIX; ++later)
            --levels.numbers[level][later][group];
    }
}

INLINE void raise(Levels::Numbers &numbers, const Levels::Numbers &by) {
    for (unsigned group = 0; group < Levels::GROUPS; ++group)
        numbers[group] += by[group];
}

// Puts a page of a group into the next slot.
INLINE void put(Levels &levels, unsigned group) {
    levels.words[levels.next >> Levels::WORD_BITS][group] |= uint64_t(1) << levels.next % 64;
    ++levels.open[0][group];
    ++levels.total[group];
    if (++levels.next % 64)
        return;
    for (unsigned level = 0; level < levels.count; ++level) {
        if (level) {
            raise(levels.open[level], levels.open[level - 1]);
            for (uint32_t &open : levels.open[level - 1])
                open = 0;
        }
        const size_t node = levels.next >> Levels::shift(level);
        if (node % Levels::RADIX) {
            raise(levels.numbers[level][node], levels.open[level]);
            return;
        }
    }
}

void touch(Levels &levels, const uint32_t *last, const uint8_t *groups, size_t count, Levels::Numbers *younger) {
    for (size_t i = 0; i < count; ++i) {
        if (last[i] != NO_SLOT) {
            younger_than(levels, last[i], younger[i]);
            take_out_of(levels, last[i], groups[i]);
        }
        put(levels, groups[i]);
    }
}

void take_out(Levels &levels, uint32_t slot, uint8_t group) { take_out_of(levels, slot, group); }
void younger(const Levels &levels, uint32_t slot, Levels::Numbers &younger) { younger_than(levels, slot, younger); }

} // namespace

#define NAME_OF(SET) #SET
#define TABLE_OF(SET) group_kernels_##SET
#define TABLE(SET) \
    extern const GroupKernels TABLE_OF(SET); \
    const GroupKernels TABLE_OF(SET) { NAME_OF(SET), &touch, &take_out, &younger }
TABLE(INSTRUCTION_SET);

} // namespace litemrc_native
