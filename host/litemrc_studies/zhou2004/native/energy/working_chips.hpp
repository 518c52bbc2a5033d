// The chips that hold one of the top N_mrc pages of the LRU stack (Zhou et al. 2004, section 5.1).
//
// A chip holds one if its most recently used page is among them. Tracking the page at the boundary, as the paper's
// counters do, would move it over many pages whenever N_mrc changes. Instead, chips are kept in the order of their last
// access, working chips before all others, and an index returns the LRU position of any page.
#pragma once

#include "stacks/recency_index.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace litemrc_native {

class WorkingChips {
  public:
    static constexpr uint32_t NONE = UINT32_MAX;

    // `top`: N_mrc to begin with, in pages, at least 1.
    WorkingChips(uint32_t pages, uint32_t chips, uint64_t top) : top_(top), slots_(pages, NO_SLOT), chips_(chips) {
        const uint64_t wanted = std::max<uint64_t>(4 * uint64_t(pages), pages + 2 * RecencyIndex::BLOCK);
        const uint64_t unit = RecencyIndex::MIN_SLOTS;
        index_.restart(0, std::min((wanted + unit - 1) / unit * unit, RecencyIndex::MAX_SLOTS));
    }

    struct Moved {
        uint32_t distance; // LRU position before, from 1; 0: the first access
        uint32_t idle;     // the chip that loses its last page of the top region, or NONE
    };

    // An access to a page of a chip.
    Moved access(uint32_t page, uint32_t chip) {
        if (index_.room() == 0) {
            index_.rank(slots_.data(), slots_.size());
            index_.restart(index_.live(), index_.capacity());
            index_.room();
        }
        uint32_t last = slots_[page], distance, fresh;
        slots_[page] = uint32_t(index_.next());
        index_.touch(&last, 1, &distance, &fresh);
        to_front(chip, page);
        const bool one_leaves = distance == 0 || distance > top_;
        return {distance, one_leaves && position(last_) >= top_ ? leave() : NONE};
    }

    // A new N_mrc; calls `idle(chip)` for each chip that loses its last page of the top region.
    template <typename Idle> void resize(uint64_t top, Idle idle) {
        top_ = top;
        if (last_ == NONE)
            return;
        while (position(last_) >= top_)
            idle(leave());
        for (uint32_t next = chips_[last_].down; next != NONE && position(next) < top_; next = chips_[next].down) {
            last_ = next;
        }
    }

  private:
    struct Chip {
        uint32_t up = NONE, down = NONE;
        uint32_t page = NONE; // last used
    };

    // LRU position of the chip's last page, from 0.
    uint64_t position(uint32_t chip) const {
        uint32_t slot = slots_[chips_[chip].page];
        index_.rank(&slot, 1);
        return index_.live() - slot;
    }

    void to_front(uint32_t chip, uint32_t page) {
        Chip &it = chips_[chip];
        if (chip != first_) {
            if (chip == last_)
                last_ = it.up;
            if (it.page != NONE) {
                chips_[it.up].down = it.down;
                if (it.down != NONE)
                    chips_[it.down].up = it.up;
            }
            it.up = NONE;
            it.down = first_;
            if (first_ != NONE)
                chips_[first_].up = chip;
            first_ = chip;
        }
        it.page = page;
        if (last_ == NONE)
            last_ = chip;
    }

    uint32_t leave() {
        const uint32_t chip = last_;
        last_ = chips_[chip].up;
        return chip;
    }

    uint64_t top_;
    RecencyIndex index_;
    std::vector<uint32_t> slots_; // of each page's last access
    std::vector<Chip> chips_;
    uint32_t first_ = NONE, last_ = NONE; // the most recently used chip; the least recently used one that works
};

} // namespace litemrc_native
