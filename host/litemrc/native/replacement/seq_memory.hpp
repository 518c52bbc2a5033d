// SEQ replacement (Glass and Cao 1997, section 4.1), for one or several address spaces.
#pragma once

#include "address_book.hpp"
#include "fault_sequences.hpp"
#include "memory.hpp"
#include "recency_list.hpp"

namespace litemrc_native {

class SeqMemory final : public MemoryOf<SeqMemory> {
  public:
    SeqMemory(AddressBook &book, uint64_t frames, const SeqParameters &parameters)
        : book_(book), frames_(frames), parameters_(parameters), sequences_(book.spaces(), FaultSequences(parameters)) {}

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
            take_out(number);
    }

    void forget(uint32_t space) override { sequences_[space].clear(); }

  private:
    void fault(uint32_t number);
    uint32_t victim();
    uint32_t replaceable(uint32_t space, FaultSequence &sequence);
    void take_out(uint32_t number);

    AddressBook &book_;
    const uint64_t frames_;
    const SeqParameters parameters_;
    RecencyList pages_;
    std::vector<uint64_t> in_memory_; // one bit per page, one word per block
    std::vector<FaultSequences> sequences_;
    uint64_t time_ = 0; // in faults
};

} // namespace litemrc_native
