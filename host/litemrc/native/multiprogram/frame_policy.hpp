// Who gives up a page when memory is full, and how much memory a process may have: what all policies of the machine are
// to it. Pages have the numbers of an address book, processes are its spaces. Equal to litemrc/golden/machines/frame_policies.py.
#pragma once

#include "../replacement/address_book.hpp"

#include <cstdint>

namespace litemrc_native {

class FramePolicy {
  public:
    static constexpr uint32_t NONE = AddressBook::NONE;

    virtual ~FramePolicy() = default;

    // Pages up to those now in the book may come.
    virtual void make_room(size_t pages) = 0;

    // A page in memory is referred to.
    virtual void touch(uint32_t process, uint32_t page) = 0;

    // A page comes in. Returns the page that is evicted for it, or NONE.
    virtual uint32_t admit(uint32_t process, uint32_t page) = 0;

    // A page in memory is given back.
    virtual void remove(uint32_t process, uint32_t page) = 0;

    // A process has finished an epoch: hits in each group, and misses behind them.
    virtual void epoch(uint32_t, const double *, uint64_t) {}
};

} // namespace litemrc_native
