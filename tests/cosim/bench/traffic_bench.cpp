// SPDX-License-Identifier: BSD-2-Clause
// Bench of DRAMTraffic against the C++ unit and integers.
//
//   traffic_bench random SEED CYCLES   commands, ends, clears, pauses and words asked for, in runs of different rates
//   traffic_bench directed             commands to one bank or two in each cycle, around every end and clear; all words of each epoch
//   traffic_bench sweep                cycles without a command until an end, a clear and a reset are swept
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "dram_traffic/traffic_reference.hpp"
#include "rtl.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

using namespace litemrc;

namespace {

constexpr int COPIES = 4; // tally.py: a cycle without a command reads or sweeps a copy with its number, modulo 4

// Rounds: times in which each copy has had such a cycle. A word that begins to wait within one is done in the next one.
class Rounds {
  public:
    void clear() { copies_ = count_ = 0; }

    int after(std::uint64_t cycle, bool is_free) {
        copies_ |= int(is_free) << int(cycle % COPIES);
        if (copies_ == (1 << COPIES) - 1) {
            copies_ = 0;
            ++count_;
        }
        return count_;
    }

  private:
    int copies_ = 0, count_ = 0;
};

constexpr int MOST_SWEEP = 2 * 4 * COUNTED_BANKS * COPIES * (LITEMRC_AT_ONCE == 1 ? 2 : 1) + 4; // of the words of both areas
constexpr int MOST_READ = 2 * 2 * COPIES + 4; // of two counters, and the cycles to their sum

class TrafficBench {
  public:
    TrafficBench() {
        reset();
        resets = 0;
    }

    // After a reset the counts are unknown until `ready`: nothing is counted. The rows are unknown until the DRAM is initialized.
    void reset() {
        rtl_->rst = 1;
        drive(quiet());
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        asked_ = -1;
        traffic_.reset();
        reference_ = TrafficReference();
        emptying_ = true;
        sweeping_.clear();
        ++resets;
        for (int bank = 0; bank <= BANKS; ++bank) {
            TrafficCycle now = quiet();
            now.activate = bank < BANKS;
            now.activate_bank = bank;
            now.precharge_all = bank < BANKS ? 0 : (1 << RANKS) - 1;
            cycle(now);
        }
    }

    // Whether the epoch may end in the next cycle; the RTL knows it before the cycle's commands.
    bool ready() {
        drive(quiet());
        rtl_.settle();
        return rtl_->ready;
    }

    // One cycle; its end or clear is left out if the RTL is not ready.
    void cycle(TrafficCycle now) {
        const bool may = ready();
        emptying_ &= !may;
        waits += !may;
        now.count = now.count && !emptying_;
        now.clear = now.clear && rtl_->may_clear;
        now.epoch_end = now.epoch_end && may && !now.clear;
        if (may && !rtl_->may_clear)
            throw Mismatch(where() + "RTL is ready, but for no clear");
        early_clears += int(now.clear && !may);
        if (may || now.clear)
            sweeping_.clear();
        else if (sweeping_.after(cycles, is_free(now)) > MOST_SWEEP)
            throw Mismatch(where() + "RTL is not ready, with many cycles without a command");
        drive(now);
        rtl_.settle();
        const bool answers = rtl_->answers;
        if (answers && asked_ < 0)
            throw Mismatch(where() + "an answer, but no word is asked for");
        const bool compares = answers && !torn_;
        if (compares)
            compare();
        if (asked_ >= 0 && !answers && asking_.after(cycles, may && is_free(now)) > MOST_READ)
            throw Mismatch(where() + "no answer for word " + std::to_string(asked_));
        rtl_.rising_edge();
        if (answers) {
            ended_while_asked += torn_;
            asked_ = -1; // held until now
        }
        execute(now);
        rtl_.settle();
        if (traffic_.overflow() != bool(rtl_->overflow) || traffic_.overflow() != reference_.overflow())
            throw Mismatch(where() + "overflow: RTL " + std::to_string(rtl_->overflow) + ", C++ " +
                           std::to_string(traffic_.overflow()));
    }

    void ask(int number) {
        asked_ = number;
        torn_ = false;
        asking_.clear();
    }

    bool asks() const { return asked_ >= 0; }

    std::int64_t level() const { return reference_.level(); }

