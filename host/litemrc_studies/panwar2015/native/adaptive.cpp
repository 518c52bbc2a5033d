// SPDX-License-Identifier: BSD-2-Clause
// Requests: allocation of blocks from the lists, and their return.
#include "adaptive.hpp"

namespace litemrc_native {

Adaptive::Adaptive(PhysicalMemory &memory, const AdaptiveParameters &parameters)
    : Allocator(memory), parameters_(parameters), segments_(memory),
      pool_of_block_(memory.frames() / LARGEST_BLOCK, NO_POOL), off_((segments_.count() + 63) / 64) {
    if (parameters_.moves_per_operation == 0)
        parameters_.moves_per_operation = AT_ONCE;
    for (size_t zone = 0; zone < memory.zones().size(); ++zone)
        for (unsigned kind = 0; kind < 2; ++kind)
            pools_.push_back({FreeLists(memory)});
    for (size_t zone = 0; zone < memory.zones().size(); ++zone)
        isolated_.emplace_back(memory, FREE_ISOLATED);
    for (uint32_t index = 0; index < segments_.count(); ++index) {
        banks_.push_back({segments_[index].zone, segments_[index].frames()});
        enter(index, OFF);
        if (segments_[index].crossing) { // always in use: the kernel's
            banks_[index].kind = KERNEL;
            enter(index, POOLED);
            while (!advance(index, AT_ONCE))
                ;
        }
    }
    memory.list_work = moves_ = visits_ = 0;
}

bool Adaptive::is_offline(uint32_t unit) const {
    const State state = banks_[of_unit(unit)].state;
    return !memory_.unit(unit).crossing && (state == OFF || state == EMPTIED);
}

bool Adaptive::is_isolated(uint32_t unit) const { return banks_[of_unit(unit)].state == ISOLATED; }

uint64_t Adaptive::free_for_movable(uint32_t node) const {
    uint64_t free = 0;
    for (uint32_t zone = 0; zone < memory_.zones().size(); ++zone)
        if (memory_.zones()[zone].node == node)
            free += pools_[2 * zone + USER].free;
    return free;
}

uint64_t Adaptive::metadata_bytes() const {
    return pools_.size() * (sizeof(Pool) + FreeLists::bytes()) +
           isolated_.size() * (sizeof(FreeLists) + FreeLists::bytes()) + banks_.size() * sizeof(Bank) +
           off_.size() * sizeof(uint64_t) + pool_of_block_.size() * 2 * sizeof(uint32_t);
}

uint32_t Adaptive::take(const Request &request) {
    const Kind kind = request.movable ? USER : KERNEL;
    help();
    uint32_t frame = take_without_waking(request, kind);
    if (frame == NO_FRAME && request.wake)
        frame = take_by_waking(request, kind);
    if (frame == NO_FRAME && request.wake)
        frame = take_anything(request, kind);
    return frame;
}

inline uint32_t Adaptive::take_without_waking(const Request &request, Kind kind) {
    for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
        Pool &from = pool(zone, kind);
        const uint32_t frame = from.lists.take(request.order);
        if (frame == NO_FRAME)
            continue;
        taken(from, frame, request.order);
        if (from.free < parameters_.reserve_frames && on_the_way_.empty() && request.wake)
            bring(zone, kind); // ahead of need
        return frame;
    }
    return NO_FRAME;
}

// Banks on their way first, then one that is off.
uint32_t Adaptive::take_by_waking(const Request &request, Kind kind) {
    for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
        Pool &to = pool(zone, kind);
        for (size_t at = 0; at < on_the_way_.size(); ++at) {
            const Bank &bank = banks_[on_the_way_[at]];
            if (bank.state != POOLED || bank.zone != zone || bank.kind != kind || !bank.whole)
                continue;
            advance(on_the_way_[at], parameters_.moves_per_operation);
            if (const uint32_t frame = to.lists.take(request.order); frame != NO_FRAME)
                return taken(to, frame, request.order);
            break;
        }
        const uint32_t brought = bring(zone, kind);
        if (brought == NO_BANK)
            continue;
        advance(brought, parameters_.moves_per_operation);
        if (const uint32_t frame = to.lists.take(request.order); frame != NO_FRAME)
            return taken(to, frame, request.order);
    }
    return NO_FRAME;
}

