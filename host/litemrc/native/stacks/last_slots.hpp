// The slot of each page's last access: a plain array while page numbers are dense, a hash table when they are not.
#pragma once

#include "page_table.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace litemrc_native {

class LastSlots {
  public:
    LastSlots() = default;
    ~LastSlots() { std::free(direct_); }
    LastSlots(const LastSlots &) = delete;
    LastSlots &operator=(const LastSlots &) = delete;

    // Access i is to pages[i] and gets the slot `first` + i, not 0. Writes the slots of the pages' accesses before, 0
    // for pages never seen. Throws std::bad_alloc.
    void exchange(const uint64_t *pages, size_t count, uint32_t first, uint32_t *last) {
        exchange_with(pages, count, [=](size_t i) { return first + uint32_t(i); }, last);
    }

    // The same; access i gets slots[i].
    void exchange(const uint64_t *pages, size_t count, const uint32_t *slots, uint32_t *last) {
        exchange_with(pages, count, [=](size_t i) { return slots[i]; }, last);
    }

    // Writes the slots of pages all of which have been seen.
    void find(const uint64_t *pages, size_t count, uint32_t *last) {
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

    // An array costs 4 bytes a page number, the hash table 16 to 40 bytes a page.
    static constexpr uint64_t SPARSEST = 6;
    static constexpr uint64_t ALWAYS_DIRECT = uint64_t(1) << 20;

    template <typename SlotOf>
    void exchange_with(const uint64_t *pages, size_t count, SlotOf slot_of, uint32_t *last) {
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
            uint32_t &slot = hashed_.find_or_insert(pages[i], 0);
            last[i] = slot;
            slot = slot_of(i);
        }
    }

    bool widen(uint64_t highest) {
        if (highest >= std::max(ALWAYS_DIRECT, SPARSEST * known_))
            return false;
        const size_t size = size_t(std::max(highest + 1, std::min(2 * direct_size_, ALWAYS_DIRECT)));
        void *moved = std::realloc(direct_, size * sizeof(uint32_t));
        if (!moved)
            throw std::bad_alloc();
        direct_ = static_cast<uint32_t *>(moved);
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
    uint32_t *direct_ = nullptr;
    uint64_t direct_size_ = 0, known_ = 0; // known_: pages in the array
    PageTable hashed_;
};

} // namespace litemrc_native
