#include "hit_counters.hpp"

namespace litemrc {

void HitCounters::reset() {
    overflow_ = false;
    window_overflow_ = false;
    epoch_ = 0;
    begin_sweep(true, false);
}

void HitCounters::count(const Counted &counted) {
    const Position &position = counted.position;
    const context_t context = position.context;
    const int counter = int(context) * GROUPS + int(position.group);
    switch (int(position.kind)) {
    case POSITION_HIT:
        set_hits(counter, incremented(hits(counter)));
        accesses_[context] = incremented(accesses_[context]);
        break;
    case POSITION_MISS:
        misses_[context] = incremented(misses_[context]);
        accesses_[context] = incremented(accesses_[context]);
        break;
    case POSITION_CLEAR:
        overflow_ = false;
        begin_sweep(true, position.epoch_end);
        return;
    default: // POSITION_NONE
        break;
    }
    if (counted.first_touch)
        touched_[context] = incremented(touched_[context]);
    if (position.epoch_end)
        begin_sweep(false, true);
}

counter_t HitCounters::incremented(counter_t counter) {
    const counter_t limit = ~counter_t(0);
    if (counter == limit) {
        overflow_ = true;
        return limit;
    }
    return counter + 1;
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
