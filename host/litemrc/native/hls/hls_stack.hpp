// SPDX-License-Identifier: BSD-2-Clause
// The stack engines of hls/ as the host sees them: one class for every size they were compiled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace litemrc_native {

enum class HlsUnit { GROUP_STACK, BUCKET_STACK };

class HlsStack {
  public:
    virtual ~HlsStack() = default;

    // Accesses `count` frames. Adds the hits in each group to hits[group], and the misses to `misses`.
    virtual void access(const uint32_t *frames, size_t count, uint64_t *hits, uint64_t &misses) = 0;
};

struct HlsSize {
    uint32_t frames, groups;
    std::unique_ptr<HlsStack> (*make)(HlsUnit unit);
};

// The sizes of CMakeLists.txt.
const std::vector<HlsSize> &hls_sizes();

} // namespace litemrc_native
