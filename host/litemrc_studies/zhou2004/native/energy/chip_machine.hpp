// A program on a blocking CPU whose memory chips sleep, equal to litemrc/golden/machines/chip_energy.py and chip_prediction.py,
// which list the decisions where the paper is silent.
#pragma once

#include "chip_states.hpp"

namespace litemrc_native {

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
