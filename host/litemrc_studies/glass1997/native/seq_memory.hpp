// SPDX-License-Identifier: BSD-2-Clause
// SEQ replacement (Glass and Cao 1997, section 4.1), for one or several address spaces.
#pragma once

#include "address_book.hpp"
#include "memory.hpp"
#include "lru_memory.hpp"
#include "fault_sequences.hpp"

#include <algorithm>
#include <vector>

namespace litemrc_native {

class SeqMemory final : public MemoryOf<SeqMemory> {
  public:
    // `careful`: by the rules of CarefulSeq in golden/seq_adaptive.py, which need `refer`.
    SeqMemory(AddressBook &book, uint64_t frames, const SeqParameters &parameters, bool careful = false)
        : book_(book), frames_(frames), careful_(careful), distance_(parameters.distance),
          most_distance_(std::min(4 * parameters.distance, frames / 4 + (frames % 4 != 0))), victims_(book, parameters) {}

    bool reference(uint32_t number) override { return refer(number, false); }

    // Refers to a page that LRU's memory of the same size holds or not.
    bool refer(uint32_t number, bool lru_hit) {
        if (careful_)
            note_reuse(number, lru_hit);
        if (pages_.contains(number)) {
            pages_.touch(number);
            return false;
        }
        fault(number, lru_hit);
        return true;
    }

    void release(uint32_t number) override {
        if (pages_.contains(number))
            evict(number);
    }

    void forget(uint32_t space) override { victims_.forget(space); }

    SeqCounts counts() const { return victims_.counts(); }

  private:
    void fault(uint32_t number, bool lru_hit) {
        pages_.make_room(book_.size());
        if (careful_)
            record(number, lru_hit);
        else
            victims_.fault(number);
        victim_ = AddressBook::NONE;
        from_sequence_ = false;
        if (pages_.size() == frames_) {
            victim_ = victims_.choose(distance_, careful_);
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

    // Counts the pages referred to since LRU's last fault.
    void note_reuse(uint32_t number, bool lru_hit) {
        if (referred_.size() < book_.size())
            referred_.resize(std::max(book_.size(), referred_.size() + referred_.size() / 2));
        if (!lru_hit) {
            ++stretch_;
            since_fault_ = 0;
            return;
        }
        since_fault_ += referred_[number] != stretch_;
        referred_[number] = stretch_;
        if (swept_ && 2 * since_fault_ >= swept_) {
            victims_.mark_reused();
            swept_ = 0;
        }
    }

    void record(uint32_t number, bool lru_hit) {
        if (faulted_.size() < book_.size())
            faulted_.resize(std::max(book_.size(), faulted_.size() + faulted_.size() / 2));
        if (lru_hit) { // it came back too early
            const uint64_t distance = victims_.from_head(number);
            if (distance >= distance_ && distance < most_distance_)
                distance_ = distance + 1;
        }
        victims_.fault(number, faulted_[number] && !lru_hit);
        faulted_[number] = true;
        swept_ = victims_.pages_swept();
        if (swept_ >= frames_)
            victims_.mark_newest(book_[number].space);
    }

    void evict(uint32_t number) {
        pages_.remove(number);
        victims_.leave(number);
    }

    AddressBook &book_;
    const uint64_t frames_;
    const bool careful_;
    uint64_t distance_; // M
    const uint64_t most_distance_;
    RecencyList pages_;
    // Kept if careful:
    std::vector<bool> faulted_;      // pages
    std::vector<uint64_t> referred_; // pages, in which stretch between two faults of LRU
    uint64_t stretch_ = 1, since_fault_ = 0;
    uint64_t swept_ = 0; // pages of sequences, without those in use
    SequenceVictims victims_;
};

} // namespace litemrc_native
