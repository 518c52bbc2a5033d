// SPDX-License-Identifier: BSD-2-Clause
#include "hit_counters.hpp"

namespace litemrc {

void HitCounters::reset() {
    overflow_ = false;
    window_overflow_ = false;
    epoch_ = 0;
    begin_sweep(true, false);
}

// All counters of the context are read and written, whether they change or not: branches would cost cycles.
void HitCounters::count(const Counted &counted) {
    const Position &position = counted.position;
    const context_t context = position.context;
    const int counter = int(context) * GROUPS + int(position.group);
    const bool hit = position.kind == POSITION_HIT, miss = position.kind == POSITION_MISS;
    const bool clears = position.kind == POSITION_CLEAR;
    bool overflow = overflow_;
    set_hits(counter, counted_up(hits(counter), hit, overflow));
    misses_[context] = counted_up(misses_[context], miss, overflow);
    accesses_[context] = counted_up(accesses_[context], hit || miss, overflow);
    touched_[context] = counted_up(touched_[context], counted.first_touch, overflow);
    overflow_ = overflow && !clears;
    if (clears || position.epoch_end)
        begin_sweep(clears, position.epoch_end);
}

counter_t HitCounters::counted_up(const counter_t &counter, bool counts, bool &overflow) {
    const bool full = counter == ~counter_t(0);
    overflow = overflow || (counts && full);
    return counts && !full ? counter_t(counter + 1) : counter;
}

void HitCounters::begin_sweep(bool clears, bool publishes) {
    sweeps_ = true;
    clears_ = clears;
    publishes_ = publishes;
    swept_ = 0;
}

bool HitCounters::sweep(counter_t window[WINDOW_WORDS]) {
    const int context = int(swept_) / (2 * GROUPS), i = int(swept_) % (2 * GROUPS);
    counter_t word = 0;
    if (i < GROUPS) {
        word = hits(context * GROUPS + i);
        set_hits(context * GROUPS + i, 0);
    } else if (i == GROUPS) {
        word = misses_[context];
        misses_[context] = 0;
    } else if (i == GROUPS + 1) {
        word = accesses_[context];
        accesses_[context] = 0;
    } else if (i == GROUPS + 2) {
        word = touched_[context];
        touched_[context] = 0;
    }
    if (publishes_)
        window[swept_] = clears_ ? counter_t(0) : word;
    sweeps_ = swept_ != WINDOW_WORDS - 1;
    swept_ += 1;
    const bool published = publishes_ && !sweeps_;
    if (published) {
        window_overflow_ = overflow_;
        overflow_ = false;
        ++epoch_;
    }
    return published;
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void hit_counters(hls::stream<litemrc::counted_word_t> &positions, litemrc::counter_t window[litemrc::WINDOW_WORDS],
                  hls::stream<litemrc::published_word_t> &epochs HLS_RESTART) {
    HLS_STREAM(positions)
    HLS_RAM(window) // software reads its other port
    HLS_STREAM(epochs)
    HLS_STARTED
    HLS_PIPELINED_TOP // a position or a swept counter per cycle

    static litemrc::HitCounters counters;
    static bool swept = false;
    HLS_FORWARDED(counters.hits_, litemrc::HIT_CYCLES)
    HLS_REGISTERS(counters.misses_) // small, and read and written in one cycle
    HLS_REGISTERS(counters.accesses_)
    HLS_REGISTERS(counters.touched_)
    HLS_RESET(swept) // memories keep their contents over a reset, so the sweep must run again

    if (!swept) {
        counters.reset();
        swept = true;
    }
    if (!counters.sweeps()) {
        counters.count(litemrc::unpack_counted(positions.read()));
    } else if (counters.sweep(window)) {
        epochs.write(pack(litemrc::Published{counters.epoch(), counters.overflow()}));
    }
}
#endif
