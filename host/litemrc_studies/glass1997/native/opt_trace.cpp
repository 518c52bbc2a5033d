// SPDX-License-Identifier: BSD-2-Clause
#include "opt_trace.hpp"

#include <algorithm>
#include <stdexcept>

namespace litemrc_native {

namespace {

// A set of times with a fast maximum: bits in words, with summary bits of the non-empty words above, and so on.
// Times that have passed need not be removed.
class TimeSet {
  public:
    explicit TimeSet(size_t times) {
        do {
            times = (times + 63) / 64;
            levels_.emplace_back(times);
        } while (times > 1);
    }

    bool contains(size_t time) const { return levels_[0][time / 64] >> time % 64 & 1; }

    void insert(size_t time) {
        for (std::vector<uint64_t> &level : levels_) {
            uint64_t &word = level[time / 64];
            const bool known = word != 0;
            word |= uint64_t(1) << time % 64;
            if (known)
                return;
            time /= 64;
        }
    }

    size_t take_latest() {
        size_t time = 0;
        for (size_t level = levels_.size(); level-- > 0;)
            time = time * 64 + size_t(63 - __builtin_clzll(levels_[level][time]));
        size_t at = time;
        for (std::vector<uint64_t> &level : levels_) {
            uint64_t &word = level[at / 64];
            word &= ~(uint64_t(1) << at % 64);
            if (word)
                break;
            at /= 64;
        }
        return time;
    }

  private:
    std::vector<std::vector<uint64_t>> levels_;
};

} // namespace

void OptTrace::append(const uint32_t *numbers, const uint32_t *intervals, size_t count) {
    if (count > MAX_REFERENCES - next_.size())
        throw std::length_error("more than 2^32 - 1 references");
    if (intervals)
        intervals_.insert(intervals_.end(), intervals, intervals + count);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t number = numbers[i];
        if (number >= last_.size())
            last_.resize(std::max<size_t>(number + 1, last_.size() + last_.size() / 2), NEVER);
        const uint32_t now = uint32_t(next_.size());
        if (last_[number] != NEVER)
            next_[last_[number]] = now;
        last_[number] = now;
        next_.push_back(NEVER);
    }
}

OptTrace::Faults OptTrace::faults(uint64_t frames) const {
    TimeSet coming(next_.size());
    uint64_t faults = 0, pages = 0, done = 0; // pages in memory; those among them that are never referred to again
    bool exact = true;
    for (size_t now = 0; now < next_.size(); ++now) {
        if (!coming.contains(now)) {
            ++faults;
            if (pages < frames) {
                ++pages;
            } else if (done) {
                --done;
            } else {
                const size_t replaced = coming.take_latest();
                exact = exact && (intervals_.empty() || intervals_[replaced] >= uint64_t(intervals_[now]) + 2);
            }
        }
        if (next_[now] == NEVER)
            ++done;
        else
            coming.insert(next_[now]);
    }
    return {faults, exact};
}

} // namespace litemrc_native
