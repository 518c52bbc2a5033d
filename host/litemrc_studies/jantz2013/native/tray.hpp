// SPDX-License-Identifier: BSD-2-Clause
// Trays (Jantz et al. 2013, section 4.2): free lists for each power unit inside each zone, and guidance of requests to
// units. A tray that already serves similar use is preferred, so that few units have pages of one use.
//
// Use is what a request's hint says, kernel and user pages apart. A hint can be guided to trays: those come first in
// their order, and with `bound` none else. Without guidance a use stays in its tray until that has no fitting block;
// then comes the tray with most pages of this use, of equal ones that with most free pages, of equal ones the first.
#pragma once

#include "memory/allocator.hpp"

namespace litemrc_native {

class Tray : public Allocator {
  public:
    static constexpr uint32_t MOST_HINTS = 1u << 15;

    // Every block of the memory must lie in one unit.
    explicit Tray(PhysicalMemory &memory);

    // From now on requests with this hint are led to these units; an empty order leads nowhere.
    void guide(uint32_t hint, std::vector<uint32_t> order, bool bound);
    // Pages of a unit that requests with this hint have now.
    uint64_t furnished(uint32_t hint, uint32_t unit) const;
    uint64_t free_in(uint32_t unit) const { return units_[unit].free; }

    bool can_isolate() const override { return true; }
    bool is_isolated(uint32_t unit) const override { return units_[unit].isolated; }
    bool isolate(uint32_t unit) override;
    bool rejoin(uint32_t unit) override;
    uint64_t free_for_movable(uint32_t node) const override;
    uint64_t metadata_bytes() const override;

  protected:
    uint32_t take(const Request &request) override;
    void give(uint32_t frame, unsigned order) override;

  private:
    struct Lists {
        uint32_t zone;
        FreeLists free;
    };
    struct UnitState {
        std::vector<Lists> trays; // one for each zone it lies in
        uint64_t free = 0;
        bool isolated = false;
    };
    struct Use {
        std::vector<uint32_t> order;
        bool bound = false;
        uint32_t current = NO_UNIT;
        std::vector<uint64_t> furnished;
    };
    static constexpr uint32_t NO_UNIT = UINT32_MAX;

    // Target of movable pages without a hint: a tray in use, but not by the kernel, which needs its own trays.
    bool is_target(uint32_t unit) const { return memory_.unit(unit).used && !memory_.unit(unit).unmovable; }
    static uint32_t use_of(uint32_t hint, bool movable) { return 2 * hint + !movable; }
    Use &use(uint32_t number);
    uint32_t take_open(const Request &request);
    Lists *lists(uint32_t unit, uint32_t zone);
    Lists *fitting(uint32_t unit, const Request &request, uint32_t zone);
    uint32_t take_from(Lists &tray, uint32_t unit, const Request &request, uint32_t number);
    uint32_t similar(const Use &use, const Request &request, uint32_t zone);

    std::vector<UnitState> units_;
    std::vector<Use> uses_;
    std::vector<uint16_t> use_of_; // of each block in use, by its first frame
};

} // namespace litemrc_native
