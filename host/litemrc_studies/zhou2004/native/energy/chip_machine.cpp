// SPDX-License-Identifier: BSD-2-Clause
#include "chip_machine.hpp"
#include "stacks/recency_index.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// Chips that enter deeper states by idle thresholds, or immediately on command.
class SleepingChips {
  public:
    // `after_fs`: idle time before a chip enters each state; must not decrease, NEVER: state unused. The first is 0.
    SleepingChips(const ChipPower &power, const PerState &after_fs, uint32_t chips)
        : power_(power), after_(after_fs), chips_(chips) {}

    // From now on, until its next access, the chip is in the deepest state.
    void power_down(uint32_t chip, uint64_t now) {
        if (chips_[chip].told == NEVER)
            chips_[chip].told = now;
    }

    // Accesses the chip at `now`; returns the completion time.
    uint64_t access(uint32_t chip, uint64_t now) {
        const unsigned state = settle(chip, now);
        Chip &it = chips_[chip];
        it.counts.wakes[state] += state != 0;
        ++it.counts.accesses;
        now += power_.exit_fs[state] + power_.access_fs;
        it.since = now;
        it.told = NEVER;
        return now;
    }

    // Returns the counts of all chips at the end, `now`.
    std::vector<ChipCounts> finish(uint64_t now) {
        std::vector<ChipCounts> counts;
        for (uint32_t chip = 0; chip < chips_.size(); ++chip) {
            settle(chip, now);
            counts.push_back(chips_[chip].counts);
        }
        return counts;
    }

  private:
    struct Chip {
        uint64_t since = 0, told = NEVER;
        ChipCounts counts;
    };

    // Accounts for the idle time until `now`; returns the final state.
    unsigned settle(uint32_t chip, uint64_t now) {
        Chip &it = chips_[chip];
        const uint64_t end = it.told < now ? it.told : now, waited = end - it.since;
        unsigned state = 0;
        uint64_t from = 0;
        for (unsigned next = 1; next < MOST_STATES && !(after_[next] != NEVER && after_[next] > waited); ++next) {
            if (after_[next] == NEVER)
                continue;
            it.counts.waited_fs[state] += after_[next] - from;
            from = after_[next];
            state = next;
        }
        it.counts.waited_fs[state] += waited - from;
        if (it.told <= now) {
            state = MOST_STATES - 1;
            it.counts.waited_fs[state] += now - end;
        }
        return state;
    }

    const ChipPower power_;
    const PerState after_;
    std::vector<Chip> chips_;
};

// The chips that hold one of the top N_mrc pages of the LRU stack (Zhou et al. 2004, section 5.1).
//
// A chip holds one if its most recently used page is among them. Tracking the page at the boundary, as the paper's
// counters do, would move it over many pages whenever N_mrc changes. Instead, chips are kept in the order of their last
// access, working chips before all others, and an index returns the LRU position of any page.
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

// N_mrc: the smallest multiple of a chip whose miss ratio in an epoch is within epsilon of the best reachable.
class WorkingPages {
  public:
    // `epsilon_ppm`: parts per million.
    WorkingPages(uint32_t chips, uint64_t chip_pages, uint64_t epsilon_ppm)
        : chip_pages_(chip_pages), epsilon_ppm_(epsilon_ppm), hits_(chips) {}

    // Counts an access by its page's LRU position from 1; 0: the first to it.
    void count(uint32_t distance) {
        ++accesses_;
        if (!distance)
            return;
        const size_t size = size_t((distance - 1) / chip_pages_);
        ++hits_[size];
        deepest_ = size > deepest_ ? size : deepest_;
    }

    bool empty() const { return accesses_ == 0; }

    // N_mrc of the accesses counted, which are forgotten.
    uint64_t end_epoch() {
        uint64_t beyond = 0;
        size_t size = deepest_ + 1;
        while (size > 1 && (beyond + hits_[size - 1]) * 1000000 <= epsilon_ppm_ * accesses_)
            beyond += hits_[--size];
        accesses_ = 0;
        std::fill_n(hits_.begin(), deepest_ + 1, 0);
        deepest_ = 0;
        return size * chip_pages_;
    }

