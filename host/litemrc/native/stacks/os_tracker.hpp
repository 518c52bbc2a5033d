// SPDX-License-Identifier: BSD-2-Clause
// The tracker without hardware (Zhou et al., ASPLOS 2004, section 3.2): protection faults and accessed bits of one process.
// Equal to litemrc/golden/monitor/os_tracker.py, which says what happens when; here is only what makes it fast.
//
// Time runs in slots, as in RecencyIndex: the stack is the order of the pages' slots, the latest on top, in place of the
// paper's linked list. A page's group follows from its position. Pages pushed from group to group, which cost the
// system time, are only counted. A scan visits the accessed pages only, sorted. Faults take their slots at once, and their
// distances are found later, many together, unless the cost of each access is asked for.
#pragma once

#include "page_numbers.hpp"
#include "recency_index.hpp"

#include <algorithm>
#include <vector>

namespace litemrc_native {

// Ticks of each event.
struct TrackerTicks {
    uint64_t fault, scan, scanned, accessed, crossed;
};

// Number of each event.
struct TrackerEvents {
    uint64_t fault = 0, scan = 0, scanned = 0, accessed = 0, crossed = 0;
};

class OsTracker {
  public:
    // `stack_pages`: 0: no limit.
    OsTracker(uint64_t scan_list, uint64_t period, uint64_t group_pages, uint64_t stack_pages, const TrackerTicks &ticks)
        : scan_list_(scan_list), period_(period), group_pages_(group_pages), stack_pages_(stack_pages), ticks_(ticks),
          left_(period) {
        release();
    }

    // Writes to `ticks`, unless it is null, what tracking cost at each access. Throws std::length_error above 2^31 pages.
    void access(const uint64_t *pages, size_t count, uint64_t *ticks) {
        uint32_t numbers[BATCH];
        while (count) {
            const size_t batch = size_t(std::min<uint64_t>({count, left_, BATCH}));
            numbers_.number(pages, batch, numbers);
            if (numbers_.size() > states_.size()) {
                states_.resize(numbers_.size(), 0);
                slots_.resize(numbers_.size(), NO_SLOT);
            }
            for (size_t i = 0; i < batch; ++i) {
                __builtin_prefetch(&slots_[numbers[std::min(i + AHEAD, batch - 1)]], 1);
                const uint32_t page = numbers[i];
                const uint8_t state = states_[page];
                uint64_t cost = 0;
                if (!(state & PERMITTED)) {
                    cost = miss(page, ticks != nullptr);
                } else if (!(state & (ACCESSED | COUNTED))) {
                    states_[page] = state | ACCESSED;
                    found_.push_back(page);
                }
                if (ticks)
                    ticks[i] = cost;
            }
            accesses_ += batch;
            left_ -= batch;
            count -= batch;
            pages += batch;
            if (ticks)
                ticks += batch;
            if (left_ == 0) {
                const uint64_t cost = scan();
                if (ticks)
                    ticks[-1] += cost;
            }
        }
        settle();
    }

    // The process frees all its pages.
    void release() {
        numbers_ = PageNumbers();
        states_.clear();
        slots_.clear();
        found_.clear();
        counted_pages_.clear();
        permitted_ = 0;
        bottom_ = last_permitted_ = 1;
        index_.restart(0, std::max(index_.capacity(), RecencyIndex::MIN_SLOTS));
        pages_.assign(index_.capacity() + 1, NONE);
    }

    const std::vector<uint64_t> &hits() const { return hits_; } // by group, up to the last one with a hit
    uint64_t misses() const { return misses_; }
    uint64_t unseen() const { return unseen_; }
    uint64_t accesses() const { return accesses_; }
    const TrackerEvents &events() const { return events_; }

  private:
    static constexpr size_t BATCH = 256, AHEAD = 16;
    static constexpr uint32_t NONE = UINT32_MAX;
    static constexpr uint8_t PERMITTED = 1, ACCESSED = 2, COUNTED = 4, KNOWN = 8; // COUNTED: in this period, by a fault

    // An access that is not permitted. Returns its cost if it is to be `known`.
    uint64_t miss(uint32_t page, bool known) {
        ++counted_;
        uint64_t cost = 0;
        if (states_[page] & KNOWN) {
            ++events_.fault;
            cost = ticks_.fault;
        }
        if (stack_pages_ && slots_[page] == NO_SLOT) {
            settle();
            if (index_.live() == stack_pages_)
                forget_bottom();
        }
        if (waiting_ == BATCH || index_.room(waiting_ + 1) <= waiting_) {
            settle();
            if (!index_.room())
                renumber();
        }
        const uint32_t slot = uint32_t(index_.next() + waiting_);
        waiting_last_[waiting_++] = leave_slot(page);
        take_slot(page, slot);
        states_[page] = PERMITTED | COUNTED | KNOWN;
        counted_pages_.push_back(page);
        if (++permitted_ > scan_list_)
            protect_last();
        return known ? cost + settle() * ticks_.crossed : 0;
    }

    // Counts the accesses that wait for their distances. Returns the pages pushed from group to group.
    uint64_t settle() {
        uint32_t distances[BATCH], fresh[BATCH];
        uint64_t live = index_.live(), crossed = 0;
        index_.touch(waiting_last_, waiting_, distances, fresh);
        for (size_t i = 0; i < waiting_; ++i) {
            if (distances[i]) {
                const uint64_t group = (distances[i] - 1) / group_pages_;
                count(group);
                crossed += group;
            } else {
                ++misses_;
                crossed += live++ / group_pages_;
            }
        }
        waiting_ = 0;
        events_.crossed += crossed;
        return crossed;
    }

