// SPDX-License-Identifier: BSD-2-Clause
// Interface of the page allocators, with the work of each operation counted.
#pragma once

#include "free_lists.hpp"

#include <algorithm>

namespace litemrc_native {

struct Request {
    unsigned order = 0;
    bool movable = true; // false: the kernel's, stays where it is
    bool wake = true;    // false: rather fail than put a power unit to use that is not
    uint32_t node = 0;   // where it is wanted first
    uint32_t kind = 2;   // highest kind of zone that will do
    uint32_t hint = 0;   // what the allocator makes of it: a tray list, a color; 0: nothing
};

// Work of operations, counted: the same on every machine.
struct Work {
    uint64_t operations = 0;
    uint64_t list_work = 0, most_list_work = 0; // insertions and removals, splitting and merging included
    uint64_t moves = 0, most_moves = 0;         // blocks moved from one set of lists to another, or onto and off lists
    uint64_t visits = 0, most_visits = 0;       // blocks and units looked at on the way
};

class Allocator {
  public:
    explicit Allocator(PhysicalMemory &memory) : memory_(memory) {}
    virtual ~Allocator() = default;
    Allocator(const Allocator &) = delete;
    Allocator &operator=(const Allocator &) = delete;

    // Returns the first frame of a block, or NO_FRAME. The caller sets its owner in the memory.
    uint32_t allocate(const Request &request) {
        const Begin begin = start();
        const uint32_t frame = take(request);
        if (frame != NO_FRAME)
            memory_.use(frame, request.order, request.movable);
        finish(begin);
        return frame;
    }

    // Takes back a block by its first frame.
    void free(uint32_t frame) {
        const Begin begin = start();
        give(frame, memory_.release(frame));
        finish(begin);
    }

    PhysicalMemory &memory() { return memory_; }
    const PhysicalMemory &memory() const { return memory_; }
    const Work &work() const { return work_; }
    void reset_work() { work_ = {}; }

    // The unit holds no block, and stays empty until it is activated again.
    virtual bool is_offline(uint32_t unit) const {
        return memory_.unit(unit).used == 0 && !memory_.unit(unit).crossing;
    }

    // Emptying a unit: once `isolate` has returned true nothing is allocated there, unless there is no memory elsewhere;
    // once `rejoin` has, it is as any other. Each call does a bounded part, false: there is more. An isolated unit
    // that is empty goes offline.
    virtual bool can_isolate() const { return false; }
    virtual bool is_isolated(uint32_t) const { return false; }
    virtual bool isolate(uint32_t) { return true; }
    virtual bool rejoin(uint32_t) { return true; }

    // Frames that `node` could get for movable pages without putting another unit to use.
    virtual uint64_t free_for_movable(uint32_t node) const = 0;

    // Does a bounded part of the work between requests; returns false if more is left.
    virtual bool tidy() { return true; }

    // Bytes of its lists and tables, beside what the memory knows of each frame.
    virtual uint64_t metadata_bytes() const = 0;

  protected:
    // Removes a block from the lists; NO_FRAME: there is none.
    virtual uint32_t take(const Request &request) = 0;
    // Returns an unused block to the lists.
    virtual void give(uint32_t frame, unsigned order) = 0;

    PhysicalMemory &memory_;
    uint64_t moves_ = 0, visits_ = 0;

  private:
    struct Begin {
        uint64_t list_work, moves, visits;
    };
    Begin start() const { return {memory_.list_work, moves_, visits_}; }
    void finish(const Begin &begin) {
        const uint64_t list_work = memory_.list_work - begin.list_work, moves = moves_ - begin.moves;
        const uint64_t visits = visits_ - begin.visits;
        ++work_.operations;
        work_.list_work += list_work;
        work_.moves += moves;
        work_.most_list_work = std::max(work_.most_list_work, list_work);
        work_.most_moves = std::max(work_.most_moves, moves);
        work_.visits += visits;
        work_.most_visits = std::max(work_.most_visits, visits);
    }

    Work work_;
};

} // namespace litemrc_native
