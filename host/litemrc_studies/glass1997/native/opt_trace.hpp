// SPDX-License-Identifier: BSD-2-Clause
// OPT (Belady 1966) over a whole trace: evicts the page whose next reference is furthest in the future.
//
// All that OPT needs of a trace is, for every reference, when its page is referred to next. A memory then is a set of
// such times: a page is in memory at its reference exactly if the time is in the set, and the victim is the latest.
// Keeps 4 bytes per reference, 8 with intervals; each memory size takes one bit per reference while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

class OptTrace {
  public:
    static constexpr size_t MAX_REFERENCES = UINT32_MAX;

    struct Faults {
        uint64_t count;
        bool exact; // every page replaced was idle, and for two intervals to come (section 2.1); true without intervals
    };

    // Appends `count` references to pages by their number. `intervals`: in which interval of an IN/OUT trace each is;
    // nullptr: not of such a trace. Throws std::length_error beyond MAX_REFERENCES.
    void append(const uint32_t *numbers, const uint32_t *intervals, size_t count);

    size_t references() const { return next_.size(); }

    Faults faults(uint64_t frames) const;

  private:
    static constexpr uint32_t NEVER = UINT32_MAX;

    std::vector<uint32_t> next_;      // reference to the same page
    std::vector<uint32_t> last_;      // reference of each page so far
    std::vector<uint32_t> intervals_; // empty, or of each reference
};

} // namespace litemrc_native
