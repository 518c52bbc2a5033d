// SPDX-License-Identifier: BSD-2-Clause
// LRU replacement.
#pragma once

#include "address_book.hpp"
#include "memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// The pages in memory as a doubly linked list in an array indexed by page number, most recently used first.
class RecencyList {
  public:
    // Page numbers below `pages` may be used from now on.
    void make_room(size_t pages) {
        if (pages >= links_.size())
            links_.resize(std::max(pages + 1, links_.size() + links_.size() / 2));
    }

    size_t size() const { return size_; }
    bool contains(uint32_t number) const { return number + 1 < links_.size() && links_[number + 1].older != ABSENT; }
    uint32_t oldest() const { return links_[0].newer - 1; }

    void insert(uint32_t number) {
        link_first(number + 1);
        ++size_;
    }

    void remove(uint32_t number) {
        unlink(number + 1);
        links_[number + 1] = {};
        --size_;
    }

    // Makes a resident page the most recently used one.
    void touch(uint32_t number) {
        if (links_[0].older == number + 1)
            return;
        unlink(number + 1);
        link_first(number + 1);
    }

  private:
    static constexpr uint32_t ABSENT = UINT32_MAX;
    struct Link {
        uint32_t older = ABSENT, newer = ABSENT;
    };

    void unlink(uint32_t at) {
        const Link link = links_[at];
        links_[link.older].newer = link.newer;
        links_[link.newer].older = link.older;
    }

    void link_first(uint32_t at) {
        const uint32_t first = links_[0].older;
        links_[at] = {first, 0};
        links_[first].newer = at;
        links_[0].older = at;
    }

    std::vector<Link> links_{Link{0, 0}}; // [0] is the anchor, [n + 1] page n
    size_t size_ = 0;
};

class LruMemory final : public MemoryOf<LruMemory> {
  public:
    LruMemory(const AddressBook &book, uint64_t frames) : book_(book), frames_(frames) {}

    bool reference(uint32_t number) override {
        if (pages_.contains(number)) {
            pages_.touch(number);
            return false;
        }
        pages_.make_room(book_.size());
        victim_ = AddressBook::NONE;
        if (pages_.size() == frames_) {
            victim_ = pages_.oldest();
            pages_.remove(victim_);
        }
        pages_.insert(number);
        return true;
    }

    void release(uint32_t number) override {
        if (pages_.contains(number))
            pages_.remove(number);
    }

  private:
    const AddressBook &book_;
    const uint64_t frames_;
    RecencyList pages_;
};

} // namespace litemrc_native
