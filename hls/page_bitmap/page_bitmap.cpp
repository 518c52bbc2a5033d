// SPDX-License-Identifier: BSD-2-Clause
#include "page_bitmap.hpp"

namespace litemrc {

void PageBitmap::reset() {
    epoch_ = 0;
    swept_ = 0;
    zero_ = 0;
    zeroes_ = 2 * BANK_WORDS;
}

void PageBitmap::operate(const Op &op) {
    if (op.kind == OP_ACCESS) {
        const int index = bank() * BANK_WORDS + int(op.frame / BITMAP_PAGES);
        const bitmap_t frame = bitmap_t(1) << int(op.frame % BITMAP_PAGES);
        const tag_t tag = tag_of(bank());
        const bitmap_t accessed = of_tag(accessed_in_flight_.newest(index, accessed_[index]), tag);
        const bitmap_t written = of_tag(written_in_flight_.newest(index, written_[index]), tag);
        write(index, bitmap_t(accessed | frame), op.write ? bitmap_t(written | frame) : written, tag);
    } else if (swept_ != 2 * BANK_WORDS) {
        sweep();
    }
    if (op.kind == OP_CLEAR) {
        zero_ = bank() * BANK_WORDS;
        zeroes_ = BANK_WORDS;
    }
    if (op.epoch_end) {
        if ((int(epoch_) & 15) == 15)
            swept_ = 0;
        ++epoch_;
    }
}

// Zeroes or renews the next word.
void PageBitmap::sweep() {
    if (zeroes_ != 0) {
        write(int(zero_), 0, 0, tag_of(int(zero_) / BANK_WORDS));
        ++zero_;
        --zeroes_;
        return;
    }
    const int index = int(swept_);
    const tag_t tag = tag_of(index / BANK_WORDS);
    write(index, of_tag(accessed_in_flight_.newest(index, accessed_[index]), tag),
          of_tag(written_in_flight_.newest(index, written_[index]), tag), tag);
    ++swept_;
}

BitmapWord PageBitmap::published(int number) const {
    const int index = (1 - bank()) * BANK_WORDS + number;
    const tag_t tag = tag_of(1 - bank());
    return {of_tag(accessed_in_flight_.newest(index, accessed_[index]), tag),
            of_tag(written_in_flight_.newest(index, written_[index]), tag)};
}

// The tag of the epoch that a bank holds: the running one, or that before.
PageBitmap::tag_t PageBitmap::tag_of(int which) const {
    const ap_uint<BITMAP_TAG_BITS + 1> epoch = which == bank() ? epoch_ : ap_uint<BITMAP_TAG_BITS + 1>(epoch_ - 1);
    return tag_t(epoch >> 1);
}

// The bits of a word; none if it is of another epoch.
bitmap_t PageBitmap::of_tag(const word_t &word, const tag_t &tag) {
    bitmap_t bits;
    tag_t its;
    unpack_into(word, bits, its);
    return its == tag ? bits : bitmap_t(0);
}

void PageBitmap::write(int index, const bitmap_t &accessed, const bitmap_t &written, const tag_t &tag) {
    accessed_[index] = accessed_in_flight_.written(index, packed<word_t>(accessed, tag));
    written_[index] = written_in_flight_.written(index, packed<word_t>(written, tag));
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void page_bitmap(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::bitmap_ask_t> &asked,
                 hls::stream<litemrc::bitmap_word_t> &words HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_STREAM(asked)
    HLS_STREAM(words)
    HLS_FREE_RUNNING
    HLS_PIPELINED_TOP

    static litemrc::PageBitmap bitmap;
    static bool zeroed = false;
    HLS_FORWARDED(bitmap.accessed_, litemrc::BITMAP_CYCLES)
    HLS_FORWARDED(bitmap.written_, litemrc::BITMAP_CYCLES)
    HLS_RESET(zeroed) // memories keep their contents over a reset, so they must be zeroed again

    if (!zeroed) {
        bitmap.reset();
        zeroed = true;
    }
    if (bitmap.due())
        bitmap.sweep();
    else if (!asked.empty())
        words.write(litemrc::pack(bitmap.published(int(asked.read()))));
    else
        bitmap.operate(litemrc::unpack_op(ops.read()));
}
#endif
