// The pages that SEQ evicts from sequences of page faults (Glass and Cao 1997, section 4.1).
//
// Knows which pages are in memory, one bit each, and the sequences of each address space.
#pragma once

#include "address_book.hpp"
#include "fault_sequences.hpp"

#include <vector>

namespace litemrc_native {

// What SEQ did so far.
struct SeqCounts {
    uint64_t from_sequences = 0, by_lru = 0; // evictions
    uint64_t sequences_made = 0;
    uint64_t sequences_most = 0; // held at one time, in the address space with the most
};

class SequenceVictims {
  public:
    SequenceVictims(AddressBook &book, const SeqParameters &parameters)
        : book_(book), sequences_(book.spaces(), FaultSequences(parameters)) {}

    // A page fault. `refault`: evidence that pages are swept again.
    void fault(uint32_t number, bool refault = false) {
        sequences_[book_[number].space].fault(book_[number].page, ++time_, refault);
    }
    void enter(uint32_t number); // the page is in memory
    void leave(uint32_t number); // and no more

    // The first page in memory at least `distance` from the head of the sequence that faulted last; from the next
    // sequence if there is none; NONE if no sequence has one. It will be evicted. `again`: only from sequences that
    // are swept again. The distance never falls from call to call.
    uint32_t choose(uint64_t distance, bool again = false);

    void mark_newest(uint32_t space) { sequences_[space].mark_newest(); }
    uint64_t pages_swept() const;
    void mark_reused();
    uint64_t from_head(uint32_t number) const {
        return sequences_[book_[number].space].from_head(book_[number].page);
    }
    void forget(uint32_t space) { sequences_[space].clear(); }
    SeqCounts counts() const;

    void count_lru() { ++counts_.by_lru; } // an eviction from no sequence

  private:
    uint32_t replaceable(uint32_t space, FaultSequence &sequence, uint64_t distance);

    AddressBook &book_;
    std::vector<uint64_t> in_memory_; // one bit per page, one word per block
    std::vector<FaultSequences> sequences_;
    uint64_t time_ = 0; // in faults
    SeqCounts counts_;
};

} // namespace litemrc_native
