// SPDX-License-Identifier: BSD-2-Clause
// Imitates LRU, careful SEQ or SEQ, whichever faults least; equal to golden/seq_adaptive.py.
//
// The three candidates run beside this memory with the same references and frames. They know which pages they would
// hold; only this memory's pages are real.
#pragma once

#include "address_book.hpp"
#include "lru_memory.hpp"
#include "memory.hpp"
#include "seq_memory.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace litemrc_native {

class SeqAdaptiveMemory final : public MemoryOf<SeqAdaptiveMemory> {
  public:
    static constexpr int64_t EXTRA = 50;      // LRU's faults that grant one fault more than LRU
    static constexpr int64_t SWITCH = 100;    // frames for each fault by which a candidate that is imitated may be worse

    SeqAdaptiveMemory(AddressBook &book, uint64_t frames, const SeqParameters &parameters)
        : book_(book), frames_(frames), size_(int64_t(std::min(frames, MOST_FRAMES))), lru_(book, frames),
          careful_(book, frames, parameters, true), seq_(book, frames, parameters), credit_(size_) {}

    bool reference(uint32_t number) override {
        make_room();
        std::array<bool, CANDIDATES> faults;
        faults[LRU] = lru_.reference(number);
        faults[CAREFUL] = careful_.refer(number, !faults[LRU]);
        faults[SEQ] = seq_.reference(number);
        follow(LRU, lru_, number, faults[LRU]);
        follow(CAREFUL, careful_, number, faults[CAREFUL]);
        follow(SEQ, seq_, number, faults[SEQ]);
        const bool fault = !resident_[number];
        compare(faults);
        account(faults, fault);
        if (fault)
            load(number);
        return fault;
    }

    void release(uint32_t number) override {
        lru_.release(number);
        careful_.release(number);
        seq_.release(number);
        if (number < resident_.size() && resident_[number])
            remove(number);
    }

    void forget(uint32_t space) override {
        careful_.forget(space);
        seq_.forget(space);
    }

    // Evictions are this memory's; sequences are those of SEQ.
    SeqCounts counts() const {
        SeqCounts counts = seq_.counts();
        counts.from_sequences = from_sequences_;
        counts.by_lru = by_lru_;
        return counts;
    }

  private:
    enum { LRU, CAREFUL, SEQ, CANDIDATES };
    static constexpr uint64_t MOST_FRAMES = uint64_t(1) << 48; // keeps credit in 64 bits

    // Pages that this memory holds and a candidate does not, in the order in which the candidate evicted them.
    struct Strays {
        RecencyList pages;
        std::vector<bool> from_sequence;
    };

    void make_room() {
        if (resident_.size() >= book_.size())
            return;
        resident_.resize(std::max(book_.size(), resident_.size() + resident_.size() / 2));
        for (Strays &strays : strays_) {
            strays.pages.make_room(resident_.size());
            strays.from_sequence.resize(resident_.size());
        }
    }

    template <typename Candidate> void follow(size_t which, const Candidate &candidate, uint32_t number, bool fault) {
        if (!fault)
            return;
        Strays &strays = strays_[which];
        if (strays.pages.contains(number))
            strays.pages.remove(number);
        const uint32_t victim = candidate.victim();
        if (victim != AddressBook::NONE && resident_[victim]) {
            strays.pages.insert(victim);
            strays.from_sequence[victim] = candidate.from_sequence();
        }
    }

    // Imitates the candidate with the fewest faults lately if it is better by enough.
    void compare(const std::array<bool, CANDIDATES> &faults) {
        for (size_t which = 0; which < CANDIDATES; ++which)
            behind_[which] += faults[which];
        const int64_t least = *std::min_element(behind_.begin(), behind_.end());
        for (int64_t &behind : behind_)
            behind = std::min(behind - least, size_);
        if (SWITCH * behind_[imitated_] >= size_)
            imitated_ = size_t(std::min_element(behind_.begin(), behind_.end()) - behind_.begin());
    }

    void account(const std::array<bool, CANDIDATES> &faults, bool fault) {
        if (in_debt_)
            credit_ += (int64_t(faults[LRU]) - int64_t(faults[imitated_])) * EXTRA / 2;
        credit_ += faults[LRU] * (EXTRA + 1) - fault * EXTRA;
        credit_ = std::min(credit_, EXTRA * size_ / 4);
        if (credit_ < 0)
            in_debt_ = true;
        else if (credit_ >= size_)
            in_debt_ = false;
    }

    void load(uint32_t number) {
        victim_ = AddressBook::NONE;
        from_sequence_ = false;
        if (residents_ == frames_) {
            // There is a stray: the candidate holds at most as many pages, and one of them is the new one.
            const Strays &strays = strays_[in_debt_ ? size_t(LRU) : imitated_];
            victim_ = strays.pages.oldest();
            from_sequence_ = strays.from_sequence[victim_];
            ++(from_sequence_ ? from_sequences_ : by_lru_);
            remove(victim_);
        }
        resident_[number] = true;
        ++residents_;
    }

    void remove(uint32_t number) {
        for (Strays &strays : strays_)
            if (strays.pages.contains(number))
                strays.pages.remove(number);
        resident_[number] = false;
        --residents_;
    }

    AddressBook &book_;
    const uint64_t frames_;
    const int64_t size_; // frames
    LruMemory lru_;
    SeqMemory careful_, seq_;
    std::array<Strays, CANDIDATES> strays_;
    std::array<int64_t, CANDIDATES> behind_{}; // faults more than the candidate with the fewest, at most `size_`
    size_t imitated_ = CAREFUL;
    int64_t credit_;       // faults that this memory may have more than LRU, times EXTRA
    bool in_debt_ = false; // imitates LRU
    std::vector<bool> resident_;
    uint64_t residents_ = 0;
    uint64_t from_sequences_ = 0, by_lru_ = 0; // evictions
};

} // namespace litemrc_native
