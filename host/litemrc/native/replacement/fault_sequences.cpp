#include "fault_sequences.hpp"

#include <algorithm>

namespace litemrc_native {

size_t FaultSequences::after(uint64_t page) const {
    const auto found = std::upper_bound(by_low_.begin(), by_low_.end(), page,
                                        [&](uint64_t value, Slot slot) { return value < slots_[slot].low; });
    return size_t(found - by_low_.begin());
}

void FaultSequences::fault(uint64_t page, uint64_t time) {
    const size_t next = after(page); // the sequence above the page, if there is one
    const bool inside = next > 0 && slots_[by_low_[next - 1]].high >= page;
    const size_t below = next - inside; // the sequence below the page is the one before this position

    const bool from_below = below > 0 && page > 0 && slots_[by_low_[below - 1]].high == page - 1 &&
                            slots_[by_low_[below - 1]].direction != Direction::down;
    const bool from_above = next < by_low_.size() && page < UINT64_MAX && slots_[by_low_[next]].low == page + 1 &&
                            slots_[by_low_[next]].direction != Direction::up;
    if (from_below || from_above) {
        const Slot lower = from_below ? by_low_[below - 1] : 0, upper = from_above ? by_low_[next] : 0;
        const bool up = from_below && (!from_above || slots_[lower].last_fault > slots_[upper].last_fault);
        if (from_above && up)
            erase(next);
        if (inside)
            erase(next - 1);
        if (from_below && !up)
            erase(below - 1);
        extend(up ? lower : upper, page, time);
        return;
    }
    if (inside && !cut(by_low_[next - 1], page))
        erase(next - 1);
    if (by_low_.size() == parameters_.limit)
        erase_oldest();
    add(page, time);
}

void FaultSequences::extend(Slot slot, uint64_t page, uint64_t time) {
    FaultSequence &sequence = slots_[slot];
    const bool up = page > sequence.high;
    sequence.direction = up ? Direction::up : Direction::down;
    (up ? sequence.high : sequence.low) = page;
    sequence.exhausted = false;
    record(slot, time);
}

// Keeps the pages before this one, in the direction of growth; false if there are none.
bool FaultSequences::cut(Slot slot, uint64_t page) {
    FaultSequence &sequence = slots_[slot];
    if (page == sequence.page_at(0))
        return false;
    if (sequence.grows_down())
        sequence.low = page + 1;
    else
        sequence.high = page - 1;
    sequence.disk_to = std::min(sequence.disk_to, sequence.length());
    return true;
}

void FaultSequences::add(uint64_t page, uint64_t time) {
    if (free_.empty()) {
        free_.push_back(Slot(slots_.size()));
        slots_.emplace_back();
        times_.resize(slots_.size() * parameters_.recent);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    slots_[slot] = {page, page, Direction::nil, false, 0, 0, time, time, 0, 0};
    record(slot, time);
    by_low_.insert(by_low_.begin() + ptrdiff_t(after(page)), slot);
}

void FaultSequences::record(Slot slot, uint64_t time) {
    FaultSequence &sequence = slots_[slot];
    uint64_t *times = &times_[size_t(slot) * parameters_.recent];
    times[sequence.next_time] = time;
    sequence.next_time = sequence.next_time + 1 == parameters_.recent ? 0 : sequence.next_time + 1;
    sequence.faults = std::min(sequence.faults + 1, parameters_.recent);
    sequence.last_fault = time;
    sequence.judged_time = times[sequence.faults == parameters_.recent ? sequence.next_time : 0];
}

void FaultSequences::erase(size_t position) {
    free_.push_back(by_low_[position]);
    by_low_.erase(by_low_.begin() + ptrdiff_t(position));
}

// The oldest of length below L, else below 2 L, 3 L ...
void FaultSequences::erase_oldest() {
    size_t oldest = 0;
    uint64_t multiple = UINT64_MAX, time = UINT64_MAX;
    for (size_t position = 0; position < by_low_.size(); ++position) {
        const FaultSequence &sequence = slots_[by_low_[position]];
        if (sequence.last_fault > time && multiple == 0)
            continue; // no division for most
        const uint64_t of_this = sequence.length() / parameters_.length;
        if (of_this < multiple || (of_this == multiple && sequence.last_fault < time)) {
            oldest = position;
            multiple = of_this;
            time = sequence.last_fault;
        }
    }
    erase(oldest);
}

FaultSequence *FaultSequences::most_recent() {
    FaultSequence *found = nullptr;
    for (const Slot slot : by_low_) {
        FaultSequence &sequence = slots_[slot];
        if (sequence.exhausted || sequence.length() < parameters_.length)
            continue;
        if (!found || sequence.judged_time > found->judged_time)
            found = &sequence;
    }
    return found;
}

} // namespace litemrc_native
