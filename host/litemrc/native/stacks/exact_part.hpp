// SPDX-License-Identifier: BSD-2-Clause
// The exact stack of a part of a trace, with what joins it to its neighbours: its pages in the order of their first
// access, and their ranks in its stack. Parts are joined in any grouping, as long as neighbours are (Niu et al., PARDA,
// IPDPS 2012).
#pragma once

#include "exact_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace litemrc_native {

class ExactPart {
  public:
    // Throws as ExactStack::access.
    void access(const uint64_t *pages, size_t count) { stack_.access(pages, count, &pages_); }

    // Begins again as the part of `count` pages and their ranks, with counters of 0 and slots for `more` pages.
    // Throws as ExactStack::access.
    void restore(const uint64_t *pages, const uint32_t *ranks, size_t count, size_t more) {
        pages_.clear();
        pages_.reserve(count + more); // of address space; growing would touch, and copy, as much memory again
        pages_.assign(pages, pages + count);
        stack_.restore(pages, ranks, count, more);
    }

    // Becomes the part that is this and the following one, of `count` pages and their ranks. Counted are the accesses of
    // the other part that were first ones there, and no longer are, or still are.
    void join(const uint64_t *pages, const uint32_t *ranks, size_t count) {
        stack_.join(pages, ranks, count, &pages_);
    }

    const ExactStack &stack() const { return stack_; }
    const std::vector<uint64_t> &pages() const { return pages_; }

    // The same, as the last thing that is asked for.
    std::vector<uint64_t> take_pages() { return std::move(pages_); }

    // The rank of each of `pages()`: 1 for the least recently used one.
    std::vector<uint32_t> ranks() {
        std::vector<uint32_t> found(pages_.size());
        stack_.ranks(pages_.data(), pages_.size(), found.data());
        return found;
    }

  private:
    ExactStack stack_;
    std::vector<uint64_t> pages_;
};

} // namespace litemrc_native
