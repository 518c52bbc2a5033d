// SPDX-License-Identifier: BSD-2-Clause
// The slot of each page's last access, or the slot and more: a plain array while page numbers are dense, a hash table when
// they are not.
#pragma once

#include "page_table.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace litemrc_native {

template <typename Slot> class BasicLastSlots {
  public:
    BasicLastSlots() = default;
    ~BasicLastSlots() { std::free(direct_); }
    BasicLastSlots(const BasicLastSlots &) = delete;
    BasicLastSlots &operator=(const BasicLastSlots &) = delete;

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
        if (is_direct_) {
            const uint64_t highest = *std::max_element(pages, pages + count);
            if (highest < direct_size_ || widen(highest)) {
                for (size_t i = 0; i < count; ++i) {
                    last[i] = direct_[pages[i]];
                    direct_[pages[i]] = slot_of(i);
                    known_ += last[i] == 0;
                }
                return;
            }
            leave_direct();
        }
        hashed_.reserve(count);
        for (size_t i = 0; i < std::min(count, AHEAD); ++i)
            hashed_.prefetch(pages[i]);
        for (size_t i = 0; i < count; ++i) {
            if (i + AHEAD < count)
                hashed_.prefetch(pages[i + AHEAD]);
            Slot &slot = hashed_.find_or_insert(pages[i], 0);
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
        if (is_direct_ && (highest < direct_size_ || widen(highest))) {
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
        if (is_direct_)
            std::fill(direct_, direct_ + direct_size_, 0);
        known_ = 0;
        hashed_.clear();
    }

    // Calls visit(slots, count) on runs of slots in memory, which it may change, zeros included; all pages' are among
    // them.
    template <typename Visit> void for_each_run(Visit visit) {
        if (is_direct_)
            visit(direct_, direct_size_);
        else
            hashed_.for_each_run(visit);
    }

  private:
    static constexpr size_t AHEAD = 24; // accesses that the hash table's cache lines are asked for ahead

    // With 32-bit slots an array costs 4 bytes a page number, the hash table 16 to 40 bytes a page.
    static constexpr uint64_t SPARSEST = 6;
    static constexpr uint64_t ALWAYS_DIRECT = uint64_t(1) << 20;

    bool widen(uint64_t highest) {
        if (highest >= std::max(ALWAYS_DIRECT, SPARSEST * known_))
            return false;
        const size_t size = size_t(std::max(highest + 1, std::min(2 * direct_size_, ALWAYS_DIRECT)));
        void *moved = std::realloc(direct_, size * sizeof(Slot));
        if (!moved)
            throw std::bad_alloc();
        direct_ = static_cast<Slot *>(moved);
        std::fill(direct_ + direct_size_, direct_ + size, 0);
        direct_size_ = size;
        return true;
    }

    void leave_direct() {
        hashed_.reserve(known_);
        for (size_t page = 0; page < direct_size_; ++page)
            if (direct_[page])
                hashed_.find_or_insert(page, direct_[page]);
        std::free(std::exchange(direct_, nullptr));
        direct_size_ = 0;
        is_direct_ = false;
    }

    bool is_direct_ = true;
    Slot *direct_ = nullptr;
    uint64_t direct_size_ = 0, known_ = 0; // known_: pages in the array
    BasicPageTable<Slot> hashed_;
};

using LastSlots = BasicLastSlots<uint32_t>;

} // namespace litemrc_native
