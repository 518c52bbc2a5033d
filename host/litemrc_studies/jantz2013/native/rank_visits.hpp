// SPDX-License-Identifier: BSD-2-Clause
// Ranks that sleep by idle thresholds under a program that visits pages; equal to litemrc/golden/ranks/visits.py, which
// defines a visit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// In cycles; as in RankTiming.
struct RankTiming {
    uint64_t power_down_after, self_refresh_after, power_down_exit, self_refresh_exit, sample;
};

// Accesses of others, in cycles; as in Background. A gap of 0: there are none.
struct Background {
    uint64_t gap, busy, seed;
};

// Counters of a rank in a sample, in the order of COUNTERS in native/rank_visits.py.
struct RankCounts {
    uint64_t reads, writes, activates;
    uint64_t active_standby, precharge_standby, power_down, self_refresh;
    uint64_t entered_power_down, entered_self_refresh, wake_ups, waking;
};

class RankVisits {
  public:
    RankVisits(uint32_t ranks, const RankTiming &timing, bool interleaved, const Background &background);

    // `rank` must be one of the ranks, and there must be a line.
    void visit(uint64_t gap, uint64_t busy, uint32_t rank, uint32_t reads, uint32_t writes);
    void pause(uint64_t cycles) {
        now_ += cycles;
        serve_others();
    }
    void finish();

    uint64_t now() const { return now_; }
    uint32_t ranks() const { return ranks_; }
    // 0 while an access is served.
    uint64_t idle(uint32_t rank) const {
        const uint64_t since = state_[rank].idle_since;
        return since < now_ ? now_ - since : 0;
    }
    // [sample][rank]
    const std::vector<RankCounts> &counts() const { return counts_; }

  private:
    struct State {
        uint64_t idle_since, settled;
    };

    RankCounts &at(uint64_t clock, uint32_t rank);
    void spread(uint32_t rank, uint64_t RankCounts::*state, uint64_t begin, uint64_t end);
    void settle(uint32_t rank, uint64_t now);
    uint64_t wake(uint32_t rank, uint64_t now);
    void serve(uint32_t rank, uint64_t begun, uint64_t busy, uint32_t reads, uint32_t writes);
    void draw_next(uint64_t now);
    void serve_others();

    uint32_t ranks_;
    RankTiming timing_;
    bool interleaved_;
    Background background_;
    uint64_t now_ = 0;
    uint64_t random_, next_ = UINT64_MAX; // the background's next access
    uint32_t next_rank_ = 0;
    std::vector<State> state_;
    std::vector<RankCounts> counts_;
};

} // namespace litemrc_native
