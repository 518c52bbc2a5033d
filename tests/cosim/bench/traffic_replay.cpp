// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden DRAM traffic through the C++ unit.
//
//   traffic_replay VECTORS
//
// VECTORS, plain numbers: first the numbers of banks and ranks; then a line for each cycle, "count access write access_bank activate
// activate_bank precharge_all refresh accepted issued clear epoch_end"; at the end of an epoch followed by "overflow" and the words of the window.
// Returns 1 at the first difference.
#include "dram_traffic/dram_traffic.hpp"
#include "vectors.hpp"

#include <iostream>

using namespace litemrc;

namespace {

constexpr int FIELDS = 12;

bool read_cycle(Vectors &vectors, int (&fields)[FIELDS]) {
    for (int &field : fields)
        if (!(vectors >> field))
            return false;
    return true;
}

TrafficCycle cycle_of(const int (&f)[FIELDS]) {
    return {ap_uint<1>(f[0]), ap_uint<1>(f[1]), ap_uint<1>(f[2]),  bank_t(f[3]),      ap_uint<1>(f[4]),  bank_t(f[5]),
            ranks_t(f[6]),    ranks_t(f[7]),    accepted_t(f[8]), ap_uint<1>(f[9]), ap_uint<1>(f[10]), ap_uint<1>(f[11])};
}

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {BANKS, RANKS});
    static DRAMTraffic traffic;
    traffic.reset();
    unsigned cycles = 0, epochs = 0, commands = 0, overflows = 0;
    int fields[FIELDS];
    while (read_cycle(vectors, fields)) {
        const TrafficCycle now = cycle_of(fields);
        traffic.step(now);
        ++cycles;
        if (!now.epoch_end)
            continue;
        int overflow = 0;
        vectors >> overflow;
        unsigned window[TRAFFIC_WORDS];
        for (int word = 0; word < TRAFFIC_WORDS; ++word) {
            window[word] = unsigned(traffic.word(word));
            commands += word >= TRAFFIC_BANK ? window[word] : 0;
        }
        if (!vectors.match(window) || traffic.overflow() != bool(overflow))
            throw Mismatch("cycle " + std::to_string(cycles) + ": the words of the epoch that it ends differ");
        ++epochs;
        overflows += overflow;
    }
    vectors.check_end(cycles);
    std::cout << "cycles " << cycles << "\nepochs " << epochs << "\ncommands " << commands << "\noverflows " << overflows << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
