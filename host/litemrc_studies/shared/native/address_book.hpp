// SPDX-License-Identifier: BSD-2-Clause
// The pages of one or several address spaces, numbered densely in the order of their first reference.
//
// Replacement needs both: numbers, to index arrays, and addresses, to know which pages are neighbours. Pages lie in
// blocks of 64 neighbours, so that a memory can keep which of them it holds in one word a block.
#pragma once

#include "stacks/page_table.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace litemrc_native {

class AddressBook {
  public:
    static constexpr uint32_t NONE = UINT32_MAX;
    static constexpr unsigned BLOCK_BITS = 6;

    struct Entry {
        uint64_t page;
        uint32_t block; // numbered over all spaces
        uint32_t space;
    };

    explicit AddressBook(size_t spaces) : spaces_(spaces) {}
    AddressBook(const AddressBook &) = delete;
    AddressBook &operator=(const AddressBook &) = delete;

    // Writes the numbers of `count` pages of a space. Throws std::length_error beyond 2^32 - 2 pages.
    void number(uint32_t space, const uint64_t *pages, size_t count, uint32_t *numbers) {
        PageTable &table = spaces_[space].numbers;
        for (size_t start = 0; start < count; start += BATCH) {
            const size_t end = start + BATCH < count ? start + BATCH : count;
            table.reserve(end - start);
            for (size_t i = start; i < end; ++i)
                table.prefetch(pages[i]);
            for (size_t i = start; i < end; ++i) {
                numbers[i] = table.find_or_insert(pages[i], uint32_t(entries_.size()));
                if (numbers[i] == entries_.size())
                    enter(space, pages[i]);
            }
        }
    }

    size_t spaces() const { return spaces_.size(); }
    size_t size() const { return entries_.size(); }
    size_t blocks() const { return blocks_; }
    const Entry &operator[](uint32_t number) const { return entries_[number]; }

    // Returns the number of a page, or NONE.
    uint32_t number_of(uint32_t space, uint64_t page) { return value(spaces_[space].numbers, page); }

    // The number of the block of pages `block` * 64 and following, or NONE.
    uint32_t block_of(uint32_t space, uint64_t block) { return value(spaces_[space].blocks, block); }

  private:
    static constexpr size_t BATCH = 64;
    struct Space {
        PageTable numbers, blocks;
    };

    static uint32_t value(PageTable &table, uint64_t key) {
        const uint32_t *found = table.find(key);
        return found ? *found : NONE;
    }

    void enter(uint32_t space, uint64_t page) {
        if (entries_.size() == NONE - 1)
            throw std::length_error("more than 2^32 - 2 distinct pages");
        PageTable &blocks = spaces_[space].blocks;
        blocks.reserve(1);
        const uint32_t block = blocks.find_or_insert(page >> BLOCK_BITS, blocks_);
        blocks_ += block == blocks_;
        entries_.push_back({page, block, space});
    }

    std::vector<Space> spaces_;
    std::vector<Entry> entries_;
    uint32_t blocks_ = 0;
};

} // namespace litemrc_native
