// SPDX-License-Identifier: BSD-2-Clause
// The stack engines of hls/ as the host sees them: one class for every size they were compiled in.
#pragma once

#include "common/stack_engines.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace litemrc_native {

struct HlsUnit {
    const char *name;
    uint32_t number; // in the register capabilities
};

// Throws std::invalid_argument.
inline const HlsUnit &hls_unit(const std::string &name) {
#define LITEMRC_HLS_UNIT(number, UNIT, name, Class, moves) {#name, number},
    static constexpr HlsUnit units[] = {LITEMRC_STACK_ENGINES(LITEMRC_HLS_UNIT)};
#undef LITEMRC_HLS_UNIT
    for (const HlsUnit &unit : units)
        if (unit.name == name)
            return unit;
    throw std::invalid_argument("unknown engine " + name);
}

class HlsStack {
  public:
    virtual ~HlsStack() = default;

    // Accesses `count` frames. Adds the hits in each group to hits[group], and the misses to `misses`.
    virtual void access(const uint32_t *frames, size_t count, uint64_t *hits, uint64_t &misses) = 0;
};

struct HlsSize {
    uint32_t frames, groups;
    std::unique_ptr<HlsStack> (*make)(uint32_t engine); // by its number
};

// The sizes of CMakeLists.txt.
const std::vector<HlsSize> &hls_sizes();

} // namespace litemrc_native
