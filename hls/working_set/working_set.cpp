#include "working_set.hpp"

namespace litemrc {

void WorkingSet::reset() {
    for (int word = 0; word < SET_WORDS; ++word) {
#pragma HLS pipeline II = 1 // one word per cycle: the array has one write port
        words_[word] = Word{0, 0};
    }
    tag_ = 0;
    swept_ = SET_WORDS;
}

ap_uint<1> WorkingSet::step(const Op &op) {
    ap_uint<1> first_touch = 0;
    if (op.kind == OP_ACCESS || op.kind == OP_INVALIDATE) {
        Word &word = words_[op.frame / PAGES_PER_WORD];
        const set_word_t page = set_word_t(1) << int(op.frame % PAGES_PER_WORD);
        set_word_t pages = pages_of(word);
        first_touch = op.kind == OP_ACCESS && (pages & page) == 0;
        pages = op.kind == OP_ACCESS ? set_word_t(pages | page) : set_word_t(pages & ~page);
        word = Word{pages, tag_};
    } else {
        sweep();
    }
    if (op.kind == OP_CLEAR || op.epoch_end)
        advance();
    return first_touch;
}

WorkingSet::set_word_t WorkingSet::pages_of(const Word &word) const {
    return word.tag == tag_ ? word.pages : set_word_t(0);
}

// Renews the next word, which gets the tag of this epoch.
void WorkingSet::sweep() {
    if (swept_ == SET_WORDS)
        return;
    Word &word = words_[swept_];
    word = Word{pages_of(word), tag_};
    ++swept_;
}

void WorkingSet::advance() {
    const tag_t next = tag_ + 1;
    if (next[TAG_BITS - 1] != tag_[TAG_BITS - 1]) {
        for (int word = 0; word < SET_WORDS; ++word) {
#pragma HLS loop_tripcount min = 0 max = SET_WORDS // as many as the sweep has left
            if (swept_ == SET_WORDS)
                break;
            sweep();
        }
        swept_ = 0;
    }
    tag_ = next;
}

} // namespace litemrc

void working_set(hls::stream<litemrc::Op> &ops, hls::stream<ap_uint<1>> &first_touches) {
#pragma HLS interface mode = axis port = ops // valid/ready
#pragma HLS interface mode = axis port = first_touches
#pragma HLS interface mode = ap_ctrl_none port = return // free-running, driven by its streams
#pragma HLS aggregate variable = ops compact = bit      // a record is one word without padding

    static litemrc::WorkingSet set;
    static bool zeroed = false;
#pragma HLS aggregate variable = set.words_ compact = bit // 36 bits: the width of a block RAM
#pragma HLS reset variable = zeroed // memories keep their contents over a reset, so they must be zeroed again

    if (!zeroed) {
        set.reset();
        zeroed = true;
    }
    first_touches.write(set.step(ops.read()));
}
