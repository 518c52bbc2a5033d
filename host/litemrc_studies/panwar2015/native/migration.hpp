// Page migration (Panwar 2015, "Page Migration"): empties power units so that they go offline.
//
// Of each node, units without unmovable pages in descending order of free pages; the break point is where what the first
// ones hold no longer fits into the free pages of the others. Those before it are isolated, so that no page is copied
// twice, and emptied in that order. A step does a bounded part; allocations may come between two.
#pragma once

#include "machine.hpp"

namespace litemrc_native {

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
