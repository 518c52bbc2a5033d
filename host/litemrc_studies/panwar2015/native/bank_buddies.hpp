// SPDX-License-Identifier: BSD-2-Clause
// Base of allocators with free lists per power unit: a buddy system in each, and isolated units.
#pragma once

#include "memory/allocator.hpp"
#include "memory/segments.hpp"

#include <array>
#include <list>

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

// Bank-buddy in lists (Panwar 2015, figure 7): banks in use by the kernel and by users in a list each, full ones in
// none, unused ones in one with two ends. The first bank of a list is filled before the next, whatever its address.
class BankList : public BankBuddies {
  public:
    explicit BankList(PhysicalMemory &memory)
        : BankBuddies(memory), zones_(memory.zones().size()), places_(segments_.count()) {
        for (uint32_t index = 0; index < segments_.count(); ++index)
            append(index, segments_[index].crossing ? KERNEL : UNUSED);
    }

    uint64_t free_for_movable(uint32_t node) const override {
        uint64_t free = 0;
        for (uint32_t zone = 0; zone < zones_.size(); ++zone)
            if (memory_.zones()[zone].node == node)
                for (const uint32_t index : zones_[zone][USER])
                    free += banks_[index].isolated ? 0 : banks_[index].free;
        return free;
    }

    uint64_t metadata_bytes() const override {
        return BankBuddies::metadata_bytes() + banks_.size() * (sizeof(Place) + 3 * sizeof(void *)) +
               zones_.size() * sizeof(Lists);
    }

  protected:
    uint32_t take(const Request &request) override {
        const Role role = request.movable ? USER : KERNEL, other = request.movable ? KERNEL : USER;
        for (const bool isolated : {false, true}) {
            for (const Role from : {role, UNUSED, other}) {
                if (from != role && !request.wake)
                    return NO_FRAME;
                for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
                    const uint32_t frame = take_from_list(zone, from, role, request.order, isolated);
                    if (frame != NO_FRAME)
                        return frame;
                }
            }
        }
        return NO_FRAME;
    }

    void give(uint32_t frame, unsigned order) override {
        const uint32_t index = give_back(frame, order);
        const uint32_t frames = segments_[index].frames();
        Place &place = places_[index];
        if (banks_[index].free == frames && !segments_[index].crossing) {
            const Role was = place.role;
            remove(index);
            append(index, UNUSED, was == KERNEL);
        } else if (!place.listed)
            append(index, place.role);
    }

  private:
    enum Role : uint8_t { USER, KERNEL, UNUSED };
    using Lists = std::array<std::list<uint32_t>, 3>;
    struct Place {
        std::list<uint32_t>::iterator at;
        Role role;
        bool listed = false;
    };

    uint32_t take_from_list(uint32_t zone, Role from, Role role, unsigned order, bool isolated) {
        std::list<uint32_t> &list = zones_[zone][from];
        if (from == UNUSED && role == USER) { // from the other end
            for (auto at = list.rbegin(); at != list.rend(); ++at)
                if (const uint32_t frame = take_here(*at, role, order, isolated); frame != NO_FRAME)
                    return frame;
            return NO_FRAME;
        }
        for (const uint32_t index : list)
            if (const uint32_t frame = take_here(index, role, order, isolated); frame != NO_FRAME)
                return frame;
        return NO_FRAME;
    }

    uint32_t take_here(uint32_t index, Role role, unsigned order, bool isolated) {
        if (banks_[index].isolated != isolated)
            return NO_FRAME;
        const uint32_t frame = take_from(index, order);
        if (frame == NO_FRAME)
            return NO_FRAME;
        banks_[index].isolated = false;
        if (places_[index].role == UNUSED) {
            remove(index);
            append(index, role);
        }
        if (banks_[index].free == 0)
            remove(index);
        return frame;
    }

    void append(uint32_t index, Role role, bool in_front = false) {
        std::list<uint32_t> &list = zones_[segments_[index].zone][role];
        places_[index] = {list.insert(in_front ? list.begin() : list.end(), index), role, true};
    }

    void remove(uint32_t index) {
        Place &place = places_[index];
        if (place.listed)
            zones_[segments_[index].zone][place.role].erase(place.at);
        place.listed = false;
    }

    std::vector<Lists> zones_;
    std::vector<Place> places_;
};

// Bank-buddy in an array (Panwar 2015, figure 6): free lists of each bank; user pages from the last bank downwards, the
// kernel's from the first upwards, so that an allocation looks at as many banks as there are.
class BankArray : public BankBuddies {
  public:
    using BankBuddies::BankBuddies;

  protected:
    uint32_t take(const Request &request) override {
        // Isolated banks only if nothing else is left.
        for (const bool isolated : {false, true}) {
            for (const uint32_t zone : memory_.zone_order(request.node, request.kind)) {
                const uint32_t begin = segments_.begin(zone), end = segments_.end(zone);
                for (uint32_t at = begin; at < end; ++at) {
                    const uint32_t index = request.movable ? end - 1 - (at - begin) : at;
                    if (banks_[index].isolated != isolated || !(request.wake || is_target(index)))
                        continue;
                    const uint32_t frame = take_from(index, request.order);
                    if (frame == NO_FRAME)
                        continue;
                    banks_[index].isolated = false;
                    return frame;
                }
            }
            if (!request.wake)
                break;
        }
        return NO_FRAME;
    }

    void give(uint32_t frame, unsigned order) override { give_back(frame, order); }
};

} // namespace litemrc_native
