// SPDX-License-Identifier: BSD-2-Clause
// ref_counters: two down-counters per page, DELAY and UPDATE, that report when they reach zero.
//
// Source: the paper on reference counters, DELAY and UPDATE, sections 1 and 2. Each counted
// request decrements the counter; the request that brings it to 0 raises one event. At 0 the counter is off until it is
// loaded or reset. A counter loaded with v thus reports the v-th request. A selector for each counter defines which
// requests it counts.
//
// A reset sets all counters to their initial values without writing them: it changes a tag. Eight pages, a row, share the
// tag of their last reset; an operation that finds another tag first renews all eight. Tags are numbers modulo 4.
// Therefore a sweep renews the rows in turn, with each operation that does not use the memory, and the fourth reset since
// its last full pass completes it first. (The RTL delays that reset; the counts are the same.)
//
// Events wait in a queue; both events of a request share an entry. An entry that meets a full queue is dropped, and its
// events are counted.
//
// II = 1: an operation or a row of the sweep per cycle. Words, tags and entries that are not in their memories yet are
// forwarded. Whether the queue's oldest entry stays depends on its own events: the read of a block RAM and the address of
// the next entry share a cycle. II = 2 at clocks at which a read takes two. (The RTL delays the next event instead.)
#pragma once

#include "../common/forwarding.hpp"
#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

constexpr int ROW_PAGES = 8; // renewed together: one bank each
constexpr int ROWS = FRAMES / ROW_PAGES;
constexpr int PAGE_CYCLES = 5;  // refs/pipeline.py: from stage READ to WRITE
constexpr int EVENT_CYCLES = 2; // refs/event_queue.py: from the place of an entry to its place read

static_assert(FRAMES >= ROW_PAGES, "LITEMRC_FRAMES must be at least 8");
static_assert(is_power_of_two(MASTERS) && MASTERS <= 8 && CONTEXTS <= 16,
              "LITEMRC_MASTERS must be a power of two in 1..8 and LITEMRC_CONTEXTS in 1..16");
static_assert(is_power_of_two(EVENT_QUEUE), "LITEMRC_EVENT_QUEUE must be a power of two");

enum CounterName {
    COUNTER_DELAY = 0,  // requests after which a copy pays
    COUNTER_UPDATE = 1, // requests after which the copy should be dropped
};
constexpr int PAGE_COUNTERS = 2;

using reference_t = ap_uint<REFERENCE_BITS>;
using master_t = ap_uint<width_of(MASTERS)>;
using fires_t = ap_uint<PAGE_COUNTERS>; // bit n: counter n

enum RefOpKind {
    REF_REQUEST = 0, // a request of memory
    REF_READ = 1,    // return the `counter` of `page`
    REF_LOAD = 2,    // set it to `value`
    REF_RESET = 3,   // set all counters to the current initial values
    REF_NONE = 4,
};

struct RefOp {
    ap_uint<3> kind;
    frame_t page;
    ap_uint<1> write;
    master_t master;
    context_t context;
    ap_uint<1> counter;
    reference_t value;
    ap_uint<1> take; // take the oldest event after the operation
};

using ref_op_word_t = ap_uint<whole_bytes(3 + width_of(FRAMES) + 1 + width_of(MASTERS) + width_of(CONTEXTS) + 1 +
                                          REFERENCE_BITS + 1)>;

inline ref_op_word_t pack(const RefOp &op) {
    return packed<ref_op_word_t>(op.kind, op.page, op.write, op.master, op.context, op.counter, op.value, op.take);
}

inline RefOp unpack_ref_op(ref_op_word_t word) {
    RefOp op;
    unpack_into(word, op.kind, op.page, op.write, op.master, op.context, op.counter, op.value, op.take);
    return op;
}

// A counter counts the requests that match all of these.
struct RefSelector {
    ap_uint<1> reads, writes;
    ap_uint<MASTERS> masters;   // bit n: requests of master n
    ap_uint<CONTEXTS> contexts; // bit n: requests of context n
    frame_t lower, upper;       // first and last page
};

struct RefSettings {
    RefSelector selectors[PAGE_COUNTERS];
    reference_t initials[PAGE_COUNTERS];
};

// The settings of one counter.
using ref_setting_word_t = ap_uint<2 + MASTERS + CONTEXTS + 2 * width_of(FRAMES) + REFERENCE_BITS>;

inline ref_setting_word_t pack(const RefSettings &settings, int counter) {
    const RefSelector &s = settings.selectors[counter];
    return packed<ref_setting_word_t>(s.reads, s.writes, s.masters, s.contexts, s.lower, s.upper,
                                      settings.initials[counter]);
}

inline void unpack_ref_setting(ref_setting_word_t word, RefSettings &settings, int counter) {
    RefSelector &s = settings.selectors[counter];
    unpack_into(word, s.reads, s.writes, s.masters, s.contexts, s.lower, s.upper, settings.initials[counter]);
}

