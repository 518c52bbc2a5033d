// SPDX-License-Identifier: BSD-2-Clause
#include "memory.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {

constexpr uint32_t KINDS = 3;

std::vector<uint32_t> order_of_zones(const std::vector<Zone> &zones, uint32_t node, uint32_t kind) {
    std::vector<uint32_t> order;
    for (uint32_t index = 0; index < zones.size(); ++index)
        if (zones[index].kind <= kind)
            order.push_back(index);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t left, uint32_t right) {
        const bool away = zones[left].node != node, other_away = zones[right].node != node;
        return away != other_away ? other_away : zones[left].kind > zones[right].kind;
    });
    return order;
}

} // namespace

PhysicalMemory::PhysicalMemory(MemoryShape shape)
    : shape_(std::move(shape)), states_(shape_.frames, INSIDE), owners_(shape_.frames, NO_OWNER),
      zone_of_(shape_.frames / LARGEST_BLOCK) {
    const uint32_t blocks = shape_.frames / LARGEST_BLOCK;
    units_.resize((shape_.frames + shape_.unit_frames - 1) / shape_.unit_frames);
    links_.reserve(shape_.frames + ORDERS * (4 * (units() + shape_.zones.size()) + 64));
    links_.resize(shape_.frames);
    for (uint32_t index = 0; index < shape_.zones.size(); ++index) {
        const Zone &zone = shape_.zones[index];
        nodes_ = std::max(nodes_, zone.node + 1);
        std::fill(zone_of_.begin() + zone.first / LARGEST_BLOCK, zone_of_.begin() + zone.end() / LARGEST_BLOCK,
                  uint8_t(index));
    }
    for (uint32_t node = 0; node < nodes_; ++node)
        for (uint32_t kind = 0; kind < KINDS; ++kind)
            orders_.push_back(order_of_zones(shape_.zones, node, kind));

    for (uint32_t block = 0; block < blocks; ++block)
        set_state(block * LARGEST_BLOCK, FREE_HELD, MAX_ORDER);
    const bool striped = shape_.stripe_frames != 0;
    if (!striped || shape_.stripe_frames >= LARGEST_BLOCK) {
        unit_blocks_.resize(units());
        for (uint32_t block = 0; block < blocks; ++block) {
            const uint32_t first = block * LARGEST_BLOCK;
            const uint32_t unit = striped ? (first / shape_.stripe_frames) % units() : first / shape_.unit_frames;
            unit_of_.push_back(unit);
            unit_blocks_[unit].push_back(first);
        }
    }
    std::vector<bool> seen(units());
    const uint32_t step = unit_of_.empty() ? shape_.stripe_frames : LARGEST_BLOCK;
    for (uint32_t frame = 0; frame < shape_.frames; frame += step) {
        const uint32_t index = unit_of(frame), zone = zone_of(frame);
        Unit &unit = units_[index];
        unit.frames += step;
        if (!seen[index])
            unit.zone = zone;
        seen[index] = true;
        unit.crossing |= unit.zone != zone;
    }
}

uint32_t PhysicalMemory::add_list() {
    const uint32_t head = uint32_t(links_.size());
    links_.push_back({head, head});
    return head;
}

} // namespace litemrc_native
