// SPDX-License-Identifier: BSD-2-Clause
// Bench of rank power: LiteDRAM's controller with sleeping ranks, against the DDR3 model and its rules.
//
//   rank_bench random SEED ACCESSES    random accesses, policies, thresholds and commands
//   rank_bench trace SEED CLOCKS       a hash of the whole DFI, to compare runs with and without rank power
//   rank_bench wake                    cycles of a read, by the state of its rank
//   rank_bench threshold               cycles from the last column command to CKE low, less the threshold
//   rank_bench partial                 the parts of the array that partial self-refresh keeps
//   rank_bench policies                the state of each idle domain under every policy
//   rank_bench residency               cycles of 100,000 that an idle rank spends in the commanded state
//   rank_bench sleeps                  self-refresh between refreshes, so that few refreshes reach the rank
//   rank_bench cost                    cycles that an entry takes from a streaming rank
//   rank_bench software                software takes over the DFI while ranks sleep
//   rank_bench replay FILE             residencies, entries and wake-ups under the events of a file (rank_replay.hpp)
//
// Prints counts and returns 0 if nothing is wrong, else prints the error and returns 1.
#include "rank_replay.hpp"
#include "rank_sleeps.hpp"

#include <cstdlib>
#include <iostream>
#include <map>

namespace {

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
        if (mode == "replay" && argc == 3)
            return Replay().run(argv[2]);
        const std::map<std::string, void (*)()> others = {{"wake", wake_bench},       {"threshold", threshold_bench},
                                                          {"partial", partial_bench}, {"cost", cost_bench},
                                                          {"software", software_bench}, {"residency", residency_bench}, {"sleeps", sleeps_bench}, {"policies", policies_bench}};
        if (argc == 2 && others.count(mode))
            return others.at(mode)();
#endif
        throw std::invalid_argument("usage: rank_bench random|trace SEED NUMBER | wake|threshold|partial|policies|residency|sleeps|cost|software | replay FILE");
    });
}
