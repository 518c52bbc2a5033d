// SPDX-License-Identifier: BSD-2-Clause
// The free blocks of one binary buddy system: one list per order, blocks split on allocation. Shared by all allocators.
#pragma once

#include "memory.hpp"

namespace litemrc_native {

// Merges a block just freed, on no list, with its free buddies; those that are on lists leave them. Returns its first
// frame and raises `order`; the block's state is for the caller to set. Zones and units begin at multiples of the
// largest block, so nothing grows over their borders.
inline uint32_t coalesce(PhysicalMemory &memory, uint32_t frame, unsigned &order) {
    while (order < MAX_ORDER) {
        const uint32_t buddy = frame ^ block_frames(order);
        if (!memory.is_free_block(buddy, order))
            break;
        if (memory.state(buddy) & FREE_LISTED)
            memory.unlink(buddy);
        memory.set_inside(frame | block_frames(order));
        frame &= ~block_frames(order);
        ++order;
    }
    return frame;
}

class FreeLists {
  public:
    // The state of blocks on these lists: FREE_LISTED or FREE_ISOLATED.
    explicit FreeLists(PhysicalMemory &memory, BlockState state = FREE_LISTED)
        : memory_(&memory), heads_(memory.add_list()), state_(state) {
        for (unsigned order = 1; order < ORDERS; ++order)
            memory.add_list();
    }

    bool empty(unsigned order) const { return memory_->next(heads_ + order) == heads_ + order; }
    // Returns the first block of a list, or NO_FRAME.
    uint32_t first(unsigned order) const { return empty(order) ? NO_FRAME : memory_->next(heads_ + order); }

    // At the front: what was freed last is used first, as in Linux.
    void add(uint32_t frame, unsigned order) {
        memory_->set_state(frame, state_, order);
        memory_->insert(frame, heads_ + order);
    }
    void add_last(uint32_t frame, unsigned order) {
        memory_->set_state(frame, state_, order);
        memory_->insert(frame, memory_->previous(heads_ + order));
    }

    // Returns the smallest available order of at least `order`; ORDERS: none.
    unsigned smallest(unsigned order) const {
        while (order < ORDERS && empty(order))
            ++order;
        return order;
    }

    // Removes a block of this order from the lists, or splits a larger one and removes its lower part; NO_FRAME: none.
    uint32_t take(unsigned order) {
        const unsigned from = smallest(order);
        if (from == ORDERS)
            return NO_FRAME;
        const uint32_t frame = memory_->next(heads_ + from);
        memory_->unlink(frame);
        split(frame, from, order);
        return frame;
    }

    // Gives all but the lower part of a block to the lists.
    void split(uint32_t frame, unsigned from, unsigned to) {
        while (from > to) {
            --from;
            add(frame + block_frames(from), from);
        }
    }

    // Bytes a set of lists takes.
    static constexpr uint64_t bytes() { return ORDERS * sizeof(PhysicalMemory::Link); }

  private:
    PhysicalMemory *memory_;
    uint32_t heads_; // of order 0; the others follow
    BlockState state_;
};

} // namespace litemrc_native