  private:
    const uint64_t chip_pages_, epsilon_ppm_;
    std::vector<uint64_t> hits_;
    uint64_t accesses_ = 0;
    size_t deepest_ = 0; // of the hits counted
};

ChipRun run_chips(const ChipTrace &trace, const ChipPower &power, const PerState &after_fs,
                  const MrcParameters &mrc) {
    ChipRun run;
    SleepingChips chips(power, after_fs, trace.chips);
    uint64_t now = 0;
    if (!mrc.epoch_fs) {
        for (uint64_t i = 0; i < trace.count; ++i)
            now = chips.access(trace.chip_of[trace.pages[i]], now + trace.gaps_fs[i]);
        run.total_fs = now;
        run.chips = chips.finish(now);
        return run;
    }
    WorkingPages pages(trace.chips, mrc.chip_pages, mrc.epsilon_ppm);
    WorkingChips working(trace.page_count, trace.chips, trace.chips * mrc.chip_pages);
    for (uint32_t chip = 0; chip < trace.chips; ++chip)
        chips.power_down(chip, 0); // no page of it is in the stack
    uint64_t epoch_end = mrc.epoch_fs;
    for (uint64_t i = 0; i < trace.count; ++i) {
        const uint64_t issued = now + trace.gaps_fs[i];
        if (issued >= epoch_end) {
            if (!pages.empty()) {
                const uint64_t end = std::max(now, epoch_end), top = pages.end_epoch();
                working.resize(top, [&](uint32_t chip) { chips.power_down(chip, end); });
                ++run.epochs;
                run.working_pages += top;
            }
            epoch_end += (issued - epoch_end) / mrc.epoch_fs * mrc.epoch_fs + mrc.epoch_fs;
        }
        const uint32_t page = trace.pages[i], chip = trace.chip_of[page];
        const WorkingChips::Moved moved = working.access(page, chip);
        pages.count(moved.distance);
        if (moved.idle != WorkingChips::NONE)
            chips.power_down(moved.idle, issued);
        now = chips.access(chip, issued);
    }
    run.total_fs = now;
    run.chips = chips.finish(now);
    return run;
}

namespace {

using Wide = unsigned __int128; // microwatts x femtoseconds

// The cheapest state to wait in for `gap`; with a way back at its end, if the chip is used again.
unsigned cheapest(const ChipPower &power, uint64_t gap, bool used_again) {
    unsigned best = 0;
    Wide least = Wide(power.waiting_uw[0]) * gap;
    for (unsigned state = 1; state < MOST_STATES; ++state) {
        const uint64_t back = used_again ? power.exit_fs[state] : 0;
        const Wide waiting = Wide(power.waiting_uw[state]) * (gap > back ? gap - back : 0);
        const Wide cost = waiting + Wide(power.exit_uw[state]) * back;
        if (cost < least) {
            least = cost;
            best = state;
        }
    }
    return best;
}

} // namespace

ChipRun run_oracle(const ChipTrace &trace, const ChipPower &power) {
    ChipRun run;
    run.chips.resize(trace.chips);
    std::vector<uint64_t> since(trace.chips);
    uint64_t now = 0;
    const auto wait = [&](uint32_t chip, uint64_t until, bool used_again) {
        const uint64_t gap = until - since[chip];
        const unsigned state = cheapest(power, gap, used_again);
        const uint64_t back = used_again ? power.exit_fs[state] : 0;
        run.chips[chip].waited_fs[state] += gap > back ? gap - back : 0;
        run.chips[chip].wakes[state] += used_again && state;
    };
    for (uint64_t i = 0; i < trace.count; ++i) {
        const uint32_t chip = trace.chip_of[trace.pages[i]];
        now += trace.gaps_fs[i];
        wait(chip, now, true);
        now += power.access_fs;
        ++run.chips[chip].accesses;
        since[chip] = now;
    }
    for (uint32_t chip = 0; chip < trace.chips; ++chip)
        wait(chip, now, false);
    run.total_fs = now;
    return run;
}

} // namespace litemrc_native
