// SPDX-License-Identifier: BSD-2-Clause
// The sequences of page faults that SEQ looks for in one address space (Glass and Cao 1997, section 4.1).
//
// What the paper leaves open is decided in golden/seq.py. Sequences never overlap: an index sorted by low end
// finds the one a page lies in and its neighbours by one binary search.
#pragma once

#include "address_book.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

struct SeqParameters {
    SeqParameters(uint64_t length, uint64_t distance, uint32_t recent, uint32_t limit)
        : length(length), distance(distance), recent(recent), limit(limit) {}

    uint64_t length;   // L: pages of the shortest sequence that is replaced from
    uint64_t distance; // M: pages next to the head that are left alone
    uint32_t recent;   // N: the N-th last fault determines the recency of a sequence
    uint32_t limit;    // sequences kept
};

enum class Direction : uint8_t { nil, up, down };

struct FaultSequence {
    uint64_t low, high;
    // Offsets from the tail of pages known to be on disk, in one piece: from `disk_from` to below `disk_to`.
    uint64_t disk_from, disk_to;
    uint64_t last_fault;   // time of its most recent fault
    uint64_t judged_time;  // time of its N-th most recent fault, or of its oldest
    uint32_t faults;       // times recorded, N at most
    uint32_t next_time;    // where the next one goes
    uint32_t older, newer; // slots of its neighbours by last_fault
    uint32_t refaults;     // L: swept again; less: refaults recorded so far
    Direction direction;
    // No page at least M from the head is in memory. Stays true until the head moves on: a page of a sequence that is
    // on disk can only come back by a fault, and that splits the sequence.
    bool exhausted;
    uint64_t reused; // pages of it that were referred to again while they were in memory

    uint64_t length() const { return high - low + 1; }
    bool grows_down() const { return direction == Direction::down; }
    uint64_t page_at(uint64_t offset) const { return grows_down() ? high - offset : low + offset; }
};

class FaultSequences {
  public:
    explicit FaultSequences(const SeqParameters &parameters);

    // Records a page fault; times must rise. `refault`: evidence that pages are swept again. A sequence is swept again
    // once it was split by such a fault, has L of them, or `mark_newest` marks it.
    void fault(uint64_t page, uint64_t time, bool refault = false);

    // Of the sequences of length >= L that are not exhausted, the one with the latest judged_time; nullptr: none.
    // `again`: only of those swept again.
    FaultSequence *most_recent(bool again = false);

    // Marks the sequence of the last fault, if its length is >= L, as swept again.
    void mark_newest();

    // Pages in sequences of length >= L, without those in use.
    uint64_t pages_swept() const;

    // What these sequences have now is in use; what they gain later is not.
    void mark_reused();

    // How far from its head a page lies in its sequence; UINT64_MAX: in none.
    uint64_t from_head(uint64_t page) const;

    // Forgets the sequences; `made` and `most` go on.
    void clear();

    uint64_t made() const { return made_; } // sequences begun
    uint64_t most() const { return most_; } // high-water mark of the sequences held

  private:
    using Slot = uint32_t;
    static constexpr Slot ANCHOR = 0; // of the list by age; no sequence

    FaultSequence &at(size_t position) { return slots_[by_low_[position]]; }
    const FaultSequence &at(size_t position) const { return slots_[by_low_[position]]; }
    size_t above(uint64_t page) const;
    void extend(size_t position, uint64_t page, uint64_t time, bool refault);
    bool cut(size_t position, uint64_t page);
    void add(size_t position, uint64_t page, uint64_t time, bool refault);
    void erase(size_t position);
    size_t oldest() const;
    void record(Slot slot, uint64_t time);
    void unlink(Slot slot);

    SeqParameters parameters_;
    std::vector<FaultSequence> slots_;
    std::vector<uint64_t> times_; // N a slot, a ring
    std::vector<uint64_t> lows_;  // sorted
    std::vector<Slot> by_low_;    // the sequences that begin there
    std::vector<Slot> long_;      // those of length >= L
    std::vector<Slot> free_;
    uint64_t made_ = 0, most_ = 0;
};

// The pages that SEQ evicts from sequences of page faults (Glass and Cao 1997, section 4.1).
//
// Knows which pages are in memory, one bit each, and the sequences of each address space.
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
