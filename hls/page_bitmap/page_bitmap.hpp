// SPDX-License-Identifier: BSD-2-Clause
// page_bitmap: the frames accessed, and those written, in the last epoch that ended; a bit per frame each.
//
// What an operating system reads as accessed bits (Zhou et al., ASPLOS 2004, section 3.2) where the processor sets none.
//
// Two banks of words: one holds the running epoch, the other one the epoch before. As in working_set, a word holds the bits of
// 32 frames and a tag, so that the end of an epoch only changes the tag. The epoch's number modulo 32 gives both: its lowest
// bit the bank, the others the tag. A sweep renews every word of both banks once in 16 epochs, so that a word's tag is never
// as old as 32 epochs: in the last two of these 16 epochs operations wait for the remainder. A clear empties the running
// epoch: its bank is zeroed, and operations wait. (The RTL sweeps in cycles without an operation.)
//
// Invalidations are ignored, because frames are counted, whatever they hold.
//
// II = 1: an operation, a word asked for, or a word of the sweep per cycle.
#pragma once

#include "../common/forwarding.hpp"
#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

constexpr int BITMAP_PAGES = 32; // of a word
constexpr int BITMAP_TAG_BITS = 4;
constexpr int BANK_WORDS = FRAMES > BITMAP_PAGES ? FRAMES / BITMAP_PAGES : 1;
constexpr int BITMAP_CYCLES = 3; // counters/tagged_words.py: addressed, read, registered, then changed and written

using bitmap_t = ap_uint<BITMAP_PAGES>;

// Frames 32 * `number` and above, the first in the lowest bit, in the last epoch that ended.
struct BitmapWord {
    bitmap_t accessed, written;
};

using bitmap_ask_t = ap_uint<whole_bytes(width_of(BANK_WORDS))>; // number of a word
using bitmap_word_t = ap_uint<2 * BITMAP_PAGES>;

inline bitmap_word_t pack(const BitmapWord &word) { return packed<bitmap_word_t>(word.accessed, word.written); }

class PageBitmap {
  public:
    // Both epochs are empty: the next words to sweep are zeroed. Call once before the first step.
    void reset();

    // `epoch_end` after the operation, of any kind, makes the running epoch the last one that ended.
    void step(const Op &op) {
        while (due())
            sweep();
        operate(op);
    }

    // The parts of `step`, a cycle each: while the sweep is `due`, operations wait.
    void operate(const Op &op);
    bool due() const { return zeroes_ != 0 || (swept_ != 2 * BANK_WORDS && half_ends()); }
    void sweep();

    // A word of the last epoch that ended. Not while words are zeroed.
    BitmapWord published(int number) const;
    bool may_ask() const { return zeroes_ == 0; }

  private:
    using tag_t = ap_uint<BITMAP_TAG_BITS>;
    using word_t = ap_uint<BITMAP_PAGES + BITMAP_TAG_BITS>;
    using words_t = Memory<word_t, 2 * BANK_WORDS, BITMAP_CYCLES>;
    using in_flight_t = InFlight<word_t, 2 * BANK_WORDS, BITMAP_CYCLES>;

    int bank() const { return int(epoch_[0]); }
    bool half_ends() const { return (int(epoch_) & 14) == 14; }
    tag_t tag_of(int bank) const;
    static bitmap_t of_tag(const word_t &word, const tag_t &tag);
    void write(int index, const bitmap_t &accessed, const bitmap_t &written, const tag_t &tag);

    HLS_STATE words_t accessed_, written_;
    HLS_STATE in_flight_t accessed_in_flight_, written_in_flight_;
    HLS_STATE ap_uint<BITMAP_TAG_BITS + 1> epoch_;
    HLS_STATE ap_uint<width_of(BANK_WORDS) + 2> swept_;         // words renewed in these 16 epochs
    HLS_STATE ap_uint<width_of(BANK_WORDS) + 2> zero_, zeroes_; // the next word to zero, and how many
};

} // namespace litemrc

// Top function for synthesis: a word of a sweep that is due, else a word asked for, else an operation.
void page_bitmap(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::bitmap_ask_t> &asked,
                 hls::stream<litemrc::bitmap_word_t> &words HLS_RESTART);
