// SPDX-License-Identifier: BSD-2-Clause
// The data lines shared by all ranks.
#pragma once

#include "jedec/geometry.hpp"
#include "violations.hpp"

namespace ddr3 {

class DataBus {
  public:
    explicit DataBus(Violations &violations) : violations_(violations) {}

    // A burst whose first beat is at `first`, commanded at `now`. tCCD, tRTW and tWTR separate bursts of one rank.
    void burst(Clock now, Clock first, unsigned rank) {
        if (rank != last_rank_) {
            if (first < end_ && first + CLOCKS > end_ - CLOCKS)
                violations_.add(Rule::DQ_CONFLICT, now, rank, -1, "rank " + std::to_string(last_rank_) + " drives it");
            else if (first < end_ + PREAMBLE && first >= end_)
                violations_.add(Rule::RANK_SWITCH, now, rank, -1, "directly after rank " + std::to_string(last_rank_));
        }
        end_ = first + CLOCKS;
        last_rank_ = rank;
    }

    void transfer(State &state) { state(end_, last_rank_); }

  private:
    static constexpr Clock CLOCKS = BURST / 2, PREAMBLE = 1;

    Violations &violations_;
    Clock end_ = -1000;
    unsigned last_rank_ = 0;
};

} // namespace ddr3
