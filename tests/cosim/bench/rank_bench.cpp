// Bench of rank power: LiteDRAM's controller with ranks that sleep, before the DDR3 model and its rules.
//
//   rank_bench random SEED ACCESSES    random accesses, policies, thresholds and commands
//   rank_bench trace SEED CLOCKS       a hash of the whole DFI, for the same requests with rank power and without
//   rank_bench wake                    cycles that a read waits longer for a rank that sleeps
//   rank_bench threshold               cycles from the last column command to CKE low, less the threshold
//   rank_bench partial                 what self-refresh of a part of the array keeps
//   rank_bench policies                the state of each domain, idle, under every policy
//   rank_bench residency               cycles of 100,000 that an idle rank is in the state it was sent to
//   rank_bench sleeps                  self-refresh between most refreshes, so that few of them pay
//   rank_bench cost                    cycles that an entry takes from a rank that streams
//   rank_bench software                software takes the DFI while ranks sleep
//
// Prints counts and returns 0 if nothing is wrong, else says what is and returns 1.
#include "rank_rig.hpp"

#include <cstdlib>
#include <iostream>
#include <map>

namespace {

Word random_word(Dice &dice) {
    Word word;
    for (auto &byte : word)
        byte = std::uint8_t(dice.below(256));
    return word;
}

constexpr unsigned SPREAD = (1u << ROW_BITS) / 8; // 8 rows of a bank, from the lowest to the highest

// Requests with places, gaps and runs that change; ports have columns of their own, so order between them is no matter.
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

void random_settings(Rig &rig, Dice &dice) {
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

void random_bench(unsigned seed, std::uint64_t accesses) {
    Dice dice(seed);
    Rig rig;
    Workload workload(rig, dice);
    while (rig.reads + rig.writes < accesses) {
        if (!dice.below(4000))
            random_settings(rig, dice);
        if (!dice.below(300)) {
            static constexpr int STATES[] = {0, POWER_DOWN, SELF_REFRESH, SELF_REFRESH_PARTIAL};
            rig.command(dice.below(DOMAINS + 1), STATES[dice.below(4)]);
        }
        workload.clock();
        rig.clock();
        if (!(rig.clocks() & 0xfff))
            rig.check_rules();
    }
    rig.drain();
    rig.check_rules();
    std::cout << "accesses " << rig.reads + rig.writes << "\nreads " << rig.reads << "\nclocks " << rig.clocks()
              << "\nwakes " << rig.wakes << "\npower_downs " << rig.entries[POWER_DOWN] << "\nself_refreshes "
              << rig.entries[SELF_REFRESH] << "\npartial_self_refreshes " << rig.entries[SELF_REFRESH_PARTIAL]
              << "\nparked_clocks " << rig.parked_clocks << "\nrules_broken "
              << rig.rules_broken() << "\n";
}

void trace_bench(unsigned seed, std::uint64_t clocks) {
    Dice dice(seed);
    Rig rig;
    Workload workload(rig, dice);
    std::uint64_t hash = 14695981039346656037u, commands = 0;
    Vtop &t = rig.top();
    rig.on_dfi = [&] {
        const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
        for (std::uint64_t value : {std::uint64_t(t.cs_n), std::uint64_t(t.cke), std::uint64_t(t.odt), std::uint64_t(t.ras_n),
                                    std::uint64_t(t.cas_n), std::uint64_t(t.we_n), std::uint64_t(t.reset_n),
                                    std::uint64_t(t.bank), std::uint64_t(t.address), std::uint64_t(t.wrdata_en),
                                    std::uint64_t(t.rddata_en), std::uint64_t(t.wrdata_mask)})
            add(value);
        for (int i = 0; i < 4; ++i)
            add(t.wrdata[i]);
        commands += (t.ras_n & t.cas_n & t.we_n & 15) != 15;
    };
    while (rig.clocks() < clocks) {
        workload.clock();
        rig.clock();
    }
    std::cout << "hash_low " << (hash & 0xffffffff) << "\nhash_high " << (hash >> 32) << "\nclocks_with_commands "
              << commands << "\naccesses " << rig.reads + rig.writes << "\nrules_broken "
              << rig.rules_broken() << "\n";
}

#if WITH_POWER
constexpr unsigned RANK = RANKS > 1 ? 1 : 0; // the one that sleeps

void sleep(Rig &rig, int state) {
    rig.command(RANK, state);
    for (int i = 0; rig.state(RANK) != state; ++i) {
        rig.clock();
        if (i > 5000)
            throw Mismatch("rank does not enter state " + std::to_string(state));
    }
}

// Cycles from a read's arrival to its data; the rank's rows are closed.
int read_clocks(Rig &rig, const Place &at) {
    rig.submit(0, {at, false, 0, {}});
    return rig.drain();
}

void wake_bench() {
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

void threshold_bench() {
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
            ++since; // what state() tells is the coming cycle's
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

void partial_bench() {
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
void expect_states(Rig &rig, const std::string &name, int working_state, int other_state) {
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

void policies_bench() {
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

void residency_bench() {
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

void sleeps_bench() {
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

// Cycles that so many reads of rank 0 take, while rank 1 is sent to `state` and woken again.
std::pair<std::uint64_t, std::uint64_t> stream(int state, int words) {
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

void cost_bench() {
    constexpr int WORDS = 100000;
    const auto alone = stream(0, WORDS);
    for (const auto &[name, state] : {std::pair{"power_down", POWER_DOWN}, {"self_refresh", SELF_REFRESH}}) {
        const auto [clocks, entries] = stream(state, WORDS);
        std::cout << name << "_entries " << entries << "\n"
                  << name << "_clocks_an_entry " << double(clocks - alone.first) / double(entries) << "\n";
    }
}

void software_bench() {
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

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        const auto number = [argv](int at) { return std::strtoul(argv[at], nullptr, 10); };
        if (mode == "random" && argc == 4)
            return random_bench(unsigned(number(2)), number(3));
        if (mode == "trace" && argc == 4)
            return trace_bench(unsigned(number(2)), number(3));
#if WITH_POWER
        const std::map<std::string, void (*)()> others = {{"wake", wake_bench},       {"threshold", threshold_bench},
                                                          {"partial", partial_bench}, {"cost", cost_bench},
                                                          {"software", software_bench}, {"residency", residency_bench}, {"sleeps", sleeps_bench}, {"policies", policies_bench}};
        if (argc == 2 && others.count(mode))
            return others.at(mode)();
#endif
        throw std::invalid_argument("usage: rank_bench random|trace SEED NUMBER | wake|threshold|partial|policies|residency|sleeps|cost|software");
    });
}
