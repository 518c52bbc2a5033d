// SPDX-License-Identifier: BSD-2-Clause
// Modes of rank_bench in which single ranks sleep and wake.
#pragma once

#include "rank_workload.hpp"

#include <iostream>
#include <map>

#if WITH_POWER
constexpr unsigned RANK = RANKS > 1 ? 1 : 0; // the rank that sleeps

inline void sleep(Rig &rig, int state) {
    rig.command(RANK, state);
    for (int i = 0; rig.state(RANK) != state; ++i) {
        rig.clock();
        if (i > 5000)
            throw Mismatch("rank does not enter state " + std::to_string(state));
    }
}

// Cycles from a read's arrival to its data; the rank's rows are closed.
inline int read_clocks(Rig &rig, const Place &at) {
    rig.submit(0, {at, false, 0, {}});
    return rig.drain();
}

inline void wake_bench() {
    Rig rig;
    std::map<std::string, std::pair<int, int>> clocks; // least, most
    for (const auto &[name, state] : {std::pair{"awake", 0}, {"power_down", POWER_DOWN}, {"self_refresh", SELF_REFRESH}}) {
        for (int rest : {10, 11, 50, 200}) {
            rig.pass_refresh();
            if (state)
                sleep(rig, state);
            if (!state)
                rig.idle(20);
            rig.idle(rest);
            const int taken = read_clocks(rig, {RANK, 3, SPREAD, 5});
            auto &[least, most] = clocks.try_emplace(name, taken, taken).first->second;
            least = std::min(least, taken);
            most = std::max(most, taken);
        }
    }
    rig.check_rules();
    for (const auto &[name, range] : clocks)
        std::cout << name << "_least " << range.first << "\n" << name << "_most " << range.second << "\n";
}

inline void threshold_bench() {
    Rig rig;
    std::map<std::string, std::pair<int, int>> late;
    for (const bool write : {false, true}) {
        for (int threshold : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 20, 40, 100, 300}) {
            rig.settings.kind = 2;
            rig.settings.threshold_power_down = unsigned(threshold);
            rig.pass_refresh();
            rig.submit(1, {{RANK, 2, 0, 1}, write, 0xffff, {}});
            int since = -1;
            for (int i = 0; i < 700 && (since < 0 || rig.state(RANK) == 0); ++i) {
                bool column = false;
                rig.on_dfi = [&] { column = rig.column_command(RANK); };
                rig.clock();
                since = column ? 0 : since < 0 ? since : since + 1;
            }
            rig.on_dfi = nullptr;
            ++since; // state() is that of the next cycle
            if (!write && (since < threshold || since > threshold + 4))
                throw Mismatch("threshold " + std::to_string(threshold) + ": CKE low after " + std::to_string(since));
            auto &[least, most] = late.try_emplace(write ? "write" : "read", 1000, -1000).first->second;
            least = std::min(least, since - threshold);
            most = std::max(most, since - threshold);
        }
    }
    rig.check_rules();
    for (const auto &[name, range] : late)
        std::cout << name << "_least " << range.first << "\n" << name << "_most " << range.second << "\n";
}

inline void partial_bench() {
    static constexpr unsigned KEPT[8] = {0xff, 0x0f, 0x03, 0x01, 0xfc, 0xf0, 0xc0, 0x80}; // JESD79-3F, MR2
    Rig rig;
    Dice dice(1);
    int kept = 0, lost = 0;
    for (unsigned partial = 0; partial < 8; ++partial) {
        for (unsigned bank = 0; bank < BANKS; ++bank)
            rig.submit(0, {{RANK, bank, SPREAD, bank}, true, 0xffff, random_word(dice)});
        rig.drain();
        rig.settings.partial = int(partial);
        rig.settings.partial_allowed = (1u << DOMAINS) - 1;
        sleep(rig, partial ? SELF_REFRESH_PARTIAL : SELF_REFRESH);
        rig.idle(100);
        rig.compare = false;
        for (unsigned bank = 0; bank < BANKS; ++bank) {
            rig.submit(0, {{RANK, bank, SPREAD, bank}, false, 0, {}});
            rig.drain();
            const bool expected = KEPT[partial] >> bank & 1;
            if (rig.kept({RANK, bank, SPREAD, bank}) != expected)
                throw Mismatch("part " + std::to_string(partial) + ": bank " + std::to_string(bank) +
                               (expected ? " was lost" : " was kept"));
            ++(expected ? kept : lost);
        }
        rig.compare = true;
        rig.pass_refresh();
    }
    rig.check_rules();
    std::cout << "kept " << kept << "\nlost " << lost << "\n";
}

// The states of idle domains; virtual ones share the shallowest.
inline void expect_states(Rig &rig, const std::string &name, int working_state, int other_state) {
    rig.idle(3000);
    rig.pass_refresh();
    const int all = (1 << DOMAINS) - 1;
    for (int domain = 0; domain < DOMAINS; ++domain) {
        const bool works = rig.settings.working >> domain & 1;
        int expected = works ? working_state : other_state;
        if (RANKS == 1 && rig.settings.working && int(rig.settings.working) != all)
            expected = std::min(working_state, other_state);
        if (rig.state(domain) != expected)
            throw Mismatch(name + ": domain " + std::to_string(domain) + " is in state " +
                           std::to_string(rig.state(domain)) + ", not " + std::to_string(expected));
    }
}

