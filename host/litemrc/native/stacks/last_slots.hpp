// SPDX-License-Identifier: BSD-2-Clause
// The slot of each page's last access, or the slot and more: a plain array while page numbers are dense, a hash table when
// they are not.
#pragma once

#include "page_table.hpp"

#include <algorithm>
#include <cstdint>

namespace litemrc_native {

template <typename Slot> class BasicLastSlots {
  public:
    // Access i is to pages[i] and gets the slot `first` + i, not 0. Writes the slots of the pages' accesses before, 0
    // for pages never seen. Throws std::bad_alloc.
    void exchange(const uint64_t *pages, size_t count, Slot first, Slot *last) {
        exchange_with(pages, count, [=](size_t i) { return first + Slot(i); }, last);
    }

    // The same; access i gets slots[i].
    void exchange(const uint64_t *pages, size_t count, const Slot *slots, Slot *last) {
        exchange_with(pages, count, [=](size_t i) { return slots[i]; }, last);
    }

    // The same; access i gets slot_of(i).
    template <typename SlotOf>
    void exchange_with(const uint64_t *pages, size_t count, SlotOf slot_of, Slot *last) {
        if (!is_direct_ && !hashed_.has_room(count))
            enter_direct();
        size_t i = 0;
        if (is_direct_) {
            for (; i < count; ++i) {
                const uint64_t page = pages[i];
                if (i + AHEAD < count)
                    __builtin_prefetch(direct_.data() + pages[i + AHEAD], 1); // harmless wherever it points
                if (__builtin_expect(page >= direct_.size(), 0) && !widen(page))
                    break;
                Slot &slot = direct_[page];
                last[i] = slot;
                slot = slot_of(i);
                known_ += last[i] == 0;
            }
            if (i == count)
                return;
            leave_direct();
        }
        hashed_.reserve(count - i);
        size_t homes[AHEAD] = {}; // of the accesses ahead, in a ring
        for (size_t next = i; next < std::min(count, i + AHEAD); ++next)
            hashed_.prefetch_bucket(homes[next % AHEAD] = hashed_.home(pages[next]));
        for (; i < count; ++i) {
            const size_t home = homes[i % AHEAD];
            if (i + AHEAD < count)
                hashed_.prefetch_bucket(homes[i % AHEAD] = hashed_.home(pages[i + AHEAD]));
            hashed_.prefetch_overflow(homes[(i + OVERFLOW_AHEAD) % AHEAD]);
            Slot &slot = hashed_.find_or_insert(pages[i], 0, home);
            last[i] = slot;
            slot = slot_of(i);
        }
    }

    // Writes the slots of pages all of which have been seen.
    void find(const uint64_t *pages, size_t count, Slot *last) {
        if (is_direct_) {
            for (size_t i = 0; i < count; ++i)
                last[i] = direct_[pages[i]];
            return;
        }
        for (size_t i = 0; i < count; ++i) {
            if (i + AHEAD < count)
                hashed_.prefetch(pages[i + AHEAD]);
            last[i] = *hashed_.find(pages[i]);
        }
    }

    // Forgets all pages and begins with `count` different ones; page i has slots[i]. Throws std::bad_alloc.
    void restore(const uint64_t *pages, const Slot *slots, size_t count) {
        clear();
        const uint64_t highest = count ? *std::max_element(pages, pages + count) : 0;
        known_ = count; // so that dense numbers, whatever their order, stay in an array
        if (is_direct_ && (highest < direct_.size() || widen(highest))) {
            for (size_t i = 0; i < count; ++i)
                direct_[pages[i]] = slots[i];
            return;
        }
        known_ = 0;
        if (is_direct_)
            leave_direct();
        hashed_.reserve(count);
        for (size_t i = 0; i < count; ++i) {
            if (i + AHEAD < count)
                hashed_.prefetch(pages[i + AHEAD]);
            hashed_.find_or_insert(pages[i], slots[i]);
        }
    }

    // Forgets all pages; keeps the memory.
    void clear() {
        direct_.clear();
        known_ = 0;
        hashed_.clear();
    }

    // Calls visit(slots, count) on runs of slots in memory, which it may change, zeros included; all pages' are among
    // them.
    template <typename Visit> void for_each_run(Visit visit) {
        if (is_direct_)
            visit(direct_.data(), direct_.size());
        else
            hashed_.for_each_run(visit);
    }

  private:
    static constexpr size_t AHEAD = 64; // accesses that the hash table's cache lines are asked for ahead
    static constexpr size_t OVERFLOW_AHEAD = 12; // so late that the line has arrived, and reading it does not wait

    // With 32-bit slots an array costs 4 bytes a page number, the hash table 19 to 48 bytes a page.
    static constexpr uint64_t SPARSEST = 6;
    static constexpr uint64_t ALWAYS_DIRECT = uint64_t(1) << 20;

    bool widen(uint64_t highest) {
        if (highest >= std::max(ALWAYS_DIRECT, SPARSEST * known_))
            return false;
        const uint64_t size = direct_.size();
        direct_.grow(size_t(std::max(highest + 1, size < ALWAYS_DIRECT ? 2 * size : size + size / 2)));
        return true;
    }

    void leave_direct() {
        hashed_.reserve(known_);
        for (size_t page = 0; page < direct_.size(); ++page)
            if (direct_[page])
                hashed_.find_or_insert(page, direct_[page]);
        direct_.release();
        is_direct_ = false;
    }

    // Comes when the hash table would grow: pages whose numbers did not look dense at first may be so now.
    void enter_direct() {
        uint64_t highest = 0;
        const uint64_t below = SPARSEST * hashed_.size();
        if (!hashed_.all_of([&](uint64_t page) { return (highest = std::max(highest, page)) < below; }))
            return;
        direct_.grow(size_t(highest + 1));
        hashed_.for_each([&](uint64_t page, Slot slot) { direct_[page] = slot; });
        known_ = hashed_.size();
        hashed_ = BasicPageTable<Slot>();
        is_direct_ = true;
    }

    bool is_direct_ = true;
    LargeArray<Slot> direct_;
    uint64_t known_ = 0; // pages in the array
    BasicPageTable<Slot> hashed_;
};

using LastSlots = BasicLastSlots<uint32_t>;

} // namespace litemrc_native
