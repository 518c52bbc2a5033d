// SPDX-License-Identifier: BSD-2-Clause
// Interface of the machine's memory policies: which page is evicted when memory is full, and how much memory a process
// may have. Pages have the numbers of an address book, processes are its spaces. Equal to
// golden/frame_policies.py.
#pragma once

#include "address_book.hpp"

#include <cstdint>
#include <vector>

namespace litemrc_native {

// Pages reclaimed in the background: when fewer than `below` frames are free, until `to` are. None: {0, 0}.
struct Reclaim {
    uint64_t below = 0, to = 0;
};

class FramePolicy {
  public:
    static constexpr uint32_t NONE = AddressBook::NONE;

    virtual ~FramePolicy() = default;

    // Pages up to those now in the book may come.
    virtual void make_room(size_t pages) = 0;

    // References a resident page.
    virtual void touch(uint32_t process, uint32_t page) = 0;

    // Adds a page. Returns the page evicted for it, or NONE: it took a free frame.
    virtual uint32_t admit(uint32_t process, uint32_t page) = 0;

    // Releases a resident page.
    virtual void remove(uint32_t process, uint32_t page) = 0;

    // Appends the pages that are evicted in the background now.
    virtual void reclaim(std::vector<uint32_t> &evicted) = 0;

    virtual uint64_t free_frames() const = 0;

    // Ends an epoch of a process: hits in each group, then misses.
    virtual void epoch(uint32_t, const double *, uint64_t) {}
};

} // namespace litemrc_native
