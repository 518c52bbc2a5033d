// SPDX-License-Identifier: BSD-2-Clause
// C simulation of dram_traffic: every word of every epoch against integers. Returns 1 if they differ.
//
//   dram_traffic_tb [CYCLES]
#include "traffic_reference.hpp"

#include <cstdlib>
#include <iostream>
#include <random>

using namespace litemrc;

namespace {

constexpr int CYCLES = 300000; // by default; RTL co-simulation wants fewer

} // namespace

int main(int argc, char **argv) {
    const int cycles_to_do = argc > 1 ? std::atoi(argv[1]) : CYCLES;
    std::mt19937 generator(56);
    const auto random = [&](int n) { return int(generator() % unsigned(n)); };
    hls::stream<traffic_cycle_word_t> cycles;
    hls::stream<traffic_ask_t> asked;
    hls::stream<traffic_word_t> words;
    TrafficReference reference;
    TrafficStimulus<decltype(random)> stimulus(random);
    long epochs = 0, compared = 0;
    int number = 0;
    for (int i = 0; i < cycles_to_do; ++i) {
        TrafficCycle now = stimulus.next();
        now.clear = random(1000) == 0;
        now.epoch_end = stimulus.epoch_ends();
        epochs += int(now.epoch_end);
        if (asked.empty()) {
            number = random(TRAFFIC_WORDS);
            asked.write(traffic_ask_t(number));
        }
        reference.step(now);
        cycles.write(pack(now));
        dram_traffic(cycles, asked, words);
        if (words.empty()) // it waits for a cycle without a command
            continue;
        const std::uint64_t word = words.read().to_uint64();
        compared += word != 0;
        if (word != reference.word(number)) {
            std::cerr << "dram_traffic_tb: cycle " << i << ", epoch " << epochs << ": word " << number << " is " << word
                      << ", expected " << reference.word(number) << "\n";
            return 1;
        }
    }
    std::cout << "dram_traffic_tb: " << BANKS << " banks: " << cycles_to_do << " cycles, " << epochs << " epochs, " << compared
              << " words with commands as the reference (integers)\n";
    return 0;
}
