// SPDX-License-Identifier: BSD-2-Clause
#include "ref_counters.hpp"

namespace litemrc {

fires_t counts(const RefOp &op, const RefSettings &settings) {
    fires_t counting = 0;
    for (int counter = 0; counter < PAGE_COUNTERS; ++counter) {
        HLS_UNROLL // two selectors in parallel
        const RefSelector &selector = settings.selectors[counter];
        counting[counter] = op.kind == REF_REQUEST && (op.write ? selector.writes : selector.reads) &&
                            selector.masters[op.master] && selector.contexts[op.context] &&
                            op.page >= selector.lower && op.page <= selector.upper;
    }
    return counting;
}

void RefCounters::reset() {
    for (int counter = 0; counter < PAGE_COUNTERS; ++counter)
        initial_.counters[counter] = 0;
    tag_ = 0;
    owed_ = 1;
    swept_ = 0;
    zeroes_ = true;
}

fires_t RefCounters::step(const RefOp &op, const RefSettings &settings, reference_t &value) {
    while (waits(op))
        sweep();
    return operate(op, settings, value);
}

fires_t RefCounters::operate(const RefOp &op, const RefSettings &settings, reference_t &value) {
    const fires_t counting = counts(op, settings);
    fires_t fires = 0;
    value = 0;
    if (op.kind == REF_RESET) {
        begin_generation(settings.initials);
    } else if (counting == 0 && op.kind != REF_READ && op.kind != REF_LOAD) {
        sweep();
    } else {
        const int row = int(op.page / ROW_PAGES), bank = int(op.page % ROW_PAGES);
        const bool stale = is_stale(row);
        Word word = stale ? initial_ : this->word(row, bank);
        for (int counter = 0; counter < PAGE_COUNTERS; ++counter) {
            HLS_UNROLL // two counters in parallel
            reference_t &count = word.counters[counter];
            const bool meant = op.kind != REF_REQUEST && op.counter == counter;
            if (meant && op.kind == REF_LOAD)
                count = op.value;
            if (meant)
                value = count;
            if (counting[counter] && count != 0) {
                fires[counter] = count == 1;
                count = count - 1;
            }
        }
        set_word(row, bank, word, stale);
    }
    return fires;
}

RefCounters::Word RefCounters::word(int row, int bank) const {
    Word word;
    unpack_into(words_in_flight_[bank].newest(row, words_[bank][row]), word.counters[COUNTER_DELAY],
                word.counters[COUNTER_UPDATE]);
    return word;
}

// Writes a page. In a stale row the other pages get the last reset's values, unless an operation has renewed it since.
void RefCounters::set_word(int row, int bank, const Word &word, bool stale) {
    const word_t mine = packed<word_t>(word.counters[COUNTER_DELAY], word.counters[COUNTER_UPDATE]);
    const word_t others = packed<word_t>(initial_.counters[COUNTER_DELAY], initial_.counters[COUNTER_UPDATE]);
    for (int other = 0; other < ROW_PAGES; ++other) {
        HLS_UNROLL // each page of a row has its own bank, which is written once
        if (other == bank || stale)
            words_[other][row] = words_in_flight_[other].written(row, other == bank ? mine : others);
    }
    if (stale)
        tags_[row] = tags_in_flight_.written(row, tag_);
}

// Renews the next row, unless an operation has done so since the last reset.
void RefCounters::sweep() {
    if (owed_ == 0)
        return;
    const int row = int(swept_);
    if (zeroes_ || is_stale(row))
        set_word(row, 0, initial_, true);
    ++swept_;
    if (swept_ == ROWS) {
        owed_ = 0;
        zeroes_ = false;
    }
}

void RefCounters::begin_generation(const reference_t initials[PAGE_COUNTERS]) {
    for (int counter = 0; counter < PAGE_COUNTERS; ++counter)
        initial_.counters[counter] = initials[counter];
    ++tag_;
    ++owed_;
    swept_ = 0;
}

void EventQueue::reset() {
    oldest_ = 0;
    level_ = 0;
    delay_taken_ = false;
    fired_ = 0;
    lost_ = 0;
}

void EventQueue::push(frame_t page, fires_t fires) {
    const int events = int(fires[COUNTER_DELAY]) + int(fires[COUNTER_UPDATE]);
    fired_ += events;
    if (level_ == EVENT_QUEUE) {
        lost_ += events;
    } else if (fires != 0) {
        const int place = int(place_t(oldest_ + level_)) % EVENT_QUEUE;
        entries_[place] = in_flight_.written(place, packed<entry_t>(page, fires));
        ++level_;
    }
}

EventQueue::Entry EventQueue::entry() const {
    Entry entry;
    unpack_into(in_flight_.newest(int(oldest_), entries_[oldest_]), entry.page, entry.fires);
    if (delay_taken_)
        entry.fires[COUNTER_DELAY] = 0;
    return entry;
}

RefEvent EventQueue::first_event(const Entry &entry) {
    return RefEvent{1, entry.page, ap_uint<1>(!entry.fires[COUNTER_DELAY])};
}

RefEvent EventQueue::front() const { return level_ == 0 ? RefEvent{0, 0, 0} : first_event(entry()); }

RefEvent EventQueue::take() {
    if (level_ == 0)
        return RefEvent{0, 0, 0};
    const Entry entry = this->entry();
    delay_taken_ = entry.fires[COUNTER_DELAY] && entry.fires[COUNTER_UPDATE];
    if (!delay_taken_) {
        oldest_ = place_t(oldest_ + 1) % EVENT_QUEUE;
        level_ -= 1; // -- of an ap_uint is an error with Bambu
    }
    return first_event(entry);
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void ref_counters(hls::stream<litemrc::ref_op_word_t> &ops, litemrc::ref_setting_word_t delay,
                  litemrc::ref_setting_word_t update, hls::stream<litemrc::ref_answer_word_t> &answers
                      HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_STREAM(answers)
    HLS_VALUE(delay) // registers outside: sampled with each operation
    HLS_VALUE(update)
    HLS_FREE_RUNNING
    HLS_PIPELINED_TOP // an operation or a row of the sweep per cycle

    static litemrc::RefCounters counters;
    static litemrc::EventQueue queue;
    static litemrc::RefOp op;
    static bool zeroed = false;
    static bool op_waits = false;
    HLS_BANKS(counters.words_, 1) // a bank for each page of a row
    HLS_REGISTERS(counters.words_in_flight_)
    HLS_FORWARDED(counters.words_, litemrc::PAGE_CYCLES)
    HLS_FORWARDED(counters.tags_, litemrc::PAGE_CYCLES)
    HLS_FORWARDED(queue.entries_, litemrc::EVENT_CYCLES)
    HLS_FORWARDED_AT_ONCE(queue.entries_)
    HLS_RESET(zeroed) // memories keep their contents over a reset, so they must be zeroed again
    HLS_RESET(op_waits)

    if (!zeroed) {
        counters.reset();
        queue.reset();
        zeroed = true;
    }
    if (!op_waits)
        op = litemrc::unpack_ref_op(ops.read());
    op_waits = counters.waits(op);
    if (op_waits) {
        counters.sweep();
        return;
    }
    litemrc::RefSettings settings;
    unpack_ref_setting(delay, settings, litemrc::COUNTER_DELAY);
    unpack_ref_setting(update, settings, litemrc::COUNTER_UPDATE);
    litemrc::RefAnswer answer{0, {0, 0, 0}, 0, 0};
    queue.push(op.page, counters.operate(op, settings, answer.value));
    if (op.take)
        answer.event = queue.take();
    answer.fired = queue.fired();
    answer.lost = queue.lost();
    answers.write(pack(answer));
}
#endif
