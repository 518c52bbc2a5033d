#include "sequence_victims.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {

constexpr uint64_t IN_BLOCK = (uint64_t(1) << AddressBook::BLOCK_BITS) - 1;

uint64_t bit(uint64_t page) { return uint64_t(1) << (page & IN_BLOCK); }

} // namespace

void SequenceVictims::enter(uint32_t number) {
    if (in_memory_.size() < book_.blocks())
        in_memory_.resize(std::max<size_t>(book_.blocks(), in_memory_.size() + in_memory_.size() / 2));
    in_memory_[book_[number].block] |= bit(book_[number].page);
}

void SequenceVictims::leave(uint32_t number) { in_memory_[book_[number].block] &= ~bit(book_[number].page); }

uint32_t SequenceVictims::choose(uint64_t distance, bool again) {
    for (;;) {
        FaultSequence *best = nullptr;
        uint32_t space = 0;
        for (uint32_t other = 0; other < sequences_.size(); ++other) {
            FaultSequence *sequence = sequences_[other].most_recent(again);
            if (sequence && (!best || sequence->judged_time > best->judged_time)) {
                best = sequence;
                space = other;
            }
        }
        if (!best)
            return AddressBook::NONE;
        const uint32_t found = replaceable(space, *best, distance);
        if (found != AddressBook::NONE) {
            ++counts_.from_sequences;
            return found;
        }
        best->exhausted = true;
    }
}

// The first page in memory at least `distance` from the head, or NONE. It will be evicted: all up to it are on disk
// then.
uint32_t SequenceVictims::replaceable(uint32_t space, FaultSequence &sequence, uint64_t distance) {
    if (sequence.length() <= distance)
        return AddressBook::NONE;
    const uint64_t nearest = sequence.length() - 1 - distance;
    const bool down = sequence.grows_down();
    uint64_t offset = nearest;
    for (;;) {
        if (offset >= sequence.disk_from && offset < sequence.disk_to) {
            if (sequence.disk_from == 0)
                return AddressBook::NONE;
            offset = sequence.disk_from - 1;
        }
        const uint64_t page = sequence.page_at(offset);
        const uint64_t word = in_memory_[book_.block_of(space, page >> AddressBook::BLOCK_BITS)];
        const uint64_t farther = down ? word & -bit(page) : word & (bit(page) | (bit(page) - 1));
        if (farther) {
            const unsigned place = down ? __builtin_ctzll(farther) : 63 - __builtin_clzll(farther);
            const uint64_t steps = down ? place - (page & IN_BLOCK) : (page & IN_BLOCK) - place;
            if (steps > offset)
                return AddressBook::NONE; // beyond the tail
            offset -= steps;
            break;
        }
        const uint64_t step = down ? IN_BLOCK + 1 - (page & IN_BLOCK) : (page & IN_BLOCK) + 1;
        if (step > offset)
            return AddressBook::NONE;
        offset -= step;
    }
    const uint64_t end = nearest + 1;
    const bool joins = sequence.disk_from < sequence.disk_to && sequence.disk_from <= end && sequence.disk_to >= offset;
    sequence.disk_from = joins ? std::min(sequence.disk_from, offset) : offset;
    sequence.disk_to = joins ? std::max(sequence.disk_to, end) : end;
    return book_.number_of(space, sequence.page_at(offset));
}

uint64_t SequenceVictims::pages_swept() const {
    uint64_t pages = 0;
    for (const FaultSequences &sequences : sequences_)
        pages += sequences.pages_swept();
    return pages;
}

void SequenceVictims::mark_reused() {
    for (FaultSequences &sequences : sequences_)
        sequences.mark_reused();
}

SeqCounts SequenceVictims::counts() const {
    SeqCounts counts = counts_;
    for (const FaultSequences &sequences : sequences_) {
        counts.sequences_made += sequences.made();
        counts.sequences_most = std::max(counts.sequences_most, sequences.most());
    }
    return counts;
}

} // namespace litemrc_native