    uint64_t scan() {
        settle();
        left_ = period_;
        order_.clear();
        for (const uint32_t page : found_)
            if ((states_[page] & (PERMITTED | ACCESSED)) == (PERMITTED | ACCESSED))
                order_.push_back(~(uint64_t(slots_[page]) << 32 | page));
        std::sort(order_.begin(), order_.end()); // from the top
        uint64_t groups = 0;
        size_t next = 0;
        // The n-th page is at position n or below, so only the first ones can be in the first group, where pages stay.
        for (; next < order_.size() && next < group_pages_; ++next) {
            const uint32_t page = uint32_t(~order_[next]);
            if (position(page) >= group_pages_)
                break;
            count(0);
            states_[page] = PERMITTED | KNOWN;
        }
        while (next < order_.size()) {
            uint32_t last[BATCH], distances[BATCH], fresh[BATCH];
            if (!index_.room())
                renumber();
            const size_t batch = size_t(std::min<uint64_t>({order_.size() - next, index_.room(BATCH), BATCH}));
            for (size_t i = 0; i < batch; ++i)
                last[i] = leave_slot(uint32_t(~order_[next + i]));
            uint32_t slot = uint32_t(index_.next());
            index_.touch(last, batch, distances, fresh);
            for (size_t i = 0; i < batch; ++i, ++slot) {
                const uint32_t page = uint32_t(~order_[next + i]);
                take_slot(page, slot);
                states_[page] = PERMITTED | KNOWN;
                const uint64_t group = (distances[i] - 1) / group_pages_;
                count(group);
                groups += group;
            }
            next += batch;
        }
        for (const uint32_t page : counted_pages_)
            states_[page] &= uint8_t(~COUNTED);
        const TrackerEvents now{0, 1, permitted_, order_.size(), groups};
        events_.scan += now.scan;
        events_.scanned += now.scanned;
        events_.accessed += now.accessed;
        events_.crossed += now.crossed;
        unseen_ += period_ - counted_ - now.accessed;
        counted_ = 0;
        found_.clear();
        counted_pages_.clear();
        return now.scan * ticks_.scan + now.scanned * ticks_.scanned + now.accessed * ticks_.accessed +
               now.crossed * ticks_.crossed;
    }

    // The last page of the scan list leaves it; what its accessed bit held is lost.
    void protect_last() {
        last_permitted_ = next_live(last_permitted_);
        states_[pages_[last_permitted_]] = KNOWN;
        ++last_permitted_;
        --permitted_;
    }

    void forget_bottom() {
        bottom_ = next_live(bottom_);
        const uint32_t page = pages_[bottom_];
        if (states_[page] & PERMITTED)
            protect_last();
        index_.remove(slots_[page]);
        pages_[bottom_++] = NONE;
        slots_[page] = NO_SLOT;
    }

    // The first slot from `slot` on, upwards in the stack, that a page has.
    uint32_t next_live(uint32_t slot) const {
        while (pages_[slot] == NONE)
            ++slot;
        return slot;
    }

    void count(uint64_t group) {
        if (group >= hits_.size())
            hits_.resize(group + 1);
        ++hits_[group];
    }

    uint64_t position(uint32_t page) const {
        uint32_t rank = slots_[page];
        index_.rank(&rank, 1);
        return index_.live() - rank;
    }

    uint32_t leave_slot(uint32_t page) {
        pages_[slots_[page]] = NONE;
        return slots_[page];
    }

    void take_slot(uint32_t page, uint32_t slot) {
        slots_[page] = slot;
        pages_[slot] = page;
    }

    // The slots have run out: each page gets its rank as its slot.
    void renumber() {
        const uint64_t live = index_.live(), unit = RecencyIndex::MIN_SLOTS;
        if (live + 2 * RecencyIndex::BLOCK > RecencyIndex::MAX_SLOTS)
            throw std::length_error("more than 2^31 distinct pages");
        const uint64_t roomy = std::min((4 * live + unit) / unit * unit, RecencyIndex::MAX_SLOTS);
        uint32_t rank = 0;
        for (size_t slot = 1; slot < pages_.size(); ++slot) {
            const uint32_t page = pages_[slot];
            if (page == NONE)
                continue;
            pages_[slot] = NONE;
            pages_[++rank] = page;
            slots_[page] = rank;
        }
        bottom_ = 1;
        last_permitted_ = uint32_t(live - permitted_ + 1);
        index_.restart(live, std::max(index_.capacity(), roomy));
        pages_.resize(index_.capacity() + 1, NONE);
        index_.room();
    }

    const uint64_t scan_list_, period_, group_pages_, stack_pages_;
    const TrackerTicks ticks_;
    PageNumbers numbers_;
    RecencyIndex index_;
    std::vector<uint8_t> states_;  // by page number
    std::vector<uint32_t> slots_;  // by page number
    std::vector<uint32_t> pages_;  // by slot; NONE: of no page. [NO_SLOT] is NONE
    uint64_t permitted_ = 0;       // pages of the scan list
    uint32_t last_permitted_ = 1;  // the paper's scan list pointer: no permitted page has an earlier slot
    uint32_t bottom_ = 1;          // no page has an earlier slot
    std::vector<uint32_t> found_, counted_pages_; // of the running period: pages with ACCESSED, with COUNTED, once or more
    std::vector<uint64_t> order_;
    uint32_t waiting_last_[BATCH]; // slots of the accesses whose distances are not found yet
    size_t waiting_ = 0;
    uint64_t left_, counted_ = 0; // of the running period: accesses to come, accesses counted
    std::vector<uint64_t> hits_;
    uint64_t misses_ = 0, unseen_ = 0, accesses_ = 0;
    TrackerEvents events_;
};

} // namespace litemrc_native
