// SPDX-License-Identifier: BSD-2-Clause
// Memory divided by steepest gradient on the concave hulls of what processes gain, and repaired where a segment of a
// hull does not fit whole; `litemrc.golden.allocation.concave_hull` says why the repair finds the optimum.
#pragma once

#include "gains.hpp"

namespace litemrc_native {

struct Division {
    std::vector<int64_t> units; // of each process
    double bound;               // no division gains more
};

// `work`: points times sizes of memory that the repair may look at.
Division concave_hull(const Gains &gains, uint64_t work);

} // namespace litemrc_native
