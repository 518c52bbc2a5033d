// SEQ that falls back to LRU while LRU would fault less; equal to litemrc/golden/machines/seq_adaptive.py.
//
// LRU's memory of the same size is the most recent part of one list by recency: its pages are in this memory or
// ghosts, at most as many as there are frames. The rest of the list are pages in this memory that LRU would have evicted.
#pragma once

#include "address_book.hpp"
#include "memory.hpp"
#include "recency_list.hpp"
#include "sequence_victims.hpp"

#include <algorithm>
#include <vector>

namespace litemrc_native {

class SeqAdaptiveMemory final : public MemoryOf<SeqAdaptiveMemory> {
  public:
    static constexpr int64_t EXTRA = 50; // LRU's faults that grant one fault more than LRU
    static constexpr int64_t FULL = 5;   // credit is at most FULL * frames / EXTRA faults
    static constexpr int64_t CAUTION = 2; // by which the faults that pages at risk may cost are multiplied

    SeqAdaptiveMemory(AddressBook &book, uint64_t frames, const SeqParameters &parameters)
        : book_(book), frames_(frames), grant_(int64_t(std::min(frames, MOST_FRAMES))), credit_(grant_),
          distance_(parameters.distance), victims_(book, parameters) {}

    bool reference(uint32_t number) override {
        if (pages_.size() < book_.size()) {
            recent_.make_room(book_.size());
            pages_.resize(std::max(book_.size(), pages_.size() + pages_.size() / 2));
        }
        const bool hit = pages_[number].resident, lru_hit = pages_[number].of_lru;
        lost_ += pages_[number].at_risk;
        end_risk(number);
        account(hit, lru_hit);
        if (!hit)
            fault(number, lru_hit);
        use(number, hit, lru_hit);
        if (!hit && from_sequence_)
            begin_risk(victim_);
        return !hit;
    }

    void release(uint32_t number) override {
        if (number >= pages_.size() || !(pages_[number].resident || pages_[number].of_lru))
            return;
        end_risk(number);
        if (pages_[number].of_lru) {
            leave_oldest(number);
            --of_lru_;
        }
        if (pages_[number].resident) {
            victims_.leave(number);
            --residents_;
        }
        pages_[number].resident = pages_[number].of_lru = false;
        recent_.remove(number);
    }

    void forget(uint32_t space) override { victims_.forget(space); }

    SeqCounts counts() const { return victims_.counts(); }

  private:
    static constexpr uint64_t MOST_FRAMES = uint64_t(1) << 48; // keeps credit in 64 bits
    struct Page {
        bool resident = false;
        bool of_lru = false; // in LRU's memory
        bool at_risk = false; // evicted from a sequence, and a ghost
        bool faulted = false;
    };

    void account(bool hit, bool lru_hit) {
        credit_ += (int64_t(hit) - int64_t(lru_hit)) * EXTRA + !lru_hit;
        credit_ = std::min(credit_, FULL * grant_);
        if (credit_ < 0)
            trusted_ = false;
        else if (2 * credit_ >= grant_)
            trusted_ = true;
    }

    void fault(uint32_t number, bool lru_hit) {
        if (lru_hit && 2 * credit_ < FULL * grant_) {
            // The page came back too early. A page so far behind the head is left alone from now on.
            const uint64_t distance = victims_.from_head(number);
            if (distance >= distance_ && distance < frames_ / 4 + (frames_ % 4 != 0))
                distance_ = distance + 1;
        }
        victims_.fault(number, pages_[number].faulted && !lru_hit);
        pages_[number].faulted = true;
        if (victims_.pages_together() >= frames_)
            victims_.mark_newest(book_[number].space);
        victim_ = AddressBook::NONE;
        from_sequence_ = false;
        if (residents_ == frames_)
            evict();
        pages_[number].resident = true;
        ++residents_;
        victims_.enter(number);
    }

    void evict() {
        // In floating point, as the products may exceed 64 bits; exact for memories of up to a million pages.
        const double feared = double(CAUTION * EXTRA * at_risk_) * double(lost_);
        if (trusted_ && feared <= double(credit_) * double(tried_))
            victim_ = victims_.choose(distance_, true);
        from_sequence_ = victim_ != AddressBook::NONE;
        if (!from_sequence_) {
            victim_ = recent_.oldest(); // never a ghost: the pages that LRU would have evicted come first
            victims_.count_lru();
        }
        pages_[victim_].resident = false;
        --residents_;
        victims_.leave(victim_);
        if (!pages_[victim_].of_lru)
            recent_.remove(victim_);
    }

    void begin_risk(uint32_t number) {
        if (!pages_[number].of_lru)
            return;
        pages_[number].at_risk = true;
        ++at_risk_;
        if (++tried_ >= 2 * uint64_t(grant_)) {
            tried_ /= 2;
            lost_ /= 2;
        }
    }

    void end_risk(uint32_t number) {
        at_risk_ -= pages_[number].at_risk;
        pages_[number].at_risk = false;
    }

    // Makes a page the most recently used one, in LRU's memory as well.
    void use(uint32_t number, bool hit, bool lru_hit) {
        if (lru_hit)
            leave_oldest(number);
        if (lru_hit || hit)
            recent_.touch(number);
        else
            recent_.insert(number);
        if (lru_hit) {
            if (of_lru_ == 1)
                oldest_of_lru_ = number;
            return;
        }
        pages_[number].of_lru = true;
        if (of_lru_ == 0)
            oldest_of_lru_ = number;
        if (of_lru_ < frames_) {
            ++of_lru_;
            return;
        }
        const uint32_t out = oldest_of_lru_;
        oldest_of_lru_ = recent_.newer(out);
        pages_[out].of_lru = false;
        end_risk(out);
        if (!pages_[out].resident)
            recent_.remove(out);
    }

    // The page moves or leaves: if it is the oldest of LRU's memory, the next one is.
    void leave_oldest(uint32_t number) {
        if (number == oldest_of_lru_ && of_lru_ > 1)
            oldest_of_lru_ = recent_.newer(number);
    }

    AddressBook &book_;
    const uint64_t frames_;
    const int64_t grant_; // frames, as credit: one extra fault for EXTRA frames
    int64_t credit_;      // faults that this memory may have more than LRU, times EXTRA
    uint64_t distance_;                 // M
    uint64_t at_risk_ = 0;              // pages
    uint64_t tried_ = 0, lost_ = 0;     // pages put at risk lately; those of them that faulted while at risk
    bool trusted_ = true; // pages are evicted from sequences
    std::vector<Page> pages_;
    RecencyList recent_; // pages in memory, and ghosts
    uint64_t residents_ = 0, of_lru_ = 0;
    uint32_t oldest_of_lru_ = AddressBook::NONE;
    SequenceVictims victims_;
};

} // namespace litemrc_native