struct RefEvent {
    ap_uint<1> valid;
    frame_t page;
    ap_uint<1> counter;
};

struct RefAnswer {
    reference_t value; // of a read or a load; otherwise 0
    RefEvent event;    // the event that was taken
    ap_uint<32> fired, lost; // events so far, and those of them lost; modulo 2^32
};

using ref_answer_word_t = ap_uint<whole_bytes(REFERENCE_BITS + 1 + width_of(FRAMES) + 1 + 2 * 32)>;

inline ref_answer_word_t pack(const RefAnswer &answer) {
    const RefEvent &event = answer.event;
    return packed<ref_answer_word_t>(answer.value, event.valid, event.page, event.counter, answer.fired, answer.lost);
}

inline RefAnswer unpack_ref_answer(ref_answer_word_t word) {
    RefAnswer answer;
    RefEvent &event = answer.event;
    unpack_into(word, answer.value, event.valid, event.page, event.counter, answer.fired, answer.lost);
    return answer;
}

// The counters that count an operation with these settings; none if it is not a request.
fires_t counts(const RefOp &op, const RefSettings &settings);

class RefCounters {
  public:
    // Sets all counters to 0: the next rows to sweep are written. Call once before the first step.
    void reset();

    // Executes one operation except `take`. Returns the page's counters that fire; `value` is that of a read or a load.
    fires_t step(const RefOp &op, const RefSettings &settings, reference_t &value);

    // The parts of `step`, a cycle each: while the operation `waits`, `sweep` a row; otherwise `operate`.
    bool waits(const RefOp &op) const { return zeroes_ || (op.kind == REF_RESET && owed_ == MOST_OWED); }
    void sweep();
    fires_t operate(const RefOp &op, const RefSettings &settings, reference_t &value);

  private:
    using tag_t = ap_uint<2>;
    static constexpr int MOST_OWED = 3; // one less than the tags

    struct Word {
        reference_t counters[PAGE_COUNTERS];
    };
    using word_t = ap_uint<PAGE_COUNTERS * REFERENCE_BITS>;

    bool is_stale(int row) const { return tags_in_flight_.newest(row, tags_[row]) != tag_; }
    Word word(int row, int bank) const;
    void set_word(int row, int bank, const Word &word, bool stale);
    void begin_generation(const reference_t initials[PAGE_COUNTERS]);

    HLS_STATE Memory<word_t, ROWS, PAGE_CYCLES> words_[ROW_PAGES];
    HLS_STATE InFlight<word_t, ROWS, PAGE_CYCLES> words_in_flight_[ROW_PAGES];
    HLS_STATE Memory<tag_t, ROWS, PAGE_CYCLES> tags_;
    HLS_STATE InFlight<tag_t, ROWS, PAGE_CYCLES> tags_in_flight_;
    HLS_STATE Word initial_;    // of the last reset
    HLS_STATE tag_t tag_;       // of the last reset
    HLS_STATE ap_uint<2> owed_; // resets since the sweep's last full pass
    HLS_STATE ap_uint<width_of(ROWS) + 1> swept_;
    HLS_STATE bool zeroes_; // the rows not swept are invalid, with any tag
};

class EventQueue {
  public:
    // Starts empty. Call once before the first push.
    void reset();

    // Stores and counts the events of one request, or counts them as lost if the queue is full.
    void push(frame_t page, fires_t fires);

    // The oldest event (DELAY before UPDATE of one request), or an invalid one. `take` removes it.
    RefEvent front() const;
    RefEvent take();

    // Events pushed, and those of them lost; modulo 2^32.
    ap_uint<32> fired() const { return fired_; }
    ap_uint<32> lost() const { return lost_; }

  private:
    struct Entry {
        frame_t page;
        fires_t fires;
    };
    using entry_t = ap_uint<width_of(FRAMES) + PAGE_COUNTERS>;
    using place_t = ap_uint<width_of(EVENT_QUEUE)>;

    Entry entry() const; // the oldest, with the events that are left
    static RefEvent first_event(const Entry &entry);

    HLS_STATE Memory<entry_t, EVENT_QUEUE, EVENT_CYCLES> entries_;
    HLS_STATE InFlight<entry_t, EVENT_QUEUE, EVENT_CYCLES + 1> in_flight_; // an entry may be taken at once
    HLS_STATE bool delay_taken_;                                          // of the oldest entry
    HLS_STATE place_t oldest_;
    HLS_STATE ap_uint<width_of(EVENT_QUEUE) + 1> level_;
    HLS_STATE ap_uint<32> fired_, lost_;
};

} // namespace litemrc

// Top function for synthesis: one operation, one answer; or a row, if the operation waits for the sweep.
void ref_counters(hls::stream<litemrc::ref_op_word_t> &ops, litemrc::ref_setting_word_t delay,
                  litemrc::ref_setting_word_t update, hls::stream<litemrc::ref_answer_word_t> &answers
                      HLS_RESTART);
