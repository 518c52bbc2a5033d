// SPDX-License-Identifier: BSD-2-Clause
// Dense page numbers in the order of first access.
#pragma once

#include "page_table.hpp"

namespace litemrc_native {

class PageNumbers {
  public:
    static constexpr size_t MAX_PAGES = UINT32_MAX;

    // Writes the number of each of `count` pages. Throws std::length_error beyond MAX_PAGES distinct ones.
    void number(const uint64_t *pages, size_t count, uint32_t *numbers) {
        for (size_t start = 0; start < count; start += BATCH) {
            const size_t end = start + BATCH < count ? start + BATCH : count;
            table_.reserve(end - start);
            for (size_t i = start; i < end; ++i)
                table_.prefetch(pages[i]);
            for (size_t i = start; i < end; ++i)
                numbers[i] = number(pages[i]);
        }
    }

    size_t size() const { return table_.size(); }

  private:
    static constexpr size_t BATCH = 64;

    uint32_t number(uint64_t page) {
        if (table_.size() == MAX_PAGES)
            throw std::length_error("more than 2^32 - 1 distinct pages");
        return table_.find_or_insert(page, uint32_t(table_.size()));
    }

    PageTable table_;
};

} // namespace litemrc_native
