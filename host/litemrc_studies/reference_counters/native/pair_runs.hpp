// SPDX-License-Identifier: BSD-2-Clause
// A trace of shared pages as runs, for sweeps: what happens to a page's copy at a processor depends on nothing but that
// processor's references to it and the number of writes of others between them.
//
// For protocol UPD with fixed counters, and a page that stays at its home, all costs follow from pairs of page and
// processor: an update is charged to the copy that receives it. So a pair is a list of runs (updates, own writes, own
// reads), in this order, that is gone through once a setting, by numbers instead of references.
#pragma once

#include "costs.hpp"

#include <cstddef>
#include <vector>

namespace litemrc_native {

class PairRuns {
  public:
    static constexpr uint32_t FIRST_TOUCH = UINT32_MAX;

    // References in the order of time; `pages` are numbered densely, below `page_count`.
    PairRuns(const uint32_t *pages, const uint16_t *processors, const uint8_t *writes, size_t count,
             uint32_t page_count, uint32_t processor_count, uint32_t home);

    // As UpdateMachine with FixedCounters{delay, update}, and local memories without limit.
    NumaCounts fixed(const NumaCosts &costs, uint32_t delay, uint32_t update) const;

    // Lower bound in cycles: copies are made and dropped with knowledge of the future, and no interrupt is charged.
    // Exact, because pairs do not depend on each other: the cheaper of two states, copy and no copy, is carried on.
    uint64_t optimum(const NumaCosts &costs) const;

    size_t size() const { return runs_.size(); }

  private:
    struct Run {
        uint32_t updates, writes, reads;
    };
    struct Pair {
        size_t begin, end;
        bool home;
    };

    void at_home(const Pair &pair, const NumaCosts &costs, NumaCounts &counts) const;
    void away(const Pair &pair, const NumaCosts &costs, uint32_t delay, uint32_t update, NumaCounts &counts) const;

    std::vector<Run> runs_;
    std::vector<Pair> pairs_;
};

} // namespace litemrc_native
