// SPDX-License-Identifier: BSD-2-Clause
// working_set: the pages touched in an epoch, one bit per page, without clearing at the end of an epoch.
//
// Source: Denning, The Working Set Model for Program Behavior, CACM 1968. The working-set size of an epoch is the number
// of its first touches; after an invalidation a frame holds a new page.
//
// A word holds the bits of 32 pages and the tag of their epoch, its number modulo 16. Bits of another epoch read as 0, so
// the end of an epoch, or a clear, only changes the tag. Tags repeat after 16 epochs. Therefore a sweep renews every word
// once in each half of the tags, and a word's tag is at most 15 epochs old. The sweep uses operations that do not access
// the memory; in the last epoch of a half operations wait for the remainder. (The RTL sweeps in cycles without an
// operation; its answers are the same.)
//
// II = 1: an operation or a word of the sweep per cycle. The words of the WORD_CYCLES operations ahead are forwarded.
#pragma once

#include "../common/forwarding.hpp"
#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

constexpr int PAGES_PER_WORD = 32;
constexpr int TAG_BITS = 4; // together with the pages of a word 36 bits, the width of a block RAM
constexpr int SET_WORDS = FRAMES > PAGES_PER_WORD ? FRAMES / PAGES_PER_WORD : 1;
constexpr int WORD_CYCLES = 3; // counters/working_set.py: addressed, read, registered, then changed and written

class WorkingSet {
  public:
    // Starts with an empty set: the next words to sweep are zeroed. Call once before the first step.
    void reset();

    // An access adds its page to the set, an invalidation removes it; a clear, and `epoch_end` after the operation, empty
    // the set. Returns 1 for an access to a page that was not in the set.
    ap_uint<1> step(const Op &op) {
        while (due())
            sweep();
        return operate(op);
    }

    // The parts of `step`, a cycle each: while the sweep is `due`, operations wait.
    ap_uint<1> operate(const Op &op);
    bool due() const { return swept_ != SET_WORDS && (zeroes_ || half_ends()); }
    void sweep();

  private:
    using tag_t = ap_uint<TAG_BITS>;
    using set_word_t = ap_uint<PAGES_PER_WORD>;

    struct Word {
        set_word_t pages;
        tag_t tag;
    };
    using word_t = ap_uint<PAGES_PER_WORD + TAG_BITS>;

    set_word_t pages_of(int index) const;
    void set_word(int index, const Word &word);
    bool half_ends() const { return tag_t(tag_ + 1)[TAG_BITS - 1] != tag_[TAG_BITS - 1]; }
    void advance();

    HLS_STATE Memory<word_t, SET_WORDS, WORD_CYCLES> words_;
    HLS_STATE InFlight<word_t, SET_WORDS, WORD_CYCLES> in_flight_;
    HLS_STATE tag_t tag_;
    HLS_STATE ap_uint<width_of(SET_WORDS) + 1> swept_; // words renewed in this half of the tags
    HLS_STATE bool zeroes_;                            // the words not swept are invalid
};

} // namespace litemrc

// Top function for synthesis: one operation, or one word of a sweep that is due. One answer for each operation, in order.
void working_set(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::touch_word_t> &first_touches HLS_RESTART);
