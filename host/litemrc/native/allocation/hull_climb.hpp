// SPDX-License-Identifier: BSD-2-Clause
// Climbs the concave hulls of the gains by steepest gradient until the memory is used up.
#pragma once

#include "gains.hpp"

namespace litemrc_native {

// Where the first segment did not fit whole, or nothing was left or wanted.
struct HullClimb {
    std::vector<uint32_t> places;   // of the point reached, for each process
    std::vector<GainPoint> reached; // that point
    std::vector<GainPoint> bare;    // the same, but the one whose segment did not fit climbs its steps as far as it can
    uint32_t left = 0;              // units; 0 if all segments fit
    double slope = 0;               // gain a unit of the segment that did not fit, else of the last one
    double bound = 0;               // gain if part of that segment gained proportionally
};

HullClimb climb_hulls(const Gains &gains);

// Sum of the gains, in their order.
double total_gain(const std::vector<GainPoint> &points);

} // namespace litemrc_native
