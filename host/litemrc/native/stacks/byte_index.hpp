// SPDX-License-Identifier: BSD-2-Clause
// How many bytes were used after a given access: the heart of the exact LRU stack by bytes.
//
// Time runs in slots, as in RecencyIndex; a slot holds the size of the object last accessed there, or 0. The slots are the
// leaves of an 8-ary tree. Each slot and each node has a number beside it: the bytes in its earlier siblings. So
//
//   the bytes before a slot    are one number a level, those after it the rest of the total;
//   taking an object out       lowers the numbers of its later siblings, one cache line a level;
//   putting an object on top   changes no number but that of the slot, as nothing comes later.
#pragma once

#include "byte_kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace litemrc_native {

class ByteIndex {
  public:
    static constexpr uint64_t MIN_SLOTS = uint64_t(1) << ByteLevels::shift(4);
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
        byte_kernels().touch(levels_, last, sizes, count, distances);
    }

  private:
    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };

    void allocate(uint64_t slots);

    uint64_t capacity_ = 0;
    ByteLevels levels_{};
    std::unique_ptr<uint64_t[], Free> numbers_[ByteLevels::MOST];
};

} // namespace litemrc_native
