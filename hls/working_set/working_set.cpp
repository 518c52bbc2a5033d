#include "working_set.hpp"

namespace litemrc {

void WorkingSet::reset() {
    for (int word = 0; word < SET_WORDS; ++word) {
        HLS_PIPELINE // one word per cycle: the array has one write port
        set_word(word, Word{0, 0});
    }
    tag_ = 0;
    swept_ = SET_WORDS;
}

ap_uint<1> WorkingSet::step(const Op &op) {
    ap_uint<1> first_touch = 0;
    if (op.kind == OP_ACCESS || op.kind == OP_INVALIDATE) {
        const int word = int(op.frame / PAGES_PER_WORD);
        const set_word_t page = set_word_t(1) << int(op.frame % PAGES_PER_WORD);
        set_word_t pages = pages_of(word);
        first_touch = op.kind == OP_ACCESS && (pages & page) == 0;
        pages = op.kind == OP_ACCESS ? set_word_t(pages | page) : set_word_t(pages & ~page);
        set_word(word, Word{pages, tag_});
    } else {
        sweep();
    }
    if (op.kind == OP_CLEAR || op.epoch_end)
        advance();
    return first_touch;
}

// The pages of a word in the set; none if the word is of another epoch.
WorkingSet::set_word_t WorkingSet::pages_of(int index) const {
    Word word;
    unpack_into(words_[index], word.pages, word.tag);
    return word.tag == tag_ ? word.pages : set_word_t(0);
}

void WorkingSet::set_word(int index, const Word &word) { words_[index] = packed<word_t>(word.pages, word.tag); }

// Renews the next word, which gets the tag of this epoch.
void WorkingSet::sweep() {
    if (swept_ == SET_WORDS)
        return;
    set_word(int(swept_), Word{pages_of(int(swept_)), tag_});
    ++swept_;
}

void WorkingSet::advance() {
    const tag_t next = tag_ + 1;
    if (next[TAG_BITS - 1] != tag_[TAG_BITS - 1]) {
        for (int word = 0; word < SET_WORDS; ++word) { // as many as the sweep has left
            if (swept_ == SET_WORDS)
                break;
            sweep();
        }
        swept_ = 0;
    }
    tag_ = next;
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void working_set(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::touch_word_t> &first_touches) {
    HLS_STREAM(ops)
    HLS_STREAM(first_touches)
    HLS_FREE_RUNNING

    static litemrc::WorkingSet set;
    static bool zeroed = false;
    HLS_RESET(zeroed) // memories keep their contents over a reset, so they must be zeroed again

    if (!zeroed) {
        set.reset();
        zeroed = true;
    }
    first_touches.write(set.step(litemrc::unpack_op(ops.read())));
}
#endif
