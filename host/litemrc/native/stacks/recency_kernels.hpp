// SPDX-License-Identifier: BSD-2-Clause
// The inner loops of RecencyIndex, compiled once for each instruction set; the best one is chosen at run time.
//
// The compiler's own vectors suffice, so no library is needed: a loop is a subtraction of fixed length, and a population count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

constexpr uint32_t NO_SLOT = 0; // the slot of a page never seen; no page's slot

// The arrays of a RecencyIndex. Level 0 has a number for each word, level 1 for each block, and so on; a level with one number
// only is left out.
struct RecencyLevels {
    static constexpr unsigned WORD_BITS = 6;
    static constexpr unsigned RADIX_BITS = 5;
    static constexpr unsigned RADIX = 1u << RADIX_BITS;
    static constexpr unsigned SMALL = 2; // levels whose numbers fit 16 bits: 31 * 2^11 < 2^16
    static constexpr unsigned MOST = 5;

    // The first bit of a slot that distinguishes siblings of a level.
    static constexpr unsigned shift(unsigned level) { return WORD_BITS + level * RADIX_BITS; }

    uint64_t *words;
    uint16_t *small[SMALL]; // aligned to ALIGNMENT, as `large`
    uint32_t *large[MOST - SMALL];
    unsigned count;

    static constexpr size_t ALIGNMENT = 64; // bytes, of the widest vector
};

struct RecencyKernels {
    const char *instruction_set;

    // As RecencyIndex::touch. `unused`: slots marked live that no access has got yet, the one of the first access among them.
    size_t (*touch)(const RecencyLevels &levels, uint32_t unused, const uint32_t *last, size_t count, uint32_t *distances,
                    uint32_t *fresh);
    void (*take_out)(const RecencyLevels &levels, uint32_t slot);
    // Slots become ranks: 1 for the least recently used page. `marked`: slots marked live.
    void (*rank)(const RecencyLevels &levels, uint32_t marked, uint32_t *slots, size_t count);
};

// Those that this processor can run, the best one first, that of any processor last.
const std::vector<const RecencyKernels *> &supported_recency_kernels();

// Those in use: the best ones, unless others were chosen, for the whole process.
const RecencyKernels &recency_kernels();
void use_recency_kernels(const RecencyKernels &kernels);

} // namespace litemrc_native
