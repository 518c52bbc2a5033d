// LRU replacement.
#pragma once

#include "address_book.hpp"
#include "memory.hpp"
#include "recency_list.hpp"

namespace litemrc_native {

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
