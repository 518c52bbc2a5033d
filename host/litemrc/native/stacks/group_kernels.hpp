// SPDX-License-Identifier: BSD-2-Clause
// The inner loop of GroupIndex, compiled once for each instruction set (see recency_kernels.hpp).
#pragma once

#include "recency_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace litemrc_native {

// The arrays of a GroupIndex. A word has a bit for each of 64 slots and each group. Level 0 has a number for each word and
// group, level 1 for each eight words, and so on: the pages of the group in the node's earlier siblings. The number of a node
// that has not begun lacks the pages put into its siblings; `open` adds them.
struct GroupLevels {
    static constexpr unsigned GROUPS = 8;
    static constexpr unsigned WORD_BITS = 6;
    static constexpr unsigned RADIX_BITS = 3;
    static constexpr unsigned RADIX = 1u << RADIX_BITS;
    static constexpr unsigned MOST = 9; // 2^31 slots

    // The first bit of a slot that distinguishes siblings of a level.
    static constexpr unsigned shift(unsigned level) { return WORD_BITS + level * RADIX_BITS; }

    using Numbers = uint32_t[GROUPS];

    uint64_t (*words)[GROUPS];
    Numbers *numbers[MOST];
    unsigned count;

    Numbers open[MOST]; // pages put into the last node of each level's siblings, the last sibling excluded above level 0
    Numbers total;      // pages of each group
    uint32_t next;      // slot of the next access
};

struct GroupKernels {
    const char *instruction_set;

    // As GroupIndex::touch and remove; the pages of each group used after a slot.
    void (*touch)(GroupLevels &levels, const uint32_t *last, const uint8_t *groups, size_t count, GroupLevels::Numbers *younger);
    void (*take_out)(GroupLevels &levels, uint32_t slot, uint8_t group);
    void (*younger)(const GroupLevels &levels, uint32_t slot, GroupLevels::Numbers &younger);
};

// Those of the instruction set of recency_kernels().
const GroupKernels &group_kernels();

} // namespace litemrc_native
