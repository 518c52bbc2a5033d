// SPDX-License-Identifier: BSD-2-Clause
// Power units cut at the borders of zones: what bank-aware allocators keep apart. A unit within one zone is one segment.
#pragma once

#include "memory.hpp"

namespace litemrc_native {

struct Segment {
    uint32_t zone, unit;
    bool crossing;                // its unit lies in several zones: always in use
    std::vector<uint32_t> blocks; // of MAX_ORDER, by their first frames
    uint32_t frames() const { return uint32_t(blocks.size()) * LARGEST_BLOCK; }
};

class Segments {
  public:
    // By zone, then by unit: those of a zone are neighbours. The memory's blocks must lie in units.
    explicit Segments(const PhysicalMemory &memory)
        : first_of_zone_(memory.zones().size() + 1), of_block_(memory.frames() / LARGEST_BLOCK) {
        for (uint32_t zone = 0; zone < memory.zones().size(); ++zone) {
            first_of_zone_[zone] = uint32_t(segments_.size());
            for (uint32_t unit = 0; unit < memory.units(); ++unit) {
                Segment segment{zone, unit, memory.unit(unit).crossing, {}};
                for (const uint32_t block : memory.unit_blocks(unit))
                    if (memory.zone_of(block) == zone)
                        segment.blocks.push_back(block);
                if (segment.blocks.empty())
                    continue;
                for (const uint32_t block : segment.blocks)
                    of_block_[block / LARGEST_BLOCK] = uint32_t(segments_.size());
                segments_.push_back(std::move(segment));
            }
        }
        first_of_zone_.back() = uint32_t(segments_.size());
    }

    uint32_t count() const { return uint32_t(segments_.size()); }
    const Segment &operator[](uint32_t index) const { return segments_[index]; }
    uint32_t of(uint32_t frame) const { return of_block_[frame >> MAX_ORDER]; }
    // Those of a zone: from begin to before end.
    uint32_t begin(uint32_t zone) const { return first_of_zone_[zone]; }
    uint32_t end(uint32_t zone) const { return first_of_zone_[zone + 1]; }

  private:
    std::vector<Segment> segments_;
    std::vector<uint32_t> first_of_zone_, of_block_;
};

} // namespace litemrc_native