inline void policies_bench() {
    int checks = 0;
    for (unsigned working : {0u, (1u << DOMAINS) - 1, 1u, 6u % (1u << DOMAINS)}) {
        const auto check = [&](const std::string &name, const Settings &settings, int working_state, int other_state) {
            Rig rig;
            rig.settings = settings;
            rig.settings.working = working;
            rig.settings.threshold_power_down = 50;
            expect_states(rig, name, working_state, other_state);
            rig.check_rules();
            ++checks;
        };
        Settings none, fixed, two, two_deep, mrc, mrc_static, mrc_dynamic, mrc_partial;
        none.static_state = none.mrc_state = 3;
        fixed.kind = 1;
        fixed.static_state = POWER_DOWN;
        two.kind = two_deep.kind = 2;
        two_deep.threshold_self_refresh = 1000;
        mrc.kind = mrc_static.kind = mrc_dynamic.kind = mrc_partial.kind = 3;
        mrc.mrc_state = mrc_static.mrc_state = mrc_dynamic.mrc_state = SELF_REFRESH;
        mrc_static.mrc_base = 1;
        mrc_static.static_state = POWER_DOWN;
        mrc_dynamic.mrc_base = 2;
        mrc_partial.mrc_state = SELF_REFRESH_PARTIAL;
        mrc_partial.partial = 1;
        check("none", none, 0, 0);
        check("static", fixed, POWER_DOWN, POWER_DOWN);
        check("dynamic, one threshold", two, POWER_DOWN, POWER_DOWN);
        check("dynamic", two_deep, SELF_REFRESH, SELF_REFRESH);
        check("mrc", mrc, 0, SELF_REFRESH);
        check("mrc over static", mrc_static, POWER_DOWN, SELF_REFRESH);
        check("mrc over dynamic", mrc_dynamic, POWER_DOWN, SELF_REFRESH);
        check("mrc, partial not allowed", mrc_partial, 0, SELF_REFRESH);
        mrc_partial.partial_allowed = (1u << DOMAINS) - 1;
        check("mrc, partial", mrc_partial, 0, SELF_REFRESH_PARTIAL);
    }
    std::cout << "checks " << checks << "\n";
}

inline void residency_bench() {
    for (const auto &[name, state] : {std::pair{"power_down", POWER_DOWN}, {"self_refresh", SELF_REFRESH}}) {
        Rig rig;
        rig.pass_refresh();
        sleep(rig, state);
        const auto slept = rig.sleep_clocks[state], entries = rig.entries[state];
        for (int i = 0; i < 100000; ++i) {
            if (RANKS > 1 && i % 50 == 0)
                rig.submit(0, {{0, unsigned(i / 50) % BANKS, 0, 0}, false, 0, {}});
            rig.clock();
        }
        rig.drain();
        rig.check_rules();
        if (state == SELF_REFRESH && rig.sleep_clocks[state] - slept < 100000)
            throw Mismatch("an idle rank left self-refresh");
        std::cout << name << "_clocks " << rig.sleep_clocks[state] - slept << "\n"
                  << name << "_entries " << rig.entries[state] - entries << "\n";
    }
}

inline void sleeps_bench() {
    Rig rig;
    for (int i = 0; i < 100; ++i) {
        rig.pass_refresh();
        rig.command(RANK, 0);
        rig.idle(500);
        sleep(rig, SELF_REFRESH);
    }
    rig.check_rules();
    std::cout << "self_refreshes " << rig.entries[SELF_REFRESH] << "\n";
}

// Cycles of `words` reads of rank 0 while rank 1 is repeatedly sent to `state` and woken; and the entries.
inline std::pair<std::uint64_t, std::uint64_t> stream(int state, int words) {
    Rig rig;
    rig.pass_refresh();
    const auto since = rig.clocks();
    std::uint64_t sleeps = 0;
    for (int word = 0; word < words; rig.clock()) {
        if (rig.queued(0) >= 2)
            continue;
        rig.submit(0, {{0, 1, 0, unsigned(word++) % (1u << COLUMN_WORD_BITS)}, false, 0, {}});
        if (!state || word % 800)
            continue;
        rig.command(RANK, sleeps % 2 ? 0 : state);
        ++sleeps;
    }
    rig.drain();
    rig.check_rules();
    return {rig.clocks() - since, (sleeps + 1) / 2};
}

inline void cost_bench() {
    constexpr int WORDS = 100000;
    const auto alone = stream(0, WORDS);
    for (const auto &[name, state] : {std::pair{"power_down", POWER_DOWN}, {"self_refresh", SELF_REFRESH}}) {
        const auto [clocks, entries] = stream(state, WORDS);
        std::cout << name << "_entries " << entries << "\n"
                  << name << "_clocks_an_entry " << double(clocks - alone.first) / double(entries) << "\n";
    }
}

inline void software_bench() {
    Rig rig;
    Dice dice(1);
    for (unsigned rank = 0; rank < RANKS; ++rank)
        rig.submit(0, {{rank, 2, SPREAD, 3}, true, 0xffff, random_word(dice)});
    rig.drain();
    for (int state : {POWER_DOWN, SELF_REFRESH}) {
        sleep(rig, state);
        rig.settings.kind = 1;
        rig.settings.static_state = state;
        rig.settings.hardware = false;
        rig.idle(200);
        for (int domain = 0; domain < DOMAINS; ++domain)
            if (rig.state(domain) || !rig.awake(domain))
                throw Mismatch("domain " + std::to_string(domain) + " sleeps while software drives the DFI");
        rig.settings.kind = 0;
        rig.settings.hardware = true;
        for (unsigned rank = 0; rank < RANKS; ++rank)
            rig.submit(0, {{rank, 2, SPREAD, 3}, false, 0, {}});
        rig.drain();
        rig.pass_refresh();
    }
    rig.check_rules();
    std::cout << "reads " << rig.reads << "\n";
}
#endif
