// SPDX-License-Identifier: BSD-2-Clause
// How many pages of each of eight groups were used after a given page: a stack, and the stacks without a group each, at once.
//
// Time runs in slots, as in RecencyIndex. A slot has a bit for each group; that of the group of its page is set if the page is
// in the stack. The numbers of the tree above count earlier siblings, as in ByteIndex, so that an access adds to no other number
// than its own. A page's LRU position is one more than the sum of the groups' younger pages; in the stack without a group it
// lacks that group's.
#pragma once

#include "group_kernels.hpp"
#include "large_array.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

class GroupIndex {
  public:
    static constexpr unsigned GROUPS = GroupLevels::GROUPS;
    using Numbers = GroupLevels::Numbers;

    static constexpr uint64_t MAX_SLOTS = uint64_t(1) << 31;

    // Begins again without pages; `slots`: a multiple of 64 up to MAX_SLOTS. Throws std::bad_alloc.
    void restart(uint64_t slots) {
        const auto whole = [=](unsigned level) { // numbers of a level, the last siblings filled up
            const uint64_t set = uint64_t(1) << GroupLevels::shift(level + 1);
            return size_t((slots + set - 1) / set * GroupLevels::RADIX);
        };
        levels_ = {};
        for (levels_.count = 1; slots > uint64_t(1) << GroupLevels::shift(levels_.count);)
            ++levels_.count;
        words_.restart(slots / 64);
        levels_.words = &words_.data()->of;
        for (unsigned level = 0; level < levels_.count; ++level) {
            numbers_[level].restart(whole(level));
            levels_.numbers[level] = &numbers_[level].data()->of;
        }
        levels_.next = NO_SLOT + 1;
        capacity_ = slots;
    }

    uint64_t capacity() const { return capacity_; }
    uint32_t next() const { return levels_.next; }             // the slot of the next access
    uint64_t room() const { return capacity_ - levels_.next; } // accesses left before `compact` must come

    uint64_t live() const {
        uint64_t sum = 0;
        for (uint32_t pages : levels_.total)
            sum += pages;
        return sum;
    }

    // Carries out `count` <= room() accesses to pages last used in the slots `last`, or never (NO_SLOT), of `groups`. Writes
    // the pages of each group used since, nothing for a page never used.
    void touch(const uint32_t *last, const uint8_t *groups, size_t count, Numbers *younger) {
        group_kernels().touch(levels_, last, groups, count, younger);
    }

    // The stack distance of an access to the page last used in `last`, 0 if it is the first one.
    static uint32_t distance(uint32_t last, const Numbers &younger) {
        if (last == NO_SLOT)
            return 0;
        uint32_t sum = 1;
        for (uint32_t pages : younger)
            sum += pages;
        return sum;
    }

    // Takes out the page last used in `slot`.
    void remove(uint32_t slot, uint8_t group) { group_kernels().take_out(levels_, slot, group); }

    // Replaces a slot by that after `compact`; leaves NO_SLOT.
    void rank(uint32_t &slot) const {
        if (slot == NO_SLOT)
            return;
        Numbers younger;
        group_kernels().younger(levels_, slot, younger);
        slot = uint32_t(live());
        for (uint32_t pages : younger)
            slot -= pages;
    }

    // Gives the pages the slots from 1, the least recently used one first. `slots`: in all, as for `restart`.
    void compact(uint64_t slots) {
        std::vector<uint8_t> groups; // by rank
        for (size_t word = 0; word <= levels_.next / 64 && word < words_.size(); ++word)
            for (unsigned bit = 0; bit < 64; ++bit)
                for (unsigned group = 0; group < GROUPS; ++group)
                    if (levels_.words[word][group] >> bit & 1)
                        groups.push_back(uint8_t(group));
        restart(slots);
        const std::vector<uint32_t> never(groups.size(), NO_SLOT);
        touch(never.data(), groups.data(), groups.size(), nullptr);
    }

  private:
    struct Words {
        uint64_t of[GROUPS];
    };
    struct Node {
        Numbers of;
    };

    uint64_t capacity_ = 0;
    GroupLevels levels_{};
    LargeArray<Words> words_;
    LargeArray<Node> numbers_[GroupLevels::MOST];
};

} // namespace litemrc_native
