// SPDX-License-Identifier: BSD-2-Clause
// How many bytes were used after a given access: the heart of the exact LRU stack by bytes.
//
// Time runs in slots, as in RecencyIndex; a slot holds the size of the object last accessed there, or 0. The slots are the
// leaves of a tree. Each slot and each node has a number beside it: the bytes in its earlier siblings. So
//
//   the bytes before a slot    are one number a level, those after it the rest of the total;
//   taking an object out       lowers the numbers of its later siblings, one cache line a level;
//   putting an object on top   changes no number but that of the slot, as nothing comes later.
#pragma once

#include "byte_kernels.hpp"
#include "large_array.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

template <typename Number> class BasicByteIndex {
  public:
    using Levels = ByteLevels<Number>;

    static constexpr uint64_t MIN_SLOTS = uint64_t(1) << Levels::shift(Levels::FEWEST);
    static constexpr uint64_t MAX_SLOTS = uint64_t(1) << 31;

    // Begins again with objects of these sizes in the slots from 1, the least recently used first, and `slots` slots in
    // all: a multiple of MIN_SLOTS up to MAX_SLOTS, and more than there are objects. Throws std::bad_alloc.
    void restart(const std::vector<uint32_t> &sizes, uint64_t slots);

    uint64_t capacity() const { return capacity_; }
    uint32_t next() const { return levels_.next; }         // the slot of the next access
    uint64_t room() const { return capacity_ - levels_.next; } // accesses left before `restart` must come

    // Carries out `count` <= room() accesses to objects last accessed at `last`, or never, which have `sizes` bytes from
    // now on. Writes the stack distances: the bytes of all objects used since, the object's own among them, at least 1;
    // 0 for an object never used.
    void touch(const Place *last, const uint32_t *sizes, size_t count, uint64_t *distances) {
        if constexpr (sizeof(Number) == sizeof(uint32_t))
            byte_kernels().touch_narrow(levels_, last, sizes, count, distances);
        else
            byte_kernels().touch_wide(levels_, last, sizes, count, distances);
    }

    Number total() const { return levels_.total; } // bytes of all objects

  private:
    void allocate(uint64_t slots);

    uint64_t capacity_ = 0;
    Levels levels_{};
    LargeArray<Number> numbers_[Levels::MOST];
};

} // namespace litemrc_native
