// SPDX-License-Identifier: BSD-2-Clause
// Exact LRU stack distances on several cores.
//
// A window of the trace is cut into as many parts as there are threads. The first goes on with the state, each other one
// starts from nothing, all at once; then the parts are appended one by one (ExactStack::append), which costs each as many
// accesses as it has distinct pages. So it pays where windows are several times longer than their footprint.
#pragma once

#include "exact_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

class ParallelStack {
  public:
    static constexpr size_t WINDOW = size_t(1) << 22; // accesses gathered before work begins: 32 MB

    // `threads` >= 1, with the caller's. Chunks of at least `window` accesses are not copied.
    explicit ParallelStack(unsigned threads, size_t window = WINDOW);

    // Throws as ExactStack::access.
    void access(const uint64_t *pages, size_t count);

    // The stack of all accesses so far.
    const ExactStack &finished();

  private:
    struct Part {
        ExactStack stack;
        std::vector<uint64_t> cold; // its pages in the order of their first access
        std::vector<uint32_t> ranks; // theirs in its stack
    };

    void run(const uint64_t *pages, size_t count);

    size_t window_;
    std::vector<uint64_t> gathered_;
    ExactStack stack_;
    std::vector<Part> parts_; // all but the first
};

} // namespace litemrc_native
