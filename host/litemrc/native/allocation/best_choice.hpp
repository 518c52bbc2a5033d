// SPDX-License-Identifier: BSD-2-Clause
// Chooses one point of each process that fit a memory and gain most, by dynamic programming over memory sizes.
#pragma once

#include "gains.hpp"

namespace litemrc_native {

// Places of the points chosen, one for each process. At least one choice must fit; of several that gain as much, one
// that takes least. Takes 4 bytes a process and size, and time in proportion to points times sizes.
// Throws std::bad_alloc.
std::vector<uint32_t> best_choice(const std::vector<GainPoints> &processes, uint32_t free);

} // namespace litemrc_native
