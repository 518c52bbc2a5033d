// SPDX-License-Identifier: BSD-2-Clause
#include "working_set.hpp"

namespace litemrc {

void WorkingSet::reset() {
    tag_ = 0;
    swept_ = 0;
    zeroes_ = true;
}

ap_uint<1> WorkingSet::operate(const Op &op) {
    ap_uint<1> first_touch = 0;
    if (op.kind == OP_ACCESS || op.kind == OP_INVALIDATE) {
        const int word = int(op.frame / PAGES_PER_WORD);
        const set_word_t page = set_word_t(1) << int(op.frame % PAGES_PER_WORD);
        set_word_t pages = pages_of(word);
        first_touch = op.kind == OP_ACCESS && (pages & page) == 0;
        pages = op.kind == OP_ACCESS ? set_word_t(pages | page) : set_word_t(pages & ~page);
        set_word(word, Word{pages, tag_});
    } else if (swept_ != SET_WORDS) {
        sweep();
    }
    if (op.kind == OP_CLEAR || op.epoch_end)
        advance();
    return first_touch;
}

// The pages of a word in the set; none if the word is of another epoch.
WorkingSet::set_word_t WorkingSet::pages_of(int index) const {
    Word word;
    unpack_into(in_flight_.newest(index, words_[index]), word.pages, word.tag);
    return word.tag == tag_ ? word.pages : set_word_t(0);
}

void WorkingSet::set_word(int index, const Word &word) {
    words_[index] = in_flight_.written(index, packed<word_t>(word.pages, word.tag));
}

// Renews the next word, which gets the tag of this epoch.
void WorkingSet::sweep() {
    const set_word_t pages = pages_of(int(swept_));
    set_word(int(swept_), Word{zeroes_ ? set_word_t(0) : pages, tag_});
    ++swept_;
    zeroes_ = zeroes_ && swept_ != SET_WORDS;
}

void WorkingSet::advance() {
    if (half_ends())
        swept_ = 0;
    ++tag_;
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void working_set(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::touch_word_t> &first_touches HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_STREAM(first_touches)
    HLS_FREE_RUNNING
    HLS_PIPELINED_TOP // an operation or a word of the sweep per cycle

    static litemrc::WorkingSet set;
    static bool zeroed = false;
    HLS_FORWARDED(set.words_, litemrc::WORD_CYCLES)
    HLS_RESET(zeroed) // memories keep their contents over a reset, so they must be zeroed again

    if (!zeroed) {
        set.reset();
        zeroed = true;
    }
    if (set.due())
        set.sweep();
    else
        first_touches.write(set.operate(litemrc::unpack_op(ops.read())));
}
#endif
