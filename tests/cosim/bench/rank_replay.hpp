// SPDX-License-Identifier: BSD-2-Clause
// Plays a file of accesses, settings and commands to rank power, and prints what each domain did.
//
// A line is a cycle and an event of that cycle, in order of the cycles:
//   CYCLE access RANK BANK WRITE
//   CYCLE settings KIND STATIC_STATE MRC_STATE MRC_BASE THRESHOLD_POWER_DOWN THRESHOLD_SELF_REFRESH WORKING
//   CYCLE command DOMAIN STATE
//   CYCLE end
#pragma once

#include "rank_rig.hpp"

#include <fstream>
#include <iostream>

#if WITH_POWER
class Replay {
  public:
    void run(const std::string &path) {
        std::ifstream file(path);
        std::uint64_t at;
        std::string event;
        rig_.pass_refresh();
        rig_.on_dfi = [this] { count(); };
        const std::uint64_t begun = rig_.clocks();
        while (file >> at >> event) {
            while (rig_.clocks() - begun < at)
                rig_.clock();
            if (event == "end")
                return print();
            take(event, file);
        }
        throw std::runtime_error("no end in " + path);
    }

  private:
    void take(const std::string &event, std::istream &line) {
        if (event == "access") {
            unsigned rank, bank;
            bool write;
            line >> rank >> bank >> write;
            rig_.submit(0, {{rank, bank, 0, 0}, write, 0xffff, {}});
        } else if (event == "settings") {
            Settings &s = rig_.settings;
            line >> s.kind >> s.static_state >> s.mrc_state >> s.mrc_base >> s.threshold_power_down >>
                s.threshold_self_refresh >> s.working;
        } else if (event == "command") {
            int domain, state;
            line >> domain >> state;
            rig_.command(domain, state);
        } else {
            throw std::runtime_error("unknown event " + event);
        }
        if (!line)
            throw std::runtime_error("incomplete " + event);
    }

    void count() {
        for (int domain = 0; domain < DOMAINS; ++domain) {
            const int state = rig_.state(domain);
            Counts &counts = counts_[domain];
            ++counts.clocks[state];
            counts.entered[state] += state != counts.state;
            counts.state = state;
            counts.wakes += rig_.top().wakes >> domain & 1;
            counts.waking += rig_.top().waking >> domain & 1;
        }
    }

    void print() {
        rig_.drain();
        rig_.check_rules();
        for (int domain = 0; domain < DOMAINS; ++domain) {
            const std::string name = "domain" + std::to_string(domain) + "_";
            const Counts &counts = counts_[domain];
            for (const auto &[state, text] : {std::pair{POWER_DOWN, "power_down"}, {SELF_REFRESH, "self_refresh"}})
                std::cout << name << text << " " << counts.clocks[state] << "\n"
                          << name << "entered_" << text << " " << counts.entered[state] << "\n";
            std::cout << name << "wake_ups " << counts.wakes << "\n" << name << "waking " << counts.waking << "\n";
        }
    }

    struct Counts {
        std::uint64_t clocks[5] = {}, entered[5] = {}, wakes = 0, waking = 0;
        int state = 0;
    };

    Rig rig_;
    Counts counts_[DOMAINS];
};
#endif
