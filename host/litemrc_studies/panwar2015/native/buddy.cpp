// SPDX-License-Identifier: BSD-2-Clause
#include "buddy.hpp"

namespace litemrc_native {

Buddy::Buddy(PhysicalMemory &memory)
    : Allocator(memory), page_block_types_(memory.frames() >> PAGE_BLOCK_ORDER, MOVABLE) {
    for (const Zone &zone : memory.zones()) {
        zones_.push_back({{FreeLists(memory), FreeLists(memory)}, zone.frames});
        for (uint32_t frame = zone.first; frame < zone.end(); frame += LARGEST_BLOCK)
            zones_.back().types[MOVABLE].add_last(frame, MAX_ORDER);
    }
    memory.list_work = 0;
}

uint64_t Buddy::free_for_movable(uint32_t node) const {
    uint64_t free = 0;
    for (uint32_t zone = 0; zone < zones_.size(); ++zone)
        if (memory_.zones()[zone].node == node)
            free += zones_[zone].free;
    return free;
}

uint64_t Buddy::metadata_bytes() const {
    return zones_.size() * 2 * FreeLists::bytes() + page_block_types_.size() * sizeof(Type);
}

uint32_t Buddy::take(const Request &request) {
    const Type type = request.movable ? MOVABLE : UNMOVABLE;
    for (const uint32_t index : memory_.zone_order(request.node, request.kind)) {
        ZoneLists &zone = zones_[index];
        uint32_t frame = zone.types[type].take(request.order);
        if (frame == NO_FRAME && steal(zone, request, type))
            frame = zone.types[type].take(request.order);
        if (frame != NO_FRAME) {
            zone.free -= block_frames(request.order);
            return frame;
        }
    }
    return NO_FRAME;
}

void Buddy::give(uint32_t frame, unsigned order) {
    ZoneLists &zone = zones_[memory_.zone_of(frame)];
    zone.free += block_frames(order);
    frame = coalesce(memory_, frame, order);
    zone.types[type_of(frame)].add(frame, order);
}

// Moves a sufficiently large block from the other type's lists to this type's; returns false if there is none.
bool Buddy::steal(ZoneLists &zone, const Request &request, Type type) {
    FreeLists &other = zone.types[1 - type];
    unsigned order = MAX_ORDER;
    while (other.empty(order)) {
        if (order == request.order)
            return false;
        --order;
    }
    const bool whole = order >= PAGE_BLOCK_ORDER / 2 || type == UNMOVABLE;
    if (!whole) // a movable page takes as little as possible of the kernel's
        order = other.smallest(request.order);
    const uint32_t frame = other.first(order);
    if (order >= PAGE_BLOCK_ORDER)
        for (uint32_t at = 0; at < block_frames(order); at += block_frames(PAGE_BLOCK_ORDER))
            page_block_types_[(frame + at) >> PAGE_BLOCK_ORDER] = type;
    if (order >= PAGE_BLOCK_ORDER || !whole) {
        memory_.unlink(frame);
        zone.types[type].add(frame, order);
        ++moves_;
    } else
        claim_page_block(zone, frame, type);
    return true;
}

// Moves all free blocks of the page block around `frame`.
void Buddy::claim_page_block(ZoneLists &zone, uint32_t frame, Type type) {
    const uint32_t first = frame & ~(block_frames(PAGE_BLOCK_ORDER) - 1), end = first + block_frames(PAGE_BLOCK_ORDER);
    uint32_t alike = 0;
    for (uint32_t at = first; at < end; at += block_frames(memory_.order(at))) {
        if (memory_.is_free(at)) {
            memory_.unlink(at);
            zone.types[type].add(at, memory_.order(at));
            ++moves_;
        }
        if (memory_.is_free(at) || memory_.is_movable(at) == (type == MOVABLE))
            alike += block_frames(memory_.order(at));
    }
    if (alike >= block_frames(PAGE_BLOCK_ORDER) / 2)
        page_block_types_[first >> PAGE_BLOCK_ORDER] = type;
}

} // namespace litemrc_native
