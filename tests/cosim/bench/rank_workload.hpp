// SPDX-License-Identifier: BSD-2-Clause
// Random requests and settings for rank power.
#pragma once

#include "rank_rig.hpp"

inline Word random_word(Dice &dice) {
    Word word;
    for (auto &byte : word)
        byte = std::uint8_t(dice.below(256));
    return word;
}

constexpr unsigned SPREAD = (1u << ROW_BITS) / 8; // 8 rows of a bank, from the lowest to the highest

// Requests with changing places, gaps and runs. Ports use different columns, so their order does not matter.
class Workload {
  public:
    Workload(Rig &rig, Dice &dice) : rig_(rig), dice_(dice) {}

    void clock() {
        if (!dice_.below(1500)) {
            ranks_ = 1 + dice_.below((1 << RANKS) - 1);
            gap_ = dice_.percent(40) ? 0 : dice_.below(dice_.percent(50) ? 40 : 1000);
            writes_ = dice_.below(100);
            locality_ = dice_.below(100);
        }
        for (int port = 0; port < PORTS; ++port) {
            if (rig_.queued(port) > 1 || (gap_ && dice_.below(gap_)))
                continue;
            Place &at = last_[port];
            if (!dice_.percent(locality_)) {
                do
                    at.rank = unsigned(dice_.below(RANKS));
                while (!(ranks_ >> at.rank & 1));
                at.bank = unsigned(dice_.below(BANKS));
                at.row = unsigned(dice_.below(8)) * SPREAD;
            }
            at.column = unsigned(dice_.below((1 << COLUMN_WORD_BITS) / 4) * 4 + port);
            const unsigned mask = dice_.percent(70) ? 0xffff : unsigned(dice_.below(0x10000));
            rig_.submit(port, {at, dice_.percent(writes_), mask, random_word(dice_)});
        }
    }

  private:
    Rig &rig_;
    Dice &dice_;
    unsigned ranks_ = 1;
    int gap_ = 0, writes_ = 50, locality_ = 50;
    Place last_[PORTS] = {};
};

inline void random_settings(Rig &rig, Dice &dice) {
    Settings &s = rig.settings;
    s.kind = dice.below(4);
    s.static_state = 2 + dice.below(3);
    s.mrc_state = 2 + dice.below(3);
    s.mrc_base = dice.below(4);
    s.threshold_power_down = unsigned(dice.percent(20) ? 0 : 1 + dice.below(dice.percent(50) ? 12 : 300));
    s.threshold_self_refresh = unsigned(dice.percent(20) ? 0 : 1 + dice.below(dice.percent(50) ? 100 : 2000));
    s.working = unsigned(dice.below(1 << DOMAINS));
    s.partial = unsigned(dice.below(8));
}
