// SPDX-License-Identifier: BSD-2-Clause
// A program on a blocking CPU whose memory chips sleep, equal to golden/chip_energy.py and chip_prediction.py,
// which list the decisions where the paper is silent.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// The power states of DRAM chips and their statistics: whole femtoseconds and counts.
constexpr unsigned MOST_STATES = 4; // the first: awake, an access begins at once; each further one is deeper
constexpr uint64_t NEVER = UINT64_MAX;
using PerState = std::array<uint64_t, MOST_STATES>;

struct ChipPower {
    uint64_t access_fs;  // that an access keeps a chip busy
    PerState exit_fs;    // of the way back from a state; 0 of the first
    PerState waiting_uw; // power in a state
    PerState exit_uw;    // power on the way back
};

// Counts of one chip.
struct ChipCounts {
    PerState waited_fs{}; // in each state
    PerState wakes{};     // out of each state
    uint64_t accesses = 0;
};

// The references of a program to numbered pages, and the memory they are in.
struct ChipTrace {
    const uint32_t *pages;
    const uint64_t *gaps_fs; // computed before each reference
    const uint8_t *writes;   // 1: a write
    uint64_t count;
    const uint32_t *chip_of; // chip of each page
    uint32_t page_count, chips;
};

struct ChipRun {
    std::vector<ChipCounts> chips;
    uint64_t total_fs = 0;
    uint64_t epochs = 0;        // that had an access
    uint64_t working_pages = 0; // sum of N_mrc over them
};

// Further parameters of MRC schemes; epoch_fs 0: chips sleep by thresholds only.
struct MrcParameters {
    uint64_t epoch_fs = 0, chip_pages = 1, epsilon_ppm = 0;
};

ChipRun run_chips(const ChipTrace &trace, const ChipPower &power, const PerState &after_fs, const MrcParameters &mrc);

// Parameters of `run_predictive`.
struct PredictiveParameters {
    uint64_t price_uw = 0;     // of a second of delay
    uint64_t tolerance_fs = 0; // of predicted times
    uint64_t hold_fs = 0;      // standby of a chip woken ahead, after the expected time
};

// Chips sleep by what their idle times cost, and wake ahead of the access that followed before.
ChipRun run_predictive(const ChipTrace &trace, const ChipPower &power, const PredictiveParameters &parameters);

// Lower bound of the energy of any scheme, for each chip, with knowledge of the future.
ChipRun run_oracle(const ChipTrace &trace, const ChipPower &power);

} // namespace litemrc_native
