// SPDX-License-Identifier: BSD-2-Clause
// How many pages were used after a given one: the heart of the exact LRU stack.
//
// Time runs in slots; the slot of a page's last access is *live*. The LRU position of a page is the number of live slots
// after its own. A slot is a bit: 64 to a word, 32 words to a block, 32 blocks to a group, and so on in steps of 32. Each
// word, block, group ... has a number beside it: the live slots in the later words, blocks, groups ... of its parent. So
//
//   a page's position       is the population count of a part of its word, plus one number a level;
//   taking a page out       lowers the numbers of its earlier siblings, at most 31 neighbours in memory: one or two
//                           vector instructions a level;
//   putting a page on top   costs next to nothing: all slots of a block are marked live when it is begun, and those not
//                           yet used are subtracted from every position.
//
// Numbers that are added up when read, not counts that are summed by vectors: a processor hands a wide store on to a
// narrow load behind it, but a wide load behind a narrow store waits.
#pragma once

#include "large_array.hpp"
#include "recency_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace litemrc_native {

class RecencyIndex {
  public:
    static constexpr uint64_t BLOCK = uint64_t(1) << RecencyLevels::shift(1);
    static constexpr uint64_t MIN_SLOTS = uint64_t(1) << RecencyLevels::shift(2);
    static constexpr uint64_t MAX_SLOTS = uint64_t(1) << 31;

    // `restart` must come first.
    RecencyIndex() = default;

    // Begins again with `live` pages in the slots 1 .. live, the least recently used first, and `slots` slots in all: a
    // multiple of MIN_SLOTS up to MAX_SLOTS, and at least a block more than `live`. Throws std::bad_alloc.
    void restart(uint64_t live, uint64_t slots);

    uint64_t capacity() const { return capacity_; }
    uint64_t next() const { return next_; } // the slot of the next access

    // Accesses that `touch` can take at once: at least `wanted`, or all that are left before `restart` must come.
    uint64_t room(uint64_t wanted = 1);

    uint64_t live() const { return live_; } // pages in the stack

    // Carries out `count` <= room() accesses to the pages last used in the slots `last`: NO_SLOT, or earlier ones, be
    // they of these same accesses. Writes the stack distances: the LRU position from 1, or 0 for a page never used;
    // and to `fresh`, which has room for `count`, the indices of the latter accesses. Returns their number.
    size_t touch(const uint32_t *last, size_t count, uint32_t *distances, uint32_t *fresh);

    // Takes out the page last used in `slot`.
    void remove(uint32_t slot);

    // Replaces slots by those of a `restart` with as many live pages; leaves NO_SLOT.
    void rank(uint32_t *slots, size_t count) const;

  private:
    void begin_block();
    void allocate(uint64_t slots);

    uint64_t capacity_ = 0, live_ = 0, next_ = 0, block_end_ = 0;
    RecencyLevels levels_{};
    LargeArray<uint64_t> words_;
    LargeArray<uint16_t> small_[RecencyLevels::SMALL];
    LargeArray<uint32_t> large_[RecencyLevels::MOST - RecencyLevels::SMALL];
};

} // namespace litemrc_native
