// SPDX-License-Identifier: BSD-2-Clause
// Section 4.1.2 of Zhou et al. (ASPLOS 2004): each unit of memory to the process that gains most by it.
#pragma once

#include "gains.hpp"

namespace litemrc_native {

// Units for each process; equal gradients go to the highest priority, then to the first.
std::vector<int64_t> steepest_gradient(const Gains &gains, const double *priorities);

} // namespace litemrc_native
