// SPDX-License-Identifier: BSD-2-Clause
// Allocation events on an allocator: a block has a number that stays when its pages move.
#pragma once

#include "memory/allocator.hpp"

#include <vector>

namespace litemrc_native {

// An event's code: a block comes or goes.
enum EventCode : uint8_t {
    EVENT_ORDER = 0x0f,     // bits of the order
    EVENT_UNMOVABLE = 0x10, // the kernel's
    EVENT_FREE = 0x20,      // the block of this number goes; the other bits mean nothing
    EVENT_KIND = 0xc0,      // bits 6 and 7: how many kinds of zone below the highest will not do
};

struct OperationTimes {
    uint64_t allocations = 0, frees = 0;
    uint64_t allocation_ns = 0, free_ns = 0; // all together, the clock's own time taken off
    uint64_t longest_allocation_ns = 0, longest_free_ns = 0;
    uint64_t interrupted = 0; // operations the scheduler stopped: not in the longest
};

class PlacementMachine {
  public:
    explicit PlacementMachine(Allocator &allocator);

    // Events in their order; what frees touch is fetched some events ahead. numbers: of blocks, each in use once at a
    // time; nodes: where each is wanted, null: node 0.
    void run(const uint8_t *codes, const uint32_t *numbers, const uint8_t *nodes, uint64_t count);
    // As above, with the time of each operation.
    void run_timed(const uint8_t *codes, const uint32_t *numbers, const uint8_t *nodes, uint64_t count);

    // The same, timed, one number for each: least_ns of an event becomes what it took, if that is less.
    void run_recorded(const uint8_t *codes, const uint32_t *numbers, uint64_t count, uint32_t *least_ns);

    // First frame of a block, NO_FRAME: not in use, or there was no memory for it.
    uint32_t frame_of(uint32_t number) const { return number < frame_of_.size() ? frame_of_[number] : NO_FRAME; }
    // A block has been copied elsewhere.
    void moved(uint32_t number, uint32_t frame) {
        if (number == NO_OWNER)
            return;
        make_room(number);
        frame_of_[number] = frame;
    }

    Allocator &allocator() { return allocator_; }
    const OperationTimes &times() const { return times_; }
    uint64_t failed() const { return failed_; } // allocations without memory for them
    uint64_t failed_frames() const { return failed_frames_; }

  private:
    Request request(uint8_t code, uint32_t node) const;
    void make_room(uint32_t number);
    void record(uint32_t number, uint32_t frame, uint8_t code);

    Allocator &allocator_;
    std::vector<uint32_t> frame_of_;
    OperationTimes times_;
    uint64_t failed_ = 0, failed_frames_ = 0, clock_ns_ = 0;
    long switches_ = 0;
};

// Page migration (Panwar 2015, "Page Migration"): empties power units so that they go offline.
//
// Of each node, units without unmovable pages in descending order of free pages; the break point is where what the first
// ones hold no longer fits into the free pages of the others. Those before it are isolated, so that no page is copied
// twice, and emptied in that order. A step does a bounded part; allocations may come between two.
struct MigrationParameters {
    uint64_t budget_frames = UINT64_MAX; // copied by one run at most
    uint64_t reserve_frames = 4096;      // that the units which stay keep free, of each node
    uint32_t most_used_percent = 100;    // of a unit worth emptying
};

class Migration {
  public:
    Migration(PlacementMachine &machine, const MigrationParameters &parameters)
        : machine_(machine), allocator_(machine.allocator()), parameters_(parameters) {}

    // Sorts, and finds the break points; results of an earlier run are discarded.
    void begin();
    // Isolates, copies up to `frames` (at most one block more), or releases; returns true if nothing is left to do.
    bool step(uint32_t frames);

    uint64_t copied_frames() const { return copied_frames_; }
    uint64_t emptied_units() const { return emptied_units_; }
    uint64_t abandoned_units() const { return abandoned_units_; } // for which there was no room

  private:
    void plan(uint32_t node);
    bool empty(uint32_t unit, uint32_t frames);
    bool is_possible(uint32_t unit) const;
    void next();

    PlacementMachine &machine_;
    Allocator &allocator_;
    MigrationParameters parameters_;
    std::vector<uint32_t> candidates_;
    uint64_t budget_ = 0;
    size_t isolated_ = 0, at_ = 0;
    uint32_t cursor_ = 0; // frames of the unit that have been looked at
    bool giving_up_ = false;
    uint64_t copied_frames_ = 0, emptied_units_ = 0, abandoned_units_ = 0;
};

} // namespace litemrc_native
