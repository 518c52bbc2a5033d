// Chips that enter deeper states by idle thresholds, or immediately on command.
#pragma once

#include "chip_states.hpp"

namespace litemrc_native {

class SleepingChips {
  public:
    // `after_fs`: idle time before a chip enters each state; must not decrease, NEVER: state unused. The first is 0.
    SleepingChips(const ChipPower &power, const PerState &after_fs, uint32_t chips)
        : power_(power), after_(after_fs), chips_(chips) {}

    // From now on, until its next access, the chip is in the deepest state.
    void power_down(uint32_t chip, uint64_t now) {
        if (chips_[chip].told == NEVER)
            chips_[chip].told = now;
    }

    // Accesses the chip at `now`; returns the completion time.
    uint64_t access(uint32_t chip, uint64_t now) {
        const unsigned state = settle(chip, now);
        Chip &it = chips_[chip];
        it.counts.wakes[state] += state != 0;
        ++it.counts.accesses;
        now += power_.exit_fs[state] + power_.access_fs;
        it.since = now;
        it.told = NEVER;
        return now;
    }

    // Returns the counts of all chips at the end, `now`.
    std::vector<ChipCounts> finish(uint64_t now) {
        std::vector<ChipCounts> counts;
        for (uint32_t chip = 0; chip < chips_.size(); ++chip) {
            settle(chip, now);
            counts.push_back(chips_[chip].counts);
        }
        return counts;
    }

  private:
    struct Chip {
        uint64_t since = 0, told = NEVER;
        ChipCounts counts;
    };

    // Accounts for the idle time until `now`; returns the final state.
    unsigned settle(uint32_t chip, uint64_t now) {
        Chip &it = chips_[chip];
        const uint64_t end = it.told < now ? it.told : now, waited = end - it.since;
        unsigned state = 0;
        uint64_t from = 0;
        for (unsigned next = 1; next < MOST_STATES && !(after_[next] != NEVER && after_[next] > waited); ++next) {
            if (after_[next] == NEVER)
                continue;
            it.counts.waited_fs[state] += after_[next] - from;
            from = after_[next];
            state = next;
        }
        it.counts.waited_fs[state] += waited - from;
        if (it.told <= now) {
            state = MOST_STATES - 1;
            it.counts.waited_fs[state] += now - end;
        }
        return state;
    }

    const ChipPower power_;
    const PerState after_;
    std::vector<Chip> chips_;
};

} // namespace litemrc_native
