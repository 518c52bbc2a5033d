// SPDX-License-Identifier: BSD-2-Clause
#include "fault_sequences.hpp"

#include <algorithm>
#include <utility>

namespace litemrc_native {

FaultSequences::FaultSequences(const SeqParameters &parameters)
    : parameters_(parameters), slots_(1), times_(parameters.recent) {
    slots_[ANCHOR].older = slots_[ANCHOR].newer = ANCHOR;
}

void FaultSequences::clear() {
    FaultSequences empty(parameters_);
    empty.made_ = made_;
    empty.most_ = most_;
    *this = std::move(empty);
}

// The position of the first sequence that begins above a page.
size_t FaultSequences::above(uint64_t page) const {
    return size_t(std::upper_bound(lows_.begin(), lows_.end(), page) - lows_.begin());
}

void FaultSequences::fault(uint64_t page, uint64_t time, bool refault) {
    // The sequence above the page is at position `next`, the one below it before position `below`.
    const size_t next = above(page);
    const bool inside = next > 0 && at(next - 1).high >= page;
    const size_t below = next - inside;
    const bool from_below = below > 0 && page > 0 && at(below - 1).high == page - 1 &&
                            at(below - 1).direction != Direction::down;
    const bool from_above = next < lows_.size() && page < UINT64_MAX && lows_[next] == page + 1 &&
                            at(next).direction != Direction::up;
    if (from_below || from_above) {
        const bool up = from_below && (!from_above || at(below - 1).last_fault > at(next).last_fault);
        extend(up ? below - 1 : next, page, time, refault);
        // Those at higher positions first: it leaves the others where they are.
        if (from_above && up)
            erase(next);
        if (inside)
            erase(next - 1);
        if (from_below && !up)
            erase(below - 1);
        return;
    }
    if (inside && refault)
        at(next - 1).refaults = uint32_t(parameters_.length);
    if (inside && !cut(next - 1, page))
        erase(next - 1);
    if (lows_.size() == parameters_.limit)
        erase(oldest());
    add(above(page), page, time, refault);
}

void FaultSequences::extend(size_t position, uint64_t page, uint64_t time, bool refault) {
    FaultSequence &sequence = at(position);
    if (page > sequence.high) {
        sequence.direction = Direction::up;
        sequence.high = page;
    } else {
        sequence.direction = Direction::down;
        sequence.low = lows_[position] = page;
    }
    sequence.exhausted = false;
    sequence.refaults += refault && sequence.refaults < parameters_.length;
    if (sequence.length() == parameters_.length)
        long_.push_back(by_low_[position]);
    unlink(by_low_[position]);
    record(by_low_[position], time);
}

// Keeps the pages before this one, in the direction of growth; returns false if there are none.
bool FaultSequences::cut(size_t position, uint64_t page) {
    FaultSequence &sequence = at(position);
    if (page == sequence.page_at(0))
        return false;
    const bool was_long = sequence.length() >= parameters_.length;
    if (sequence.grows_down())
        sequence.low = lows_[position] = page + 1;
    else
        sequence.high = page - 1;
    sequence.disk_to = std::min(sequence.disk_to, sequence.length());
    if (was_long && sequence.length() < parameters_.length)
        long_.erase(std::find(long_.begin(), long_.end(), by_low_[position]));
    return true;
}

void FaultSequences::add(size_t position, uint64_t page, uint64_t time, bool refault) {
    if (free_.empty()) {
        free_.push_back(Slot(slots_.size()));
        slots_.emplace_back();
        times_.resize(slots_.size() * parameters_.recent);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    slots_[slot] = {};
    slots_[slot].low = slots_[slot].high = page;
    slots_[slot].refaults = refault;
    record(slot, time);
    lows_.insert(lows_.begin() + ptrdiff_t(position), page);
    by_low_.insert(by_low_.begin() + ptrdiff_t(position), slot);
    ++made_;
    most_ = std::max<uint64_t>(most_, lows_.size());
    if (parameters_.length == 1)
        long_.push_back(slot);
}

void FaultSequences::erase(size_t position) {
    const Slot slot = by_low_[position];
    if (slots_[slot].length() >= parameters_.length)
        long_.erase(std::find(long_.begin(), long_.end(), slot));
    unlink(slot);
    free_.push_back(slot);
    lows_.erase(lows_.begin() + ptrdiff_t(position));
    by_low_.erase(by_low_.begin() + ptrdiff_t(position));
}

// The position of the oldest sequence of length below L, else below 2 L, 3 L ...
size_t FaultSequences::oldest() const {
    Slot found = ANCHOR;
    uint64_t multiple = UINT64_MAX;
    for (Slot slot = slots_[ANCHOR].newer; slot != ANCHOR && multiple > 0; slot = slots_[slot].newer) {
        const uint64_t of_this = slots_[slot].length() / parameters_.length;
        if (of_this < multiple) {
            multiple = of_this;
            found = slot;
        }
    }
    return size_t(std::lower_bound(lows_.begin(), lows_.end(), slots_[found].low) - lows_.begin());
}

// Records a fault of a sequence that is not in the list by age, and adds it as the newest.
void FaultSequences::record(Slot slot, uint64_t time) {
    FaultSequence &sequence = slots_[slot];
    uint64_t *times = &times_[size_t(slot) * parameters_.recent];
    times[sequence.next_time] = time;
    sequence.next_time = sequence.next_time + 1 == parameters_.recent ? 0 : sequence.next_time + 1;
    sequence.faults = std::min(sequence.faults + 1, parameters_.recent);
    sequence.last_fault = time;
    sequence.judged_time = times[sequence.faults == parameters_.recent ? sequence.next_time : 0];
    sequence.older = slots_[ANCHOR].older;
    sequence.newer = ANCHOR;
    slots_[sequence.older].newer = slot;
    slots_[ANCHOR].older = slot;
}

void FaultSequences::unlink(Slot slot) {
    slots_[slots_[slot].older].newer = slots_[slot].newer;
    slots_[slots_[slot].newer].older = slots_[slot].older;
}

FaultSequence *FaultSequences::most_recent(bool again) {
    FaultSequence *found = nullptr;
    for (const Slot slot : long_) {
        FaultSequence &sequence = slots_[slot];
        if (sequence.exhausted || (again && sequence.refaults < parameters_.length))
            continue;
        if (!found || sequence.judged_time > found->judged_time)
            found = &sequence;
    }
    return found;
}

void FaultSequences::mark_newest() {
    FaultSequence &newest = slots_[slots_[ANCHOR].older];
    if (newest.length() >= parameters_.length)
        newest.refaults = uint32_t(parameters_.length);
}

uint64_t FaultSequences::pages_swept() const {
    uint64_t pages = 0;
    for (const Slot slot : long_)
        pages += slots_[slot].length() - std::min(slots_[slot].length(), slots_[slot].reused);
    return pages;
}

void FaultSequences::mark_reused() {
    for (const Slot slot : long_)
        slots_[slot].reused = slots_[slot].length();
}

uint64_t FaultSequences::from_head(uint64_t page) const {
    const size_t next = above(page);
    if (next == 0 || at(next - 1).high < page)
        return UINT64_MAX;
    const FaultSequence &sequence = at(next - 1);
    return sequence.grows_down() ? page - sequence.low : sequence.high - page;
}

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
