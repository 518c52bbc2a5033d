// SPDX-License-Identifier: BSD-2-Clause
#include "machine.hpp"

#include <algorithm>

namespace litemrc_native {

void Migration::begin() {
    candidates_.clear();
    isolated_ = at_ = 0;
    cursor_ = 0;
    giving_up_ = false;
    if (!allocator_.can_isolate())
        return;
    budget_ = parameters_.budget_frames;
    for (uint32_t node = 0; node < allocator_.memory().nodes(); ++node)
        plan(node);
}

bool Migration::is_possible(uint32_t index) const {
    const Unit &unit = allocator_.memory().unit(index);
    return unit.used != 0 && unit.unmovable == 0 && !unit.crossing && !allocator_.is_isolated(index) &&
           uint64_t(unit.used) * 100 <= uint64_t(unit.frames) * parameters_.most_used_percent;
}

void Migration::plan(uint32_t node) {
    const PhysicalMemory &memory = allocator_.memory();
    std::vector<uint32_t> sorted;
    for (uint32_t unit = 0; unit < memory.units(); ++unit)
        if (is_possible(unit) && memory.zones()[memory.unit(unit).zone].node == node)
            sorted.push_back(unit);
    const auto free = [&](uint32_t unit) { return memory.unit(unit).frames - memory.unit(unit).used; };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](uint32_t left, uint32_t right) { return free(left) > free(right); });
    // Isolated, a unit's free pages are no targets any more, and its used ones need some: all of its frames go.
    uint64_t room = allocator_.free_for_movable(node);
    room -= std::min(room, parameters_.reserve_frames);
    for (const uint32_t index : sorted) {
        const Unit &unit = memory.unit(index);
        if (unit.frames > room || unit.used > budget_)
            break;
        room -= unit.frames;
        budget_ -= unit.used;
        candidates_.push_back(index);
    }
}

bool Migration::step(uint32_t frames) {
    if (at_ == candidates_.size())
        return true;
    if (giving_up_) {
        if (allocator_.rejoin(candidates_[at_])) {
            ++abandoned_units_;
            giving_up_ = false;
            next();
        }
    } else if (isolated_ < candidates_.size()) {
        if (allocator_.isolate(candidates_[isolated_]))
            ++isolated_;
    } else if (!empty(candidates_[at_], frames))
        return false;
    return at_ == candidates_.size();
}

// Copies some of a unit's blocks; returns false if more are left.
bool Migration::empty(uint32_t index, uint32_t frames) {
    PhysicalMemory &memory = allocator_.memory();
    const Unit &unit = memory.unit(index);
    const std::vector<uint32_t> &blocks = memory.unit_blocks(index);
    if (unit.used != 0 && !allocator_.is_isolated(index)) { // the allocator needed it
        ++abandoned_units_;
        next();
        return true;
    }
    giving_up_ = unit.unmovable != 0;
    for (uint32_t copied = 0; unit.used != 0 && cursor_ < unit.frames && !giving_up_;) {
        const uint32_t frame = blocks[cursor_ >> MAX_ORDER] + cursor_ % LARGEST_BLOCK;
        const unsigned order = memory.order(frame);
        if (!memory.is_used(frame)) {
            cursor_ += memory.is_free(frame) ? block_frames(order) : 1;
            continue;
        }
        if (copied >= frames)
            return false;
        Request request;
        request.order = order;
        request.node = memory.zones()[unit.zone].node;
        request.wake = false;
        const uint32_t target = allocator_.allocate(request);
        if (target == NO_FRAME) { // free pages enough, but none in one piece
            giving_up_ = true;
            break;
        }
        const uint32_t owner = memory.owner(frame);
        memory.set_owner(target, owner);
        machine_.moved(owner, target);
        allocator_.free(frame);
        cursor_ += block_frames(order);
        copied += block_frames(order);
        copied_frames_ += block_frames(order);
    }
    if (giving_up_)
        return true;
    emptied_units_ += unit.used == 0;
    next();
    return true;
}

void Migration::next() {
    ++at_;
    cursor_ = 0;
}

} // namespace litemrc_native