    // Reads all words of the finished epoch, in cycles of `next`.
    template <typename Next> void read_all(Next next) {
        for (int number = 0; number < TRAFFIC_WORDS; ++number)
            for (ask(number); asks();)
                cycle(next());
    }

    static TrafficCycle quiet() { return TrafficCycle{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; }

    std::uint64_t cycles = 0, paused = 0, accesses = 0, activates = 0, epochs = 0, clears = 0, overflows = 0, resets = 0;
    std::uint64_t words = 0, counts = 0, hits = 0, conflicts = 0, limits = 0, waits = 0, early_clears = 0, ended_while_asked = 0;

  private:
    static bool is_free(const TrafficCycle &now) { return !now.access && !now.activate && now.refresh == 0; }

    void drive(const TrafficCycle &now) {
        rtl_->count = now.count;
        rtl_->access = now.access;
        rtl_->write = now.write;
        rtl_->access_bank = now.access_bank;
        rtl_->activate = now.activate;
        rtl_->activate_bank = now.activate_bank;
        rtl_->precharge_all = int(now.precharge_all);
        rtl_->refresh = int(now.refresh);
        rtl_->accepted = int(now.accepted);
        rtl_->issued = now.issued;
        rtl_->clear = now.clear;
        rtl_->epoch_end = now.epoch_end;
        rtl_->asks = asks();
        rtl_->adr = asks() ? asked_ : int(cycles % TRAFFIC_WORDS);
    }

    void compare() {
        const bool of_bank = asked_ >= TRAFFIC_BANK;
        if (of_bank && traffic_.overflow()) // the RTL's copies of a count may have wrapped
            return;
        const std::uint64_t rtl = std::uint64_t(rtl_->dat_r), cpp = traffic_.word(asked_).to_uint64();
        const std::uint64_t reference = reference_.word(asked_);
        if (rtl != cpp || cpp != reference)
            throw Mismatch(where() + "word " + std::to_string(asked_) + ": RTL " + std::to_string(rtl) + ", C++ " +
                           std::to_string(cpp) + ", reference " + std::to_string(reference));
        ++words;
        if (!of_bank)
            return;
        counts += rtl != 0;
        hits += rtl != 0 && asked_ % TRAFFIC_BANK_WORDS == BANK_ROW_HITS;
        conflicts += rtl != 0 && asked_ % TRAFFIC_BANK_WORDS == BANK_ROW_CONFLICTS;
        limits += rtl == (std::uint64_t(1) << COUNTER_BITS) - 1;
    }

    void execute(const TrafficCycle &now) {
        traffic_.step(now);
        reference_.step(now);
        ++cycles;
        paused += !now.count && !emptying_;
        accesses += int(now.access && now.count);
        activates += int(now.activate && now.count);
        clears += int(now.clear);
        if (!now.epoch_end)
            return;
        ++epochs;
        overflows += traffic_.overflow();
        torn_ |= asks(); // its answer may be of both epochs
    }

    std::string where() const { return "cycle " + std::to_string(cycles) + ", epoch " + std::to_string(epochs) + ": "; }

    Rtl rtl_;
    DRAMTraffic traffic_;
    TrafficReference reference_;
    int asked_ = -1;
    Rounds asking_, sweeping_;
    bool torn_ = false, emptying_ = true;
};

void print(const TrafficBench &bench) {
    std::cout << "cycles " << bench.cycles << "\npaused " << bench.paused << "\naccesses " << bench.accesses << "\nactivates "
              << bench.activates << "\nepochs " << bench.epochs << "\nclears " << bench.clears << "\noverflows "
              << bench.overflows << "\nresets " << bench.resets << "\nwords " << bench.words << "\ncounts " << bench.counts
              << "\nhits " << bench.hits << "\nconflicts " << bench.conflicts << "\nlimits " << bench.limits << "\nwaits "
              << bench.waits << "\nearly_clears " << bench.early_clears << "\nended_while_asked " << bench.ended_while_asked << "\n";
}

void random_bench(unsigned seed, long cycles) {
    Dice dice(seed);
    const auto random = [&](int n) { return dice.below(n); };
    TrafficStimulus<decltype(random)> stimulus(random);
    TrafficBench bench;
    int ask_percent = 0, rest_percent = 0, word = 0, clear_cycles = 1000, long_runs = 0;
    for (long i = 0; i < cycles; ++i) {
        if (i % 500 == 0) {
            ask_percent = dice.percent(30) ? 0 : dice.percent(50) ? 100 : dice.below(30);
            if (--long_runs < 0)
                long_runs = dice.percent(2) ? 14 : 0; // an epoch of 7,000 cycles and more
            clear_cycles = dice.percent(20) ? 5 : 2000;
            rest_percent = dice.percent(20) ? 0 : dice.percent(50) ? 100 : 50 + dice.below(50); // cycles left to a sweep
        }
        TrafficCycle now = stimulus.next();
        if (dice.percent(rest_percent) && !bench.ready())
            now.access = now.activate = 0;
        now.epoch_end = !long_runs && stimulus.epoch_ends();
        now.clear = !long_runs && dice.below(clear_cycles) == 0;
        if (!bench.asks() && dice.percent(ask_percent))
            bench.ask(word = dice.percent(70) ? (word + 1) % TRAFFIC_WORDS : dice.below(TRAFFIC_WORDS));
        bench.cycle(now);
        if (dice.below(50000) == 0) {
            bench.reset();
            stimulus.reset();
        }
    }
    print(bench);
}

// Commands in each cycle, to one bank of accesses and another one of ACTIVATEs and PRECHARGEs; the epoch ends, and later starts
// again, in each of several cycles among them. Counts of every epoch are read in cycles without commands and between commands.
void directed_bench() {
    TrafficBench bench;
    const auto quiet = [&bench] {
        TrafficCycle now = TrafficBench::quiet();
        now.count = 1;
        now.issued = bench.level() > 0;
        return now;
    };
    for (int pair = 0; pair < BANKS * BANKS; ++pair) {
        const int accessed = pair % BANKS, opened = pair / BANKS;
        if (BANKS > 4 && pair % (BANKS - 3)) // some of many
            continue;
        for (int at = 0; at < 12; ++at) {
            for (const bool clears : {false, true}) {
                while (!bench.ready())
                    bench.cycle(quiet());
                for (int i = 0; i < 24; ++i) {
                    TrafficCycle now = quiet();
                    now.access = LITEMRC_AT_ONCE == 1 ? i % 4 != 3 && i != 20 : i % 8 != 7 || accessed == opened;
                    now.access_bank = accessed;
                    now.write = i % 3 == 1;
                    now.activate = opened != accessed && LITEMRC_AT_ONCE == 2 ? i % 2 : !now.access;
                    now.activate_bank = opened;
                    now.refresh = i == 20;
                    now.activate = now.activate && !now.refresh;
                    now.count = i != 9 && i != 10;
                    now.accepted = i % 3;
                    now.clear = clears && i == at;
                    now.epoch_end = !clears && i == at;
                    bench.cycle(now);
                }
                bench.read_all(quiet);
                // The epoch of the later commands.
                while (!bench.ready())
                    bench.cycle(quiet());
                TrafficCycle now = quiet();
                now.epoch_end = 1;
                bench.cycle(now);
                int i = 0;
                bench.read_all([&] {
                    TrafficCycle command = quiet();
                    command.access = ++i % 3 != 0;
                    command.access_bank = accessed;
                    return command;
                });
            }
        }
    }
    print(bench);
}

// Cycles without a command from each strobe until the RTL is ready again.
void sweep_bench() {
    TrafficBench bench;
    const auto swept = [&] {
        int cycles = 0;
        for (; !bench.ready(); ++cycles)
            bench.cycle(TrafficBench::quiet());
        return cycles;
    };
    swept();
    const std::uint64_t after_reset = bench.cycles;
    TrafficCycle now = TrafficBench::quiet();
    now.epoch_end = 1;
    bench.cycle(now);
    const int after_end = swept();
    now.epoch_end = 0;
    now.clear = 1;
    bench.cycle(now);
    std::cout << "reset " << after_reset << "\nend " << after_end << "\nclear " << swept() << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "random" && argc == 4)
            random_bench(unsigned(std::strtoul(argv[2], nullptr, 10)), std::strtol(argv[3], nullptr, 10));
        else if (mode == "directed" && argc == 2)
            directed_bench();
        else if (mode == "sweep" && argc == 2)
            sweep_bench();
        else
            throw std::invalid_argument("usage: bench random SEED CYCLES | directed | sweep");
    });
}