// No bank is off any more: what leaves stays, a block of those that are isolated, then one of the other kind's pool.
uint32_t Adaptive::take_anything(const Request &request, Kind kind) {
    const std::vector<uint32_t> &zones = memory_.zone_order(request.node, request.kind);
    for (const uint32_t zone : zones)
        if (const uint32_t frame = take_back(zone, request, kind); frame != NO_FRAME)
            return frame;
    for (const uint32_t zone : zones)
        if (const uint32_t frame = isolated_[zone].take(request.order); frame != NO_FRAME)
            return taken_from_isolated(frame, request.order);
    const Kind other = kind == USER ? KERNEL : USER;
    for (const uint32_t zone : zones) {
        Pool &from = pool(zone, other);
        if (const uint32_t frame = from.lists.take(request.order); frame != NO_FRAME)
            return taken(from, frame, request.order);
        if (const uint32_t frame = take_back(zone, request, other); frame != NO_FRAME)
            return frame;
    }
    return NO_FRAME;
}

// A bank on its way that is empty or comes to this pool: it stays there, and some of its blocks do at once.
uint32_t Adaptive::take_back(uint32_t zone, const Request &request, Kind kind) {
    for (const uint32_t index : on_the_way_) {
        Bank &bank = banks_[index];
        if (bank.zone != zone || bank.state == OFF || bank.state == ISOLATED || !bank.whole)
            continue;
        if (bank.state == EMPTIED) // none of its blocks is on a pool's lists
            bank.kind = kind;
        if (bank.kind != kind)
            continue;
        if (bank.state != POOLED)
            enter(index, POOLED);
        advance(index, parameters_.moves_per_operation);
        Pool &from = pool(zone, kind);
        if (const uint32_t frame = from.lists.take(request.order); frame != NO_FRAME)
            return taken(from, frame, request.order);
    }
    return NO_FRAME;
}

inline uint32_t Adaptive::taken(Pool &pool, uint32_t frame, unsigned order) {
    if (pool_of_block_[frame >> MAX_ORDER] != NO_POOL)
        pool.free -= block_frames(order);
    else
        taken_from_leaving(frame, order);
    return frame;
}

// Of a bank whose blocks are not all off the lists yet: if it leaves because it was empty, it stays.
void Adaptive::taken_from_leaving(uint32_t frame, unsigned order) {
    const uint32_t index = segments_.of(frame);
    if (banks_[index].state != LEAVING)
        return;
    enter(index, POOLED);
    queue(index);
    pool_of(banks_[index]).free -= block_frames(order); // not counted as used yet
}

// The bank is needed: its isolated blocks return with the next operations.
uint32_t Adaptive::taken_from_isolated(uint32_t frame, unsigned order) {
    const uint32_t index = segments_.of(frame);
    if (banks_[index].state != POOLED) {
        enter(index, POOLED);
        queue(index);
    }
    pool_of(banks_[index]).free -= block_frames(order); // not counted as used yet
    return frame;
}

void Adaptive::give(uint32_t frame, unsigned order) {
    const uint32_t to = pool_of_block_[frame >> MAX_ORDER];
    if (to == NO_POOL)
        return gave_to_isolated(frame, order);
    pools_[to].free += block_frames(order);
    const uint32_t merged = coalesce(memory_, frame, order);
    pools_[to].lists.add(merged, order);
    if (order == MAX_ORDER && is_empty(segments_.of(frame)))
        leave_if_spare(segments_.of(frame));
    help();
}

void Adaptive::gave_to_isolated(uint32_t frame, unsigned order) {
    const uint32_t index = segments_.of(frame);
    const uint32_t merged = coalesce(memory_, frame, order);
    isolated_[banks_[index].zone].add(merged, order);
    if (banks_[index].cursor == banks_[index].frames && is_empty(index)) {
        enter(index, EMPTIED);
        queue(index);
    }
    help();
}

} // namespace litemrc_native
