// SPDX-License-Identifier: BSD-2-Clause
// Reference for the testbenches of stack engines: exact LRU stacks as std::list; the stack distance is found by walking
// the list. It shares only the records with the units, and is not synthesizable.
#pragma once

#include "../common/records.hpp"

#include <iterator>
#include <list>
#include <vector>

namespace litemrc {

class LruReference {
  public:
    Position step(const Op &op) {
        Position answer{POSITION_NONE, 0, 0, op.epoch_end};
        const int frame = op.frame;
        if (op.kind == OP_CLEAR) {
            *this = LruReference();
            answer.kind = POSITION_CLEAR;
        } else if (op.kind == OP_INVALIDATE) {
            if (owners_[frame] != NOBODY)
                stacks_[owners_[frame]].remove(frame);
            owners_[frame] = NOBODY;
            claims_[frame] = op.write ? int(op.context) : NOBODY;
        } else if (op.kind == OP_ACCESS) {
            const bool miss = owners_[frame] == NOBODY;
            if (miss)
                owners_[frame] = claims_[frame] != NOBODY ? claims_[frame] : int(op.context);
            std::list<int> &stack = stacks_[owners_[frame]];
            answer.kind = miss ? POSITION_MISS : POSITION_HIT;
            answer.context = owners_[frame];
            if (miss) {
                stack.push_front(frame);
            } else {
                auto place = stack.begin();
                int lru_position = 0;
                for (; *place != frame; ++place)
                    ++lru_position;
                answer.group = lru_position / GROUP_PAGES;
                stack.splice(stack.begin(), stack, place);
            }
        }
        return answer;
    }

    // Pages of a stack, most recent first.
    const std::list<int> &stack(int context) const { return stacks_[context]; }

  private:
    static constexpr int NOBODY = -1;
    std::vector<int> owners_ = std::vector<int>(FRAMES, NOBODY); // of valid pages
    std::vector<int> claims_ = std::vector<int>(FRAMES, NOBODY); // since the page last became invalid
    std::vector<std::list<int>> stacks_ = std::vector<std::list<int>>(CONTEXTS);
};

} // namespace litemrc
