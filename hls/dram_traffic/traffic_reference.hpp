// SPDX-License-Identifier: BSD-2-Clause
// Reference for the testbenches of dram_traffic: integers, and the cycles of each bank's last commands. And commands at random.
// Not synthesizable.
#pragma once

#include "dram_traffic.hpp"

#include <algorithm>
#include <cstdint>

// Commands of a cycle at most: an access and an ACTIVATE, or only one command.
#ifndef LITEMRC_AT_ONCE
#define LITEMRC_AT_ONCE 2
#endif

namespace litemrc {

class TrafficReference {
  public:
    void step(const TrafficCycle &now) {
        ++cycle_;
        running_.queue_peak = std::max(running_.queue_peak, waited_);
        waited_ = level_;
        level_ += std::int64_t(now.accepted) - std::int64_t(now.issued);
        if (now.count) {
            ++running_.cycles;
            running_.refreshes += now.refresh != 0;
        }
        if (now.access) {
            const int bank = int(now.access_bank);
            if (now.count) {
                ++running_.banks[bank % 16][now.write ? BANK_WRITES : BANK_READS];
                running_.banks[bank % 16][BANK_ROW_HITS] += accessed_[bank] > activated_[bank];
            }
            accessed_[bank] = cycle_;
        }
        if (now.activate) {
            const int bank = int(now.activate_bank);
            if (now.count) {
                ++running_.banks[bank % 16][BANK_ACTIVATES];
                running_.banks[bank % 16][BANK_ROW_CONFLICTS] += activated_[bank] > closed_[bank * RANKS / BANKS];
            }
            activated_[bank] = cycle_;
        }
        for (int rank = 0; rank < RANKS; ++rank)
            if (now.precharge_all[rank] || now.refresh[rank])
                closed_[rank] = cycle_;
        if (now.clear)
            running_ = Epoch();
        if (now.epoch_end) {
            ended_ = running_;
            running_ = Epoch();
        }
    }

    std::uint64_t word(int number) const {
        const std::uint64_t cycles = std::min(ended_.cycles, most(CYCLE_BITS) + 1);
        switch (number) {
        case TRAFFIC_CYCLES_LOW:
            return cycles & 0xffffffff;
        case TRAFFIC_CYCLES_HIGH:
            return cycles >> 32;
        case TRAFFIC_REFRESHES:
            return std::min(ended_.refreshes, most(COUNTER_BITS));
        case TRAFFIC_QUEUE_PEAK:
            return std::uint64_t(ended_.queue_peak);
        default:
            break;
        }
        if (number < TRAFFIC_BANK || number % TRAFFIC_BANK_WORDS >= BANK_COUNTS)
            return 0;
        const int bank = (number - TRAFFIC_BANK) / TRAFFIC_BANK_WORDS;
        return std::min(ended_.banks[bank][number % TRAFFIC_BANK_WORDS], most(COUNTER_BITS));
    }

    std::int64_t level() const { return level_; }

    bool overflow() const { return ended_.cycles > most(CYCLE_BITS); }

  private:
    static constexpr int BANK_COUNTS = 5;

    struct Epoch {
        std::uint64_t cycles = 0, refreshes = 0;
        std::int64_t queue_peak = 0;
        std::uint64_t banks[16][BANK_COUNTS] = {};
    };

    static constexpr std::uint64_t most(int bits) { return (std::uint64_t(1) << bits) - 1; }

    Epoch running_, ended_; // the running epoch, the last one that ended
    long cycle_ = 0;
    long accessed_[BANKS] = {}, activated_[BANKS] = {}; // cycle of the last access and ACTIVATE of each bank
    long closed_[RANKS] = {};                           // of the last PRECHARGE ALL or REFRESH of each rank
    std::int64_t level_ = 0, waited_ = 0; // requests, now and at the begin of the last cycle
};

// Commands in runs of different rates and banks. `Random` gives 0..n-1.
template <typename Random> class TrafficStimulus {
  public:
    explicit TrafficStimulus(Random random) : random_(random) {}

    TrafficCycle next() {
        if (run_left_-- == 0)
            start_run();
        TrafficCycle now{ap_uint<1>(!percent(pause_percent_)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        now.access = percent(access_percent_);
        now.write = random_(2);
        now.access_bank = bank();
        now.activate = percent(activate_percent_);
        now.activate_bank = bank();
        if (percent(all_percent_)) {
            now.refresh = random_(1 << RANKS);
            now.precharge_all = random_(1 << RANKS);
        }
        if (LITEMRC_AT_ONCE == 1 && (now.refresh != 0 || now.precharge_all != 0))
            now.access = 0;
        if ((now.access && (LITEMRC_AT_ONCE == 1 || now.access_bank == now.activate_bank)) || now.refresh != 0 || now.precharge_all != 0)
            now.activate = 0;
        now.accepted = percent(accept_percent_) ? random_(most_accepted_ + 1) : 0;
        if (level_ + int(now.accepted) > most_level_)
            now.accepted = 0;
        now.issued = level_ + int(now.accepted) > 0 && percent(issue_percent_);
        level_ += int(now.accepted) - int(now.issued);
        return now;
    }

    bool epoch_ends() { return random_(epoch_cycles_) == 0; }

    void reset() { level_ = 0; }

  private:
    static constexpr int MOST_LEVEL = 60;

    bool percent(int probability) { return random_(100) < probability; }

    int bank() { return (first_bank_ + random_(banks_)) % BANKS; }

    void start_run() {
        static const int PERCENTS[] = {0, 2, 20, 50, 95, 100};
        run_left_ = random_(400);
        access_percent_ = PERCENTS[random_(6)];
        activate_percent_ = PERCENTS[random_(6)];
        all_percent_ = random_(2) ? 0 : 1 + random_(20);
        pause_percent_ = random_(3) ? 0 : PERCENTS[random_(6)];
        accept_percent_ = PERCENTS[random_(5)];
        issue_percent_ = PERCENTS[random_(6)];
        most_accepted_ = 1 + random_(4);
        most_level_ = 1 + random_(MOST_LEVEL);
        banks_ = random_(3) ? 1 + random_(BANKS) : 1 + random_(2);
        first_bank_ = random_(BANKS);
        epoch_cycles_ = 1 + random_(random_(4) ? 200 : random_(2) ? 4 : 3000);
    }

    Random random_;
    int run_left_ = 0, level_ = 0;
    int access_percent_ = 0, activate_percent_ = 0, all_percent_ = 0, pause_percent_ = 0;
    int accept_percent_ = 0, issue_percent_ = 0, most_accepted_ = 1, most_level_ = 1;
    int banks_ = 1, first_bank_ = 0, epoch_cycles_ = 1;
};

} // namespace litemrc
