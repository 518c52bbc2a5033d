// SPDX-License-Identifier: BSD-2-Clause
// The inner loop of ByteIndex, compiled once for each instruction set (see recency_kernels.hpp).
#pragma once

#include "recency_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace litemrc_native {

// An object's last access: its slot in the low half, its size in bytes in the high half; 0: never seen.
using Place = uint64_t;

inline constexpr Place place_of(uint32_t slot, uint32_t size) { return Place(size) << 32 | slot; }

// The arrays of a ByteIndex. Level 0 has a number for each slot, level 1 for each eight slots, and so on: the bytes in the
// node's earlier siblings. The number of a node that has not begun lacks what was put into its siblings; `open` adds it.
struct ByteLevels {
    static constexpr unsigned RADIX_BITS = 3; // the numbers of siblings fill a cache line
    static constexpr unsigned RADIX = 1u << RADIX_BITS;
    static constexpr unsigned MOST = 11; // 2^31 slots
    static constexpr size_t ALIGNMENT = RADIX * sizeof(uint64_t);

    static constexpr unsigned shift(unsigned level) { return level * RADIX_BITS; }

    uint64_t *numbers[MOST]; // aligned to ALIGNMENT
    unsigned count;

    uint64_t open[MOST]; // bytes put into the last node of each level's siblings, the last sibling excluded above level 0
    uint64_t total;      // bytes in all slots
    uint32_t next;       // slot of the next access
};

struct ByteKernels {
    const char *instruction_set;

    // As ByteIndex::touch.
    void (*touch)(ByteLevels &levels, const Place *last, const uint32_t *sizes, size_t count, uint64_t *distances);
};

// Those of the instruction set of recency_kernels().
const ByteKernels &byte_kernels();

} // namespace litemrc_native
