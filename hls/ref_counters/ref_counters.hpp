// ref_counters: two down-counters a page, DELAY and UPDATE, that tell when they reach zero.
//
// Source: the paper on reference counters, DELAY and UPDATE, sections 1 and 2. A request that a counter counts takes 1
// away; the one that brings it to 0 makes one event, and at 0 it is silent until it is loaded or reset. So one loaded with
// v tells the v-th request, and one loaded with 0 is off. A selector for each counter says which requests it counts.
//
// A reset makes all counters their initial values, and touches none: it changes a tag. Eight pages, a row, share the tag of
// the reset they have met; an operation that finds another one first makes all eight the initial values. Tags are numbers
// modulo 4, so a sweep renews the rows in turns, with each operation that leaves the memory alone, and a reset that would
// be the fourth since its last full pass finishes it first. (The RTL lets that reset wait; what it counts is the same.)
//
// Events wait in a queue of entries, the two of one request in one. An entry that comes while it is full is lost and its
// events are counted.
#pragma once

#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

constexpr int ROW_PAGES = 8; // renewed together: as many banks
constexpr int ROWS = FRAMES / ROW_PAGES;

static_assert(FRAMES >= ROW_PAGES, "LITEMRC_FRAMES must be at least 8");
static_assert(is_power_of_two(MASTERS) && MASTERS <= 8 && CONTEXTS <= 16,
              "LITEMRC_MASTERS must be a power of two in 1..8 and LITEMRC_CONTEXTS in 1..16");
static_assert(is_power_of_two(EVENT_QUEUE), "LITEMRC_EVENT_QUEUE must be a power of two");

enum CounterName {
    COUNTER_DELAY = 0,  // requests that make a copy worth while
    COUNTER_UPDATE = 1, // requests that make it a burden
};
constexpr int PAGE_COUNTERS = 2;

using reference_t = ap_uint<REFERENCE_BITS>;
using master_t = ap_uint<width_of(MASTERS)>;
using fires_t = ap_uint<PAGE_COUNTERS>; // bit n: counter n

enum RefOpKind {
    REF_REQUEST = 0, // a request of memory
    REF_READ = 1,    // tell the `counter` of `page`
    REF_LOAD = 2,    // make it `value`
    REF_RESET = 3,   // make all counters the initial values of this moment
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
    ap_uint<1> take; // behind the operation the oldest event is taken
};

// Which requests a counter counts: those that all of these let pass.
struct RefSelector {
    ap_uint<1> reads, writes;
    ap_uint<MASTERS> masters;   // bit n: those of master n
    ap_uint<CONTEXTS> contexts; // bit n: those of context n
    frame_t lower, upper;       // first and last page
};

struct RefSettings {
    RefSelector selectors[PAGE_COUNTERS];
    reference_t initials[PAGE_COUNTERS];
};

struct RefEvent {
    ap_uint<1> valid;
    frame_t page;
    ap_uint<1> counter;
};

struct RefAnswer {
    reference_t value; // of a read or a load; else 0
    RefEvent event;    // the one that was taken
};

// Counters that count an operation with these settings: none if it is no request.
fires_t counts(const RefOp &op, const RefSettings &settings);

class RefCounters {
  public:
    // Begins with all counters at 0. To be called once before the first step.
    void reset();

    // Does one operation but for `take`. Returns the counters of its page that fire; `value` is that of a read or a load.
    fires_t step(const RefOp &op, const RefSettings &settings, reference_t &value);

  private:
    using tag_t = ap_uint<2>;
    static constexpr int MOST_OWED = 3; // one less than tags

    struct Word {
        reference_t counters[PAGE_COUNTERS];
    };

    void renew(int row);
    void sweep();
    void begin_generation(const reference_t initials[PAGE_COUNTERS]);

    Word words_[ROWS][ROW_PAGES];
    tag_t tags_[ROWS];
    Word initial_;      // of the last reset
    tag_t tag_;         // of the last reset
    ap_uint<2> owed_;   // resets since the sweep's last full pass
    ap_uint<width_of(ROWS) + 1> swept_;
};

class EventQueue {
  public:
    // Begins empty. To be called once before the first push.
    void reset();

    // Keeps the events of one request; counts them, and counts them as lost if it is full. No bit set: nothing.
    void push(frame_t page, fires_t fires);

    // The oldest event, DELAY before UPDATE of one request, or an invalid one.
    RefEvent front() const;
    void take();

    // Events pushed, and those of them lost; modulo 2^32.
    ap_uint<32> fired() const { return fired_; }
    ap_uint<32> lost() const { return lost_; }

  private:
    struct Entry {
        frame_t page;
        fires_t fires;
    };
    using place_t = ap_uint<width_of(EVENT_QUEUE)>;

    Entry entries_[EVENT_QUEUE];
    place_t oldest_;
    ap_uint<width_of(EVENT_QUEUE) + 1> level_;
    ap_uint<32> fired_, lost_;
};

} // namespace litemrc

// Top function for synthesis: one operation, one answer. `fired` and `lost` are those behind it.
void ref_counters(hls::stream<litemrc::RefOp> &ops, const litemrc::RefSettings &settings,
                  hls::stream<litemrc::RefAnswer> &answers, ap_uint<32> &fired, ap_uint<32> &lost);
