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

// The arrays of a ByteIndex. Level 0 has a number for each slot, level 1 for each node of RADIX slots, and so on: the bytes in
// the node's earlier siblings. The number of a node that has not begun lacks what was put into its siblings; `open` adds it.
//
// `Number`: uint32_t while all objects together have less than 2^32 bytes, uint64_t beyond.
template <typename Number> struct ByteLevels {
    static constexpr size_t ALIGNMENT = 64;
    static constexpr unsigned RADIX = ALIGNMENT / sizeof(Number); // the numbers of siblings fill a cache line
    static constexpr unsigned RADIX_BITS = RADIX == 16 ? 4 : 3;
    static constexpr unsigned FEWEST = 12 / RADIX_BITS;               // levels of 2^12 slots
    static constexpr unsigned MOST = (31 + RADIX_BITS - 1) / RADIX_BITS; // 2^31 slots

    static constexpr unsigned shift(unsigned level) { return level * RADIX_BITS; }

    Number *numbers[MOST]; // aligned to ALIGNMENT
    unsigned count;

    Number open[MOST]; // bytes put into the last node of each level's siblings, the last sibling excluded above level 0
    Number total;      // bytes in all slots
    uint32_t next;     // slot of the next access
};

struct ByteKernels {
    template <typename Number>
    using Touch = void(ByteLevels<Number> &levels, const Place *last, const uint32_t *sizes, size_t count, uint64_t *distances);

    const char *instruction_set;

    // As ByteIndex::touch.
    Touch<uint32_t> *touch_narrow;
    Touch<uint64_t> *touch_wide;
};

// Those of the instruction set of recency_kernels().
const ByteKernels &byte_kernels();

} // namespace litemrc_native
