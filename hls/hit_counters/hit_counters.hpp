// SPDX-License-Identifier: BSD-2-Clause
// hit_counters: HitCtrs of the MRC monitor, counted per context and published once per epoch.
//
// Source: Zhou et al., ASPLOS 2004, section 3.1, figure 3 and table 1: each context has one counter per group, one for all
// accesses and one for misses. Ours also has one for the pages touched in the epoch, its working set (see working_set).
// Counters saturate.
//
// A position with `epoch_end` is counted first. Then the counters are copied into the window, where they stay until the
// next epoch ends, and are cleared; positions wait meanwhile. (The RTL rotates three buffers instead, so that no position
// waits; the window's contents are the same.)
//
// II = 1: a position a cycle, or a word of the window. Hit counters are in a memory; those of the HIT_CYCLES positions ahead
// are forwarded. A context's totals and the state are registers, changed in one cycle.
//
// Window: word context * 2 * GROUPS + i holds hit[i] for i < GROUPS, misses at i = GROUPS, accesses at i = GROUPS + 1,
// touched pages at i = GROUPS + 2, and 0 above.
#pragma once

#include "../common/forwarding.hpp"
#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

static_assert(GROUPS >= 4, "LITEMRC_GROUPS must be at least 4: the totals stand behind the groups in the window");

constexpr int WINDOW_WORDS = CONTEXTS * 2 * GROUPS;
constexpr int HIT_CYCLES = 4; // counters/hit_counters.py: read, registered, selected, incremented, then in memory

// A new epoch is in the window.
struct Published {
    ap_uint<32> epoch;    // number of finished epochs
    ap_uint<1> overflow;  // a counter saturated in it
};

using published_word_t = ap_uint<whole_bytes(32 + 1)>;

inline published_word_t pack(const Published &published) {
    return packed<published_word_t>(published.epoch, published.overflow);
}

inline Published unpack_published(published_word_t word) {
    Published published;
    unpack_into(word, published.epoch, published.overflow);
    return published;
}

class HitCounters {
  public:
    // Starts epoch 0; the next step begins with cleared counters. Call once before it.
    void reset();

    // Counts one position. Returns true if the epoch ended and `window` now holds its counters.
    bool step(const Counted &counted, counter_t window[WINDOW_WORDS]) {
        while (sweeps_) // that of a reset
            sweep(window);
        count(counted);
        while (sweeps_)
            sweep(window);
        return counted.position.epoch_end;
    }

    // The parts of `step`, a cycle each: while it `sweeps`, positions wait. `sweep` clears the next counter, in the order of
    // the window, and copies it before if the epoch ended; it returns true when `window` holds the epoch.
    void count(const Counted &counted);
    bool sweeps() const { return sweeps_; }
    bool sweep(counter_t window[WINDOW_WORDS]);

    // Number of finished epochs.
    ap_uint<32> epoch() const { return epoch_; }

    // Whether a counter saturated in the epoch that the window shows.
    bool overflow() const { return window_overflow_; }

  private:
    static counter_t counted_up(const counter_t &counter, bool counts, bool &overflow);
    counter_t hits(int counter) const { return in_flight_.newest(counter, hits_[counter]); }
    void set_hits(int counter, counter_t hits) { hits_[counter] = in_flight_.written(counter, hits); }
    void begin_sweep(bool clears, bool publishes);

    HLS_STATE Memory<counter_t, CONTEXTS * GROUPS, HIT_CYCLES> hits_;
    HLS_STATE InFlight<counter_t, CONTEXTS * GROUPS, HIT_CYCLES> in_flight_;
    HLS_STATE Stored<counter_t> misses_[CONTEXTS];
    HLS_STATE Stored<counter_t> accesses_[CONTEXTS];
    HLS_STATE Stored<counter_t> touched_[CONTEXTS];
    HLS_STATE bool overflow_;
    HLS_STATE bool window_overflow_;
    HLS_STATE ap_uint<32> epoch_;
    HLS_STATE bool sweeps_, publishes_, clears_; // `clears_`: what is counted so far is discarded
    HLS_STATE ap_uint<width_of(WINDOW_WORDS)> swept_;
};

} // namespace litemrc

// Top function for synthesis: takes one position, or sweeps one counter. A word of `epochs` follows the last word that is
// written to the window.
void hit_counters(hls::stream<litemrc::counted_word_t> &positions, litemrc::counter_t window[litemrc::WINDOW_WORDS],
                  hls::stream<litemrc::published_word_t> &epochs HLS_RESTART);
