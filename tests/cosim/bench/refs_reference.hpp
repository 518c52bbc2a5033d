// SPDX-License-Identifier: BSD-2-Clause
// The reference of RefCounters' bench: plain arrays, and a model of the cycles in which the RTL's sweep visits rows.
#pragma once

#include "ref_counters/ref_counters.hpp"

#include <algorithm>
#include <vector>

// Counters without tags: a reset writes all of them.
class PlainCounters {
  public:
    void reset(const litemrc::RefSettings &settings) {
        for (int counter = 0; counter < litemrc::PAGE_COUNTERS; ++counter)
            std::fill(values_[counter].begin(), values_[counter].end(), int(settings.initials[counter]));
    }

    void clear() {
        for (std::vector<int> &values : values_)
            std::fill(values.begin(), values.end(), 0);
    }

    // Returns the counters that fire.
    int request(int page, int counting) {
        int fires = 0;
        for (int counter = 0; counter < litemrc::PAGE_COUNTERS; ++counter) {
            int &value = values_[counter][page];
            if ((counting >> counter & 1) && value > 0 && --value == 0)
                fires |= 1 << counter;
        }
        return fires;
    }

    int &value(int page, int counter) { return values_[counter][page]; }

  private:
    std::vector<int> values_[litemrc::PAGE_COUNTERS] = {std::vector<int>(litemrc::FRAMES),
                                                        std::vector<int>(litemrc::FRAMES)};
};

// Resets that the RTL takes, and rows it rewrites, as specified in ref_counters.py: a reset waits for the previous one in
// the pipeline, and the fourth for a full pass of the sweep, which takes a row in each cycle without an operation.
class SweepTiming {
  public:
    bool zeroing() const { return zeroing_; }
    bool sweeping() const { return zeroing_ || owed_ != 0; }
    bool ready() const { return !zeroing_ && owed_ != 3 && since_reset_ > RESET_CLOCKS; }
    bool owes_three() const { return owed_ == 3; }

    void clock(bool reset, bool free) {
        ++since_reset_;
        if (reset) { // the pass restarts, even at its last visit
            visits_ = 0;
            ++owed_;
            since_reset_ = 1;
        } else if (sweeping() && free && ++visits_ == litemrc::ROWS + UNDER_WAY) {
            visits_ = owed_ = 0;
            zeroing_ = false;
            ++passes;
        }
    }

    long passes = 0;

  private:
    static constexpr int RESET_CLOCKS = 6; // until the initial values of a reset take effect
    static constexpr int UNDER_WAY = 10;   // visits after the last row

    bool zeroing_ = true;
    int owed_ = 0, visits_ = 0, since_reset_ = RESET_CLOCKS + 1;
};
