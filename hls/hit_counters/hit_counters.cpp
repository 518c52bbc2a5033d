#include "hit_counters.hpp"

namespace litemrc {

void HitCounters::reset() {
    clear();
    window_overflow_ = false;
    epoch_ = 0;
}

void HitCounters::clear() {
    for (int context = 0; context < CONTEXTS; ++context) {
        misses_[context] = 0;
        accesses_[context] = 0;
        touched_[context] = 0;
        for (int group = 0; group < GROUPS; ++group) {
            HLS_PIPELINE // one counter per cycle: the array has one write port
            hits_[context][group] = 0;
        }
    }
    overflow_ = false;
}

bool HitCounters::step(const Counted &counted, counter_t window[WINDOW_WORDS]) {
    const Position &position = counted.position;
    const context_t context = position.context;
    switch (int(position.kind)) {
    case POSITION_HIT:
        hits_[context][position.group] = incremented(hits_[context][position.group]);
        accesses_[context] = incremented(accesses_[context]);
        break;
    case POSITION_MISS:
        misses_[context] = incremented(misses_[context]);
        accesses_[context] = incremented(accesses_[context]);
        break;
    case POSITION_CLEAR:
        clear();
        break;
    default: // POSITION_NONE
        break;
    }
    if (counted.first_touch)
        touched_[context] = incremented(touched_[context]);
    if (position.epoch_end)
        publish(window);
    return position.epoch_end;
}

counter_t HitCounters::incremented(counter_t counter) {
    const counter_t limit = ~counter_t(0);
    if (counter == limit) {
        overflow_ = true;
        return limit;
    }
    return counter + 1;
}

void HitCounters::publish(counter_t window[WINDOW_WORDS]) {
    for (int context = 0; context < CONTEXTS; ++context) {
        for (int i = 0; i < 2 * GROUPS; ++i) {
            HLS_PIPELINE // one word per cycle: the window has one write port
            counter_t word = 0;
            if (i < GROUPS)
                word = hits_[context][i];
            else if (i == GROUPS)
                word = misses_[context];
            else if (i == GROUPS + 1)
                word = accesses_[context];
            else if (i == GROUPS + 2)
                word = touched_[context];
            window[context * 2 * GROUPS + i] = word;
        }
    }
    window_overflow_ = overflow_;
    ++epoch_;
    clear();
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void hit_counters(hls::stream<litemrc::counted_word_t> &positions, litemrc::counter_t window[litemrc::WINDOW_WORDS],
                  ap_uint<32> &epoch, ap_uint<1> &overflow) {
    HLS_STREAM(positions)
    HLS_RAM(window)    // software reads its other port
    HLS_STROBED(epoch) // the strobe marks a new window
    HLS_VALUE(overflow) // to be sampled with epoch's strobe
    HLS_STARTED

    static litemrc::HitCounters counters;
    static bool swept = false;
    HLS_RESET(swept) // memories keep their contents over a reset, so the sweep must run again

    if (!swept) {
        counters.reset();
        swept = true;
    }
    if (counters.step(litemrc::unpack_counted(positions.read()), window)) {
        overflow = counters.overflow();
        epoch = counters.epoch();
    }
}
#endif
