// SPDX-License-Identifier: BSD-2-Clause
// C simulation of hit_counters: every published epoch against counts kept in a std::map. Returns 1 if they differ.
//
//   hit_counters_tb [POSITIONS]
#include "hit_counters.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <utility>

using namespace litemrc;

namespace {

constexpr int POSITIONS = 200000; // by default; RTL co-simulation wants fewer
constexpr int MISSES = GROUPS; // index in the window, after the groups
constexpr int ACCESSES = GROUPS + 1;
constexpr int TOUCHED = GROUPS + 2;
constexpr int EPOCH_CYCLES = WINDOW_WORDS; // from a position that ends an epoch to the window

std::map<std::pair<int, int>, unsigned long long> counters; // (context, index in the window) -> times counted

bool window_matches(const counter_t window[WINDOW_WORDS], bool overflow) {
    const unsigned long long limit = (1ULL << COUNTER_BITS) - 1;
    bool expected_overflow = false;
    for (const auto &entry : counters)
        expected_overflow |= entry.second > limit;
    for (int address = 0; address < WINDOW_WORDS; ++address) {
        const auto found = counters.find({address / (2 * GROUPS), address % (2 * GROUPS)});
        const unsigned long long expected = found == counters.end() ? 0 : std::min(found->second, limit);
        if (window[address].to_uint64() != expected) {
            std::cerr << "hit_counters_tb: window word " << address << " is " << window[address].to_uint64()
                      << ", expected " << expected << "\n";
            return false;
        }
    }
    if (overflow != expected_overflow)
        std::cerr << "hit_counters_tb: overflow is " << overflow << ", expected " << expected_overflow << "\n";
    return overflow == expected_overflow;
}

} // namespace

int main(int argc, char **argv) {
    const int positions_to_do = argc > 1 ? std::atoi(argv[1]) : POSITIONS;
    std::mt19937 generator(2004);
    const auto random = [&](int n) { return int(generator() % unsigned(n)); };
    hls::stream<counted_word_t> positions;
    static counter_t window[WINDOW_WORDS];
    hls::stream<published_word_t> epochs;
    unsigned finished = 0, overflows = 0;

    for (int i = 0; i < positions_to_do; ++i) {
        Position position{ap_uint<2>(random(3)), 0, 0, random(2000) == 0};
        if (random(5000) == 0)
            position.kind = POSITION_CLEAR;
        position.context = random(CONTEXTS);
        position.group = random(2) ? random(GROUPS) : 0; // half of them on one counter, as in local traces
        const bool counts = position.kind == POSITION_HIT || position.kind == POSITION_MISS;
        const bool first_touch = counts && random(3) == 0;
        positions.write(pack(Counted{position, first_touch}));
        while (!positions.empty()) // it waits for a sweep
            hit_counters(positions, window, epochs);
        for (int cycle = 0; position.epoch_end && epochs.empty() && cycle < EPOCH_CYCLES; ++cycle)
            hit_counters(positions, window, epochs);

        const int context = position.context;
        if (position.kind == POSITION_HIT)
            ++counters[{context, int(position.group)}];
        if (position.kind == POSITION_MISS)
            ++counters[{context, MISSES}];
        if (counts)
            ++counters[{context, ACCESSES}];
        if (first_touch)
            ++counters[{context, TOUCHED}];
        if (position.kind == POSITION_CLEAR)
            counters.clear();
        if (position.epoch_end) {
            if (epochs.empty()) {
                std::cerr << "hit_counters_tb: epoch " << finished << " was not published\n";
                return 1;
            }
            const Published published = unpack_published(epochs.read());
            overflows += published.overflow;
            if (!window_matches(window, published.overflow))
                return 1;
            if (published.epoch != ++finished) {
                std::cerr << "hit_counters_tb: epoch is " << published.epoch << ", expected " << finished << "\n";
                return 1;
            }
            counters.clear();
        }
        if (!epochs.empty()) {
            std::cerr << "hit_counters_tb: an epoch was published that had not ended\n";
            return 1;
        }
    }
    std::cout << "hit_counters_tb: " << GROUPS << " groups, " << CONTEXTS << " contexts, " << COUNTER_BITS
              << " bits: " << positions_to_do << " positions, " << finished << " epochs as the reference (" << overflows
              << " with overflow)\n";
    return 0;
}
