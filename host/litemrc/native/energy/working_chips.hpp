// Which chips hold one of the top N_mrc pages of the LRU stack: a counter for each (Zhou et al. 2004, section 5.1).
#pragma once

#include <cstdint>
#include <vector>

namespace litemrc_native {

class WorkingChips {
  public:
    static constexpr uint32_t NONE = UINT32_MAX;

    // `top`: N_mrc to begin with, in pages, at least 1.
    WorkingChips(const uint32_t *chip_of, uint32_t pages, uint32_t chips, uint64_t top)
        : chip_of_(chip_of), top_(top), links_(pages), counters_(chips) {}

    // Puts a page on top; returns the chip that loses its last page of the top region, or NONE.
    uint32_t access(uint32_t page) {
        if (page == head_)
            return NONE;
        Link &link = links_[page];
        const bool was_in = link.in_top;
        if (page == last_)
            last_ = link.up;
        if (link.known)
            unlink(link, page);
        link = {NONE, head_, true, true};
        if (head_ != NONE)
            links_[head_].up = page;
        else
            tail_ = page;
        head_ = page;
        if (was_in)
            return NONE;
        ++counters_[chip_of_[page]];
        if (last_ == NONE)
            last_ = page;
        return ++size_ > top_ ? leave() : NONE;
    }

    // A new N_mrc; calls `idle(chip)` for each chip that loses its last page of the top region.
    template <typename Idle> void resize(uint64_t top, Idle idle) {
        top_ = top;
        while (size_ > top_) {
            const uint32_t chip = leave();
            if (chip != NONE)
                idle(chip);
        }
        while (size_ < top_ && last_ != NONE && links_[last_].down != NONE) {
            last_ = links_[last_].down;
            links_[last_].in_top = true;
            ++counters_[chip_of_[last_]];
            ++size_;
        }
    }

  private:
    struct Link {
        uint32_t up = NONE, down = NONE;
        bool known = false, in_top = false;
    };

    void unlink(const Link &link, uint32_t page) {
        links_[link.up].down = link.down; // the page is not the head
        if (link.down != NONE)
            links_[link.down].up = link.up;
        if (page == tail_)
            tail_ = link.up;
    }

    uint32_t leave() {
        const uint32_t page = last_, chip = chip_of_[page];
        last_ = links_[page].up;
        links_[page].in_top = false;
        --size_;
        return --counters_[chip] ? NONE : chip;
    }

    const uint32_t *chip_of_;
    uint64_t top_, size_ = 0;
    std::vector<Link> links_;
    std::vector<uint32_t> counters_;
    uint32_t head_ = NONE, tail_ = NONE, last_ = NONE; // last_: of the top region
};

} // namespace litemrc_native
