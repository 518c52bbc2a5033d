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
    for (int row = 0; row < ROWS; ++row) {
        HLS_PIPELINE // one row per cycle: each bank has one write port
        for (int bank = 0; bank < ROW_PAGES; ++bank)
            set_word(row, bank, initial_);
        tags_[row] = 0;
    }
    tag_ = 0;
    owed_ = 0;
    swept_ = 0;
}

fires_t RefCounters::step(const RefOp &op, const RefSettings &settings, reference_t &value) {
    const fires_t counting = counts(op, settings);
    fires_t fires = 0;
    value = 0;
    if (op.kind == REF_RESET) {
        begin_generation(settings.initials);
    } else if (counting == 0 && op.kind != REF_READ && op.kind != REF_LOAD) {
        sweep();
    } else {
        const int row = int(op.page / ROW_PAGES), bank = int(op.page % ROW_PAGES);
        renew(row);
        Word word = this->word(row, bank);
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
        set_word(row, bank, word);
    }
    return fires;
}

RefCounters::Word RefCounters::word(int row, int bank) const {
    Word word;
    unpack_into(words_[row][bank], word.counters[COUNTER_DELAY], word.counters[COUNTER_UPDATE]);
    return word;
}

void RefCounters::set_word(int row, int bank, const Word &word) {
    words_[row][bank] = packed<word_t>(word.counters[COUNTER_DELAY], word.counters[COUNTER_UPDATE]);
}

// Sets the pages of a row to the last reset's values, unless an operation has renewed it since.
void RefCounters::renew(int row) {
    if (tags_[row] == tag_)
        return;
    for (int bank = 0; bank < ROW_PAGES; ++bank) {
        HLS_UNROLL // each page of a row has its own bank
        set_word(row, bank, initial_);
    }
    tags_[row] = tag_;
}

void RefCounters::sweep() {
    if (owed_ == 0)
        return;
    renew(int(swept_));
    ++swept_;
    if (swept_ == ROWS)
        owed_ = 0;
}

void RefCounters::begin_generation(const reference_t initials[PAGE_COUNTERS]) {
    if (owed_ == MOST_OWED) {
        for (int row = 0; row < ROWS; ++row) { // as many as the sweep has left
            if (owed_ == 0)
                break;
            sweep();
        }
    }
    for (int counter = 0; counter < PAGE_COUNTERS; ++counter)
        initial_.counters[counter] = initials[counter];
    ++tag_;
    ++owed_;
    swept_ = 0;
}

void EventQueue::reset() {
    oldest_ = 0;
    level_ = 0;
    fired_ = 0;
    lost_ = 0;
}

void EventQueue::push(frame_t page, fires_t fires) {
    const int events = int(fires[COUNTER_DELAY]) + int(fires[COUNTER_UPDATE]);
    fired_ += events;
    if (level_ == EVENT_QUEUE) {
        lost_ += events;
    } else if (fires != 0) {
        entries_[place_t(oldest_ + level_) % EVENT_QUEUE] = packed<entry_t>(page, fires);
        ++level_;
    }
}

EventQueue::Entry EventQueue::entry() const {
    Entry entry;
    unpack_into(entries_[oldest_], entry.page, entry.fires);
    return entry;
}

RefEvent EventQueue::front() const {
    if (level_ == 0)
        return RefEvent{0, 0, 0};
    const Entry entry = this->entry();
    return RefEvent{1, entry.page, ap_uint<1>(!entry.fires[COUNTER_DELAY])};
}

void EventQueue::take() {
    if (level_ == 0)
        return;
    Entry entry = this->entry();
    entry.fires[front().counter] = 0;
    entries_[oldest_] = packed<entry_t>(entry.page, entry.fires);
    if (entry.fires == 0) {
        oldest_ = place_t(oldest_ + 1) % EVENT_QUEUE;
        --level_;
    }
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void ref_counters(hls::stream<litemrc::ref_op_word_t> &ops, litemrc::ref_setting_word_t delay,
                  litemrc::ref_setting_word_t update, hls::stream<litemrc::ref_answer_word_t> &answers,
                  ap_uint<32> &fired, ap_uint<32> &lost) {
    HLS_STREAM(ops)
    HLS_STREAM(answers)
    HLS_VALUE(delay) // registers outside: sampled with each operation
    HLS_VALUE(update)
    HLS_STROBED(fired) // the strobe marks that both counts are those of an operation
    HLS_VALUE(lost)    // to be sampled with fired's strobe
    HLS_FREE_RUNNING

    static litemrc::RefCounters counters;
    static litemrc::EventQueue queue;
    static bool zeroed = false;
    HLS_BANKS(counters.words_, 2) // a bank for each page of a row
    HLS_RESET(zeroed)             // memories keep their contents over a reset, so they must be zeroed again

    if (!zeroed) {
        counters.reset();
        queue.reset();
        zeroed = true;
    }
    litemrc::RefSettings settings;
    unpack_ref_setting(delay, settings, litemrc::COUNTER_DELAY);
    unpack_ref_setting(update, settings, litemrc::COUNTER_UPDATE);
    const litemrc::RefOp op = litemrc::unpack_ref_op(ops.read());
    litemrc::RefAnswer answer;
    queue.push(op.page, counters.step(op, settings, answer.value));
    answer.event = queue.front();
    if (op.take)
        queue.take();
    else
        answer.event.valid = 0;
    answers.write(pack(answer));
    fired = queue.fired();
    lost = queue.lost();
}
#endif
