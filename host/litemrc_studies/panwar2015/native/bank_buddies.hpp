// Base of allocators with free lists per power unit: a buddy system in each, and isolated units.
#pragma once

#include "memory/allocator.hpp"
#include "memory/segments.hpp"

namespace litemrc_native {

class BankBuddies : public Allocator {
  public:
    explicit BankBuddies(PhysicalMemory &memory) : Allocator(memory), segments_(memory) {
        for (uint32_t index = 0; index < segments_.count(); ++index) {
            banks_.push_back({FreeLists(memory), segments_[index].frames(), false});
            for (const uint32_t block : segments_[index].blocks)
                banks_.back().lists.add_last(block, MAX_ORDER);
        }
        memory.list_work = 0;
    }

    bool can_isolate() const override { return true; }
    bool is_isolated(uint32_t unit) const override { return banks_[of_unit(unit)].isolated; }
    bool isolate(uint32_t unit) override { return set_isolated(unit, true); }
    bool rejoin(uint32_t unit) override { return set_isolated(unit, false); }

    uint64_t free_for_movable(uint32_t node) const override {
        uint64_t free = 0;
        for (uint32_t index = 0; index < banks_.size(); ++index)
            if (memory_.zones()[segments_[index].zone].node == node && is_target(index))
                free += banks_[index].free;
        return free;
    }

    uint64_t metadata_bytes() const override {
        return banks_.size() * (sizeof(Bank) + FreeLists::bytes()) + memory_.frames() / LARGEST_BLOCK * sizeof(uint32_t);
    }

  protected:
    struct Bank {
        FreeLists lists;
        uint32_t free;
        bool isolated;
    };

    // Targets of migration: units used only by user pages. Among the kernel's pages they would displace those.
    bool is_target(uint32_t index) const {
        const Unit &unit = memory_.unit(segments_[index].unit);
        return unit.used != 0 && unit.unmovable == 0 && !banks_[index].isolated;
    }

    uint32_t take_from(uint32_t index, unsigned order) {
        Bank &bank = banks_[index];
        ++visits_;
        if (bank.free < block_frames(order))
            return NO_FRAME;
        const uint32_t frame = bank.lists.take(order);
        if (frame != NO_FRAME)
            bank.free -= block_frames(order);
        return frame;
    }

    // Returns the segment.
    uint32_t give_back(uint32_t frame, unsigned order) {
        const uint32_t index = segments_.of(frame);
        banks_[index].free += block_frames(order);
        frame = coalesce(memory_, frame, order);
        banks_[index].lists.add(frame, order);
        if (banks_[index].free == segments_[index].frames()) // requested to be emptied, and empty
            banks_[index].isolated = false;
        return index;
    }

    // A unit's segment; only units that cross no border are ever isolated.
    uint32_t of_unit(uint32_t unit) const { return segments_.of(memory_.unit_blocks(unit).front()); }

    Segments segments_;
    std::vector<Bank> banks_;

  private:
    bool set_isolated(uint32_t unit, bool isolated) {
        banks_[of_unit(unit)].isolated = isolated;
        return true;
    }
};

} // namespace litemrc_native
