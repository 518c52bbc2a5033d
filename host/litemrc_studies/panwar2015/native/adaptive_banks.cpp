// SPDX-License-Identifier: BSD-2-Clause
// Banks: they join and leave pools in bounded steps.
#include "adaptive.hpp"

namespace litemrc_native {

void Adaptive::help_first() {
    const uint32_t index = on_the_way_.front();
    if (banks_[index].state != OFF && !advance(index, parameters_.moves_per_operation))
        return;
    banks_[index].queued = false;
    on_the_way_.pop_front();
    if (banks_[index].state == EMPTIED) // only just
        queue(index);
}

bool Adaptive::isolate(uint32_t unit) {
    const uint32_t index = of_unit(unit);
    Bank &bank = banks_[index];
    if (bank.state == POOLED)
        enter(index, ISOLATED);
    return bank.state != ISOLATED || advance(index, parameters_.moves_per_operation);
}

bool Adaptive::rejoin(uint32_t unit) {
    const uint32_t index = of_unit(unit);
    Bank &bank = banks_[index];
    if (bank.state == ISOLATED)
        enter(index, POOLED);
    return bank.state != POOLED || advance(index, parameters_.moves_per_operation);
}

bool Adaptive::tidy() {
    help();
    if (!on_the_way_.empty())
        return false;
    for (uint32_t visits = 0; tidied_ < banks_.size(); ++tidied_, ++visits) {
        if (visits == VISITS_PER_MOVE)
            return false;
        if (is_empty(tidied_))
            leave_if_spare(tidied_);
    }
    tidied_ = 0;
    return on_the_way_.empty();
}

// A bank that is off and lies nearest to the end of its zone that this kind grows from, or NO_BANK.
uint32_t Adaptive::off_bank(uint32_t zone, Kind kind) const {
    const uint32_t begin = segments_.begin(zone), end = segments_.end(zone);
    const uint32_t first = begin / 64, words = (end + 63) / 64 - first;
    for (uint32_t at = 0; at < words; ++at) {
        const uint32_t word = kind == KERNEL ? first + at : first + words - 1 - at;
        uint64_t bits = off_[word];
        if (word == begin / 64)
            bits &= ~uint64_t(0) << begin % 64;
        if (word == end / 64)
            bits &= ~(~uint64_t(0) << end % 64);
        if (bits)
            return word * 64 + uint32_t(kind == KERNEL ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits));
    }
    return NO_BANK;
}

uint32_t Adaptive::bring(uint32_t zone, Kind kind) {
    const uint32_t index = off_bank(zone, kind);
    if (index != NO_BANK) {
        banks_[index].kind = kind;
        enter(index, POOLED);
        queue(index);
    }
    return index;
}

void Adaptive::enter(uint32_t index, State state) {
    Bank &bank = banks_[index];
    // Of a unit that crosses a border this is wrong when it is in use, but then it never leaves its pool.
    const uint32_t free = bank.frames - memory_.unit(segments_[index].unit).used;
    if (bank.state == POOLED)
        pool_of(bank).free -= free;
    bank.whole = bank.state != ISOLATED || memory_.unit(segments_[index].unit).used == 0;
    bank.state = state;
    bank.cursor = 0;
    if (state == POOLED)
        pool_of(bank).free += free;
    for (const uint32_t block : segments_[index].blocks)
        pool_of_block_[block >> MAX_ORDER] = state == POOLED ? 2 * bank.zone + bank.kind : NO_POOL;
    const uint64_t bit = uint64_t(1) << index % 64;
    off_[index / 64] = state == OFF ? off_[index / 64] | bit : off_[index / 64] & ~bit;
}

void Adaptive::queue(uint32_t index) {
    if (!banks_[index].queued)
        on_the_way_.push_back(index);
    banks_[index].queued = true;
}

// Puts some more of a bank's free blocks where they belong; true: all are.
bool Adaptive::advance(uint32_t index, uint32_t moves) {
    Bank &bank = banks_[index];
    const Segment &segment = segments_[index];
    for (uint32_t visits = moves * VISITS_PER_MOVE; bank.cursor < bank.frames; --visits) {
        if (moves == 0 || visits == 0)
            return false;
        ++visits_;
        const uint32_t frame = segment.blocks[bank.cursor >> MAX_ORDER] + bank.cursor % LARGEST_BLOCK;
        const uint32_t step = memory_.state(frame) == INSIDE ? 1 : block_frames(memory_.order(frame));
        if (memory_.is_free(frame) && put(bank, frame)) {
            ++moves_;
            --moves;
        }
        bank.cursor += step;
    }
    if (bank.state == LEAVING || bank.state == EMPTIED) {
        enter(index, OFF);
    } else if (bank.state == ISOLATED && is_empty(index)) {
        enter(index, EMPTIED);
        queue(index);
    }
    return true;
}

// Moves a free block to the lists of its bank's state, or off all of them; false: it is there.
bool Adaptive::put(const Bank &bank, uint32_t frame) {
    const unsigned order = memory_.order(frame);
    const uint8_t now = memory_.state(frame) & FREE_BITS;
    const uint8_t then = bank.state == POOLED ? FREE_LISTED : bank.state == ISOLATED ? FREE_ISOLATED : FREE_HELD;
    if (now == then)
        return false;
    if (now != FREE_HELD)
        memory_.unlink(frame);
    if (then == FREE_LISTED)
        pool_of(bank).lists.add_last(frame, order);
    else if (then == FREE_ISOLATED)
        isolated_[bank.zone].add(frame, order);
    else
        memory_.set_state(frame, FREE_HELD, order);
    return true;
}

void Adaptive::leave_if_spare(uint32_t index) {
    const Bank &bank = banks_[index];
    if (bank.state != POOLED || segments_[index].crossing ||
        pool_of(bank).free < uint64_t(bank.frames) + parameters_.reserve_frames + bank.frames / 4)
        return;
    enter(index, LEAVING);
    queue(index);
}

} // namespace litemrc_native
