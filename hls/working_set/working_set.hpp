// working_set: the pages touched in an epoch, one bit a page, with nothing to clear when the epoch ends.
//
// Source: Denning, The Working Set Model for Program Behavior, CACM 1968. The working set of an epoch is the number of its
// first touches; a page that was invalidated is another page from then on.
//
// A word holds the bits of 32 pages and the tag of the epoch they are of, its number modulo 16. Bits of another epoch are
// all read as 0: so the end of an epoch, or a clear, changes the tag and nothing else. Tags come again after 16 epochs, so
// a sweep renews every word once in each half of the tags: a word's tag is at most 15 epochs old. It uses the operations
// that leave the memory alone; what is left of it when a half ends is done then. (The RTL sweeps in clocks without an
// operation; what it answers is the same.)
#pragma once

#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

constexpr int PAGES_PER_WORD = 32;
constexpr int TAG_BITS = 4; // with the pages of a word the 36 bits that block RAMs are wide
constexpr int SET_WORDS = FRAMES > PAGES_PER_WORD ? FRAMES / PAGES_PER_WORD : 1;

class WorkingSet {
  public:
    // Begins with an empty set. To be called once before the first step.
    void reset();

    // An access touches its page, an invalidation takes it out of the set, a clear empties the set; so does `epoch_end`,
    // behind the operation. Returns 1 for an access to a page that was not in the set.
    ap_uint<1> step(const Op &op);

  private:
    using tag_t = ap_uint<TAG_BITS>;
    using set_word_t = ap_uint<PAGES_PER_WORD>;

    struct Word {
        set_word_t pages;
        tag_t tag;
    };

    set_word_t pages_of(const Word &word) const;
    void sweep();
    void advance();

    Word words_[SET_WORDS];
    tag_t tag_;
    ap_uint<width_of(SET_WORDS) + 1> swept_; // words renewed in this half of the tags
};

} // namespace litemrc

// Top function for synthesis: one operation. One answer for each, in order.
void working_set(hls::stream<litemrc::Op> &ops, hls::stream<ap_uint<1>> &first_touches);
