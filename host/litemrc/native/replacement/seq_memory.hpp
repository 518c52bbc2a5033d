// SEQ replacement (Glass and Cao 1997, section 4.1), for one or several address spaces.
#pragma once

#include "address_book.hpp"
#include "memory.hpp"
#include "recency_list.hpp"
#include "sequence_victims.hpp"

namespace litemrc_native {

class SeqMemory final : public MemoryOf<SeqMemory> {
  public:
    SeqMemory(AddressBook &book, uint64_t frames, const SeqParameters &parameters)
        : book_(book), frames_(frames), distance_(parameters.distance), victims_(book, parameters) {}

    bool reference(uint32_t number) override {
        if (pages_.contains(number)) {
            pages_.touch(number);
            return false;
        }
        fault(number);
        return true;
    }

    void release(uint32_t number) override {
        if (pages_.contains(number))
            evict(number);
    }

    void forget(uint32_t space) override { victims_.forget(space); }

    SeqCounts counts() const { return victims_.counts(); }

  private:
    void fault(uint32_t number) {
        pages_.make_room(book_.size());
        victims_.fault(number);
        victim_ = AddressBook::NONE;
        from_sequence_ = false;
        if (pages_.size() == frames_) {
            victim_ = victims_.choose(distance_);
            from_sequence_ = victim_ != AddressBook::NONE;
            if (!from_sequence_) {
                victim_ = pages_.oldest();
                victims_.count_lru();
            }
            evict(victim_);
        }
        pages_.insert(number);
        victims_.enter(number);
    }

    void evict(uint32_t number) {
        pages_.remove(number);
        victims_.leave(number);
    }

    AddressBook &book_;
    const uint64_t frames_;
    const uint64_t distance_; // M
    RecencyList pages_;
    SequenceVictims victims_;
};

} // namespace litemrc_native
