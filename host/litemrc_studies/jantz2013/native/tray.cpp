// SPDX-License-Identifier: BSD-2-Clause
#include "tray.hpp"

namespace litemrc_native {

Tray::Tray(PhysicalMemory &memory) : Allocator(memory), units_(memory.units()), use_of_(memory.frames()) {
    for (uint32_t unit = 0; unit < memory.units(); ++unit)
        for (const uint32_t frame : memory.unit_blocks(unit)) {
            const uint32_t zone = memory.zone_of(frame);
            if (!lists(unit, zone))
                units_[unit].trays.push_back({zone, FreeLists(memory)});
            lists(unit, zone)->free.add_last(frame, MAX_ORDER);
            units_[unit].free += LARGEST_BLOCK;
        }
    memory.list_work = 0;
}

void Tray::guide(uint32_t hint, std::vector<uint32_t> order, bool bound) {
    for (const bool movable : {true, false}) {
        Use &guided = use(use_of(hint, movable));
        guided.order = order;
        guided.bound = bound;
        guided.current = NO_UNIT;
    }
}

uint64_t Tray::furnished(uint32_t hint, uint32_t unit) const {
    uint64_t pages = 0;
    for (const bool movable : {true, false}) {
        const uint32_t number = use_of(hint, movable);
        if (number < uses_.size() && !uses_[number].furnished.empty())
            pages += uses_[number].furnished[unit];
    }
    return pages;
}

bool Tray::isolate(uint32_t unit) {
    units_[unit].isolated = true;
    return true;
}

bool Tray::rejoin(uint32_t unit) {
    units_[unit].isolated = false;
    return true;
}

uint64_t Tray::free_for_movable(uint32_t node) const {
    uint64_t free = 0;
    for (uint32_t unit = 0; unit < units_.size(); ++unit)
        if (is_target(unit) && !units_[unit].isolated && memory_.zones()[memory_.unit(unit).zone].node == node)
            free += units_[unit].free;
    return free;
}

uint64_t Tray::metadata_bytes() const {
    uint64_t bytes = use_of_.size() * sizeof(use_of_[0]);
    for (const UnitState &unit : units_)
        bytes += sizeof(unit) + unit.trays.size() * (sizeof(Lists) + FreeLists::bytes());
    for (const Use &use : uses_)
        bytes += sizeof(use) + use.furnished.size() * sizeof(uint64_t) + use.order.size() * sizeof(uint32_t);
    return bytes;
}

uint32_t Tray::take(const Request &request) {
    uint32_t frame = take_open(request);
    // Rather than fail, a tray that was to be emptied is in use again.
    for (uint32_t unit = 0; frame == NO_FRAME && request.wake && unit < units_.size(); ++unit)
        if (units_[unit].isolated) {
            units_[unit].isolated = false;
            frame = take_open(request);
            units_[unit].isolated = frame == NO_FRAME;
        }
    return frame;
}

// From trays that are not isolated.
uint32_t Tray::take_open(const Request &request) {
    const uint32_t number = use_of(request.hint, request.movable);
    Use &mine = use(number);
    const std::vector<uint32_t> &zones = memory_.zone_order(request.node, request.kind);
    for (const uint32_t unit : mine.order)
        for (const uint32_t zone : zones)
            if (Lists *tray = fitting(unit, request, zone))
                return take_from(*tray, unit, request, number);
    if (mine.bound)
        return NO_FRAME;
    for (const uint32_t zone : zones) {
        Lists *tray = mine.current == NO_UNIT ? nullptr : fitting(mine.current, request, zone);
        if (!tray) {
            const uint32_t unit = similar(mine, request, zone);
            if (unit == NO_UNIT)
                continue;
            mine.current = unit;
            tray = lists(unit, zone);
        }
        return take_from(*tray, mine.current, request, number);
    }
    return NO_FRAME;
}

void Tray::give(uint32_t frame, unsigned order) {
    const uint32_t unit = memory_.unit_of(frame);
    uses_[use_of_[frame]].furnished[unit] -= block_frames(order);
    units_[unit].free += block_frames(order);
    if (memory_.unit(unit).used == 0) // requested to be emptied, and empty
        units_[unit].isolated = false;
    frame = coalesce(memory_, frame, order);
    lists(unit, memory_.zone_of(frame))->free.add(frame, order);
}

Tray::Use &Tray::use(uint32_t number) {
    if (number >= uses_.size())
        uses_.resize(number + 1);
    Use &use = uses_[number];
    if (use.furnished.empty())
        use.furnished.resize(units_.size());
    return use;
}

Tray::Lists *Tray::lists(uint32_t unit, uint32_t zone) {
    for (Lists &tray : units_[unit].trays)
        if (tray.zone == zone)
            return &tray;
    return nullptr;
}

// The lists of a unit in a zone if they have a block for the request, and it may come from there.
Tray::Lists *Tray::fitting(uint32_t unit, const Request &request, uint32_t zone) {
    const bool awake = memory_.unit(unit).used != 0;
    if (units_[unit].isolated || (!request.wake && !(request.movable ? is_target(unit) : awake)))
        return nullptr;
    Lists *tray = lists(unit, zone);
    return tray && tray->free.smallest(request.order) < ORDERS ? tray : nullptr;
}

uint32_t Tray::take_from(Lists &tray, uint32_t unit, const Request &request, uint32_t number) {
    const uint32_t frame = tray.free.take(request.order);
    units_[unit].free -= block_frames(request.order);
    uses_[number].furnished[unit] += block_frames(request.order);
    use_of_[frame] = uint16_t(number);
    return frame;
}

// The unit in this zone that has most pages of this use, then most free ones; NO_UNIT: none has a block.
uint32_t Tray::similar(const Use &use, const Request &request, uint32_t zone) {
    uint32_t best = NO_UNIT;
    for (uint32_t unit = 0; unit < units_.size(); ++unit) {
        if (!fitting(unit, request, zone))
            continue;
        if (best == NO_UNIT || use.furnished[unit] > use.furnished[best] ||
            (use.furnished[unit] == use.furnished[best] && units_[unit].free > units_[best].free))
            best = unit;
    }
    return best;
}

} // namespace litemrc_native
