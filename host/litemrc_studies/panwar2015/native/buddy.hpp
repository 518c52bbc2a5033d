// SPDX-License-Identifier: BSD-2-Clause
// Linux's binary buddy allocator: free lists by zone, migrate type and order; it knows nothing of power units.
//
// Kept of mm/page_alloc.c of Linux 6.1: last freed, first used; a type without a fitting block takes the largest one of
// the other type, the whole page block (2 MB) if the block is large or the request unmovable, and the page block changes
// its type if at least half of it is free or of the new type. Left out: per-CPU lists, the reclaimable type, watermarks.
#pragma once

#include "memory/allocator.hpp"

#include <array>

namespace litemrc_native {

class Buddy : public Allocator {
  public:
    explicit Buddy(PhysicalMemory &memory);

    uint64_t free_for_movable(uint32_t node) const override;
    uint64_t metadata_bytes() const override;

  protected:
    uint32_t take(const Request &request) override;
    void give(uint32_t frame, unsigned order) override;

  private:
    enum Type : uint8_t { MOVABLE, UNMOVABLE };
    static constexpr unsigned PAGE_BLOCK_ORDER = 9;
    struct ZoneLists {
        std::array<FreeLists, 2> types;
        uint64_t free;
    };

    Type type_of(uint32_t frame) const { return page_block_types_[frame >> PAGE_BLOCK_ORDER]; }
    bool steal(ZoneLists &zone, const Request &request, Type type);
    void claim_page_block(ZoneLists &zone, uint32_t frame, Type type);

    std::vector<ZoneLists> zones_;
    std::vector<Type> page_block_types_;
};

} // namespace litemrc_native
