// SPDX-License-Identifier: BSD-2-Clause
// Random operations on an allocator, and its invariants, checked against a separate record of the owner of each frame.
// For tests.
#pragma once

#include "machine.hpp"

#include <string>

namespace litemrc_native {

struct StressOptions {
    uint64_t seed = 1;
    uint64_t operations = 0;        // allocations and frees
    uint32_t fullest_percent = 95;  // of memory, and where it turns round
    uint32_t unmovable_percent = 5; // of the allocations
    uint32_t checked_every = 0;     // operations between two looks at all of memory; 0: at the end only
    bool migrates = false;
};

struct StressReport {
    std::string wrong; // what did not hold, and at which operation; empty: all did
    uint64_t allocations = 0, refused = 0, copied_frames = 0, emptied_units = 0, offline_seen = 0;
};

// Invariants:
//   no frame is handed out twice, and none that is not there; blocks begin at multiples of their size
//   everything that was freed can be had again; free buddies are merged; at the end all of memory is largest blocks
//   the memory's counts of used and unmovable frames are those of the book, unit by unit
//   a unit that is offline holds no page; unmovable pages stay; a page that was copied still belongs to its owner
StressReport stress(Allocator &allocator, const StressOptions &options);

} // namespace litemrc_native
