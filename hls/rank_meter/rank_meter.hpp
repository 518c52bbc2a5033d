// SPDX-License-Identifier: BSD-2-Clause
// rank_meter: counts the events of each power domain and the pages of the working set in it.
//
// Source: Zhou et al., ASPLOS 2004, section 5.1: one counter per memory chip of its pages among the top N_mrc of the
// LRU stack; a chip without such a page is not a working chip. Also counted: commands, cycles in each power state, entries
// into low-power states, wake-ups. A domain is a rank, or an equal slice of the memory's pages.
//
// A page counts in its domain iff it lies in a group below N_mrc[c] of the stack of its owner c. N_mrc may change at any
// time; therefore pages are counted by owner, group and domain, from the moves that the stack engine reports.
//
// A snapshot copies the counters into the window and clears them; each cycle is in exactly one snapshot. Window: word
// domain * METER_WORDS + i holds the counter i (MeterWord), word DOMAINS * METER_WORDS + context holds N_mrc of a context.
#pragma once

#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

static_assert(is_power_of_two(DOMAINS) && DOMAINS <= 16 && DOMAINS <= FRAMES,
              "LITEMRC_DOMAINS must be a power of two in 1..16 and at most LITEMRC_FRAMES");

enum PowerState {
    STATE_ACTIVE_STANDBY = 0,    // CKE high, a row is open
    STATE_PRECHARGE_STANDBY = 1, // CKE high, all rows are closed
    STATE_POWER_DOWN = 2,
    STATE_SELF_REFRESH = 3,
    STATE_SELF_REFRESH_PARTIAL = 4,
};
constexpr int POWER_STATES = 5;
constexpr int STATE_BITS = 3;

enum MeterWord {
    WORD_READS = 0,
    WORD_WRITES = 1,
    WORD_ACTIVATES = 2,
    WORD_REFRESHES = 3,
    WORD_RESIDENCY = 4, // five words, cycles in each PowerState
    WORD_ENTERED = 9,   // three words, entries into each low-power state
    WORD_WAKE_UPS = 12,
    WORD_WAKING = 13, // cycles
    WORD_IDLE = 14,   // cycles since the last access; not cleared by snapshots
    WORD_TOP_PAGES = 15,
};
constexpr int METER_WORDS = 16;
constexpr int METER_WINDOW_WORDS = DOMAINS * METER_WORDS + CONTEXTS;

using groups_t = ap_uint<width_of(GROUPS) + 1>; // a number of page groups, 0..GROUPS
using domains_t = ap_uint<DOMAINS>;             // a bit for each domain

// One cycle of all domains. There is at most one access and one activate per cycle.
struct MeterClock {
    ap_uint<1> access;
    domain_t access_domain;
    ap_uint<1> write;
    ap_uint<1> activate;
    domain_t activate_domain;
    domains_t refresh;                     // strobes
    ap_uint<STATE_BITS * DOMAINS> state;   // PowerState of each domain, domain 0 lowest
    domains_t waking;                      // the domain is waking
    domains_t wakes;                       // strobes: an access starts a wake-up
};

// The smallest m >= 1 with hits[m] + .. + hits[GROUPS - 1] <= (epsilon * sum of all hits) >> 16.
groups_t find_n_mrc(const counter_t hits[GROUPS], ap_uint<16> epsilon);

class RankMeter {
  public:
    // No page, N_mrc = GROUPS for all contexts, all domains in precharge standby. Call once before anything else.
    void reset();

    void clock(const MeterClock &now);

    // Reports of the stack engine: a page changed its group; all pages left their stacks.
    void move(const Move &move);
    void clear_pages();

    // N_mrc of a context from now on; more than GROUPS means GROUPS.
    void set_n_mrc(context_t context, groups_t size);
    groups_t n_mrc(context_t context) const { return n_mrc_[context]; }

    // Domains with a page of the working set.
    domains_t working() const;

    // Copies the counters of the cycles since the last snapshot into the window and clears them.
    void snapshot(counter_t window[METER_WINDOW_WORDS]);

    ap_uint<32> snapshots() const { return snapshots_; }

    // Whether a counter other than WORD_IDLE saturated in the window's snapshot.
    bool overflow() const { return window_overflow_; }

  private:
    void add(int domain, int word, bool increment);
    bool in_top(const Move &move, bool valid, group_t group) const;

    HLS_STATE counter_t counters_[DOMAINS][METER_WORDS];
    HLS_STATE ap_uint<STATE_BITS> states_[DOMAINS];
    HLS_STATE pages_t counts_[CONTEXTS][GROUPS][DOMAINS]; // pages of an owner, by group and domain
    HLS_STATE pages_t top_[DOMAINS];                      // those of them in groups below N_mrc
    HLS_STATE groups_t n_mrc_[CONTEXTS];
    HLS_STATE bool overflow_;
    HLS_STATE bool window_overflow_;
    HLS_STATE ap_uint<32> snapshots_;
};

enum MeterEventKind {
    METER_CLOCK = 0,
    METER_MOVE = 1,
    METER_CLEAR_PAGES = 2,
    METER_SET_N_MRC = 3,  // of `context`, to `size`
    METER_FIND_N_MRC = 4, // of all contexts with accesses, from the window of hit_counters and `epsilon`
    METER_SNAPSHOT = 5,
};

struct MeterEvent {
    ap_uint<3> kind;
    MeterClock clock;
    Move move;
    context_t context;
    groups_t size;
    ap_uint<16> epsilon;
};

// The kind, then the fields of that kind: the clock, the move, or context, size and epsilon.
constexpr int CLOCK_BITS = 3 + 2 * width_of(DOMAINS) + (3 + STATE_BITS) * DOMAINS;
constexpr int MOVE_BITS = width_of(FRAMES) + width_of(CONTEXTS) + 2 * (1 + width_of(GROUPS));
constexpr int SIZE_BITS = width_of(CONTEXTS) + width_of(GROUPS) + 1 + 16;
constexpr int larger(int a, int b) { return a > b ? a : b; }
using meter_event_word_t = ap_uint<whole_bytes(3 + larger(CLOCK_BITS, larger(MOVE_BITS, SIZE_BITS)))>;

// The answer to an event.
struct MeterAnswer {
    domains_t working;       // domains with a page of the working set
    ap_uint<1> published;    // the event was a snapshot: it is in the window
    ap_uint<1> overflow;     // of the last snapshot
    ap_uint<32> snapshots;   // so far
};

using meter_answer_word_t = ap_uint<whole_bytes(DOMAINS + 2 + 32)>;

inline meter_answer_word_t pack(const MeterAnswer &answer) {
    return packed<meter_answer_word_t>(answer.working, answer.published, answer.overflow, answer.snapshots);
}

inline MeterAnswer unpack_meter_answer(meter_answer_word_t word) {
    MeterAnswer answer;
    unpack_into(word, answer.working, answer.published, answer.overflow, answer.snapshots);
    return answer;
}

meter_event_word_t pack(const MeterEvent &event);
MeterEvent unpack_meter_event(meter_event_word_t word);

} // namespace litemrc

// Top function for synthesis: takes one event, gives one answer. `hits` is the window of hit_counters: context * 2 * GROUPS +
// group holds hits, + GROUPS + 1 accesses.
void rank_meter(hls::stream<litemrc::meter_event_word_t> &events,
                const litemrc::counter_t hits[litemrc::CONTEXTS * 2 * litemrc::GROUPS],
                litemrc::counter_t window[litemrc::METER_WINDOW_WORDS],
                hls::stream<litemrc::meter_answer_word_t> &answers HLS_RESTART);
