// SPDX-License-Identifier: BSD-2-Clause
// bucket_stack: LRU stack distances at the resolution of page groups, estimated with constant work per access.
//
// Source: host/litemrc/golden/monitor/bucket_stack.py, which defines the estimate and when buckets close and are renumbered.
// Closest relative in software: MIMIR (Saemundsson et al., SoCC 2014).
//
// For each page frame the page array holds the bucket of its last access and a generation bit. A bucket is an id and, as the
// lowest bit, which of the id's two buckets it is: the older or the newer one. Id 0 is an invalid page, and an id from
// FIRST_CLAIM on is an invalid page that a context claimed. Contexts share the range of the other ids, which grow with time
// within a context; `owners_` has the context of each id. The number of pages in newer ids of the same context comes from a
// binary tree over the ids, one memory per level: a node holds the pages of its newer half. Along the path of an id, a 0 bit
// adds its node to the sum, and at a 1 bit the page is counted in the node. Open ids are kept outside the tree, one per
// context.
//
// Renumbering writes a map from old to new buckets and flips the generation. A page's old bucket is mapped when it is next
// read, or by the sweep before the next renumbering.
//
// II: about 10, one operation after another, and an entry per cycle in clear and renumbering. A page's word, its id in this
// generation, the id's owner and the owner's open id are looked up in turn. Only then is known whether the id closes
// and whether a renumbering is due, for which the next operation waits. The RTL takes an operation per cycle because it
// forwards the results of these look-ups over 7 operations, stalls the operations behind an id that closes and empties
// its pipeline before a renumbering: here that would be a second description of the unit, in stages.
#pragma once

#include "../common/forwarding.hpp"
#include "../common/records.hpp"
#include "../common/stream.hpp"
#include "loop_front.hpp"

namespace litemrc {

constexpr int RENUMBER_DELAY = 8; // operations from the shortage of ids to the renumbering

constexpr int CLOSING_PAGES = (3 * BUCKET_PAGES + 3) / 4; // size at which a bucket closes; merging fills up to BUCKET_PAGES

constexpr int ID_BITS = width_of(2 * (GROUPS + CONTEXTS) + 2 + RENUMBER_DELAY + CONTEXTS);
constexpr int IDS = 1 << ID_BITS;
constexpr int FIRST_CLAIM = IDS - CONTEXTS; // the context's number is added; these ids are the same in every generation
using id_t = ap_uint<ID_BITS>;
using next_id_t = ap_uint<ID_BITS + 1>;
using bucket_t = ap_uint<ID_BITS + 1>; // an id, and as the lowest bit: its newer bucket

class BucketStack {
  public:
    // Makes every page invalid. Call once before the first step, because hardware sweeps its array at reset.
    void clear();

    // Executes one operation: `operate`, then `maintain`. `op.context` must be below CONTEXTS.
    Position step(const Op &op);

    // The parts of `step`: `operate` has constant work; `maintain` clears or renumbers, and is only required if
    // `needs_maintenance`. The next operation waits for it.
    Position operate(const Op &op);
    bool needs_maintenance(const Op &op) const;
    void maintain(const Op &op);

    // For testbenches.
    unsigned renumberings() const { return renumberings_; }
    unsigned ids() const { return next_id_ - 1; } // in use
    bucket_t bucket(frame_t frame) const {        // 0: the page is invalid
        const bucket_t bucket = bucket_of(frame);
        return is_valid(bucket) ? bucket : bucket_t(0);
    }

  private:
    struct Page {
        bucket_t bucket; // of pages or of a claim, or 0
        ap_uint<1> generation;
    };
    using page_word_t = ap_uint<ID_BITS + 2>;
    struct Context {
        bucket_t open; // the newest bucket of the open id
        pages_t open_pages, older_pages; // in it, and in the older bucket of the open id if it is the newer one
        LoopFront<bucket_t> front;
    };

    static id_t id_of(bucket_t bucket) { return id_t(bucket >> 1); }
    static bool is_newer(bucket_t bucket) { return bucket[0]; }
    static bucket_t older_of(id_t id) { return bucket_t(id) << 1; }
    static bool is_valid(bucket_t bucket) { return bucket != 0 && id_of(bucket) < FIRST_CLAIM; }
    void set_page(frame_t frame, bucket_t bucket);
    Position access(frame_t frame, context_t running);
    void invalidate(const Op &op);
    bucket_t bucket_of(frame_t frame) const;
    pages_t remove(context_t owner, bucket_t bucket);
    void insert(context_t owner, id_t id, pages_t older, pages_t newer);
    void open(context_t owner, Context &context);
    void count_down();
    void renumber();
    void sweep();

    HLS_STATE page_word_t pages_[FRAMES];
    HLS_STATE pages_t counts_[2 * IDS]; // pages in each closed bucket
    HLS_STATE context_t owners_[IDS];
    HLS_STATE bucket_t map_[2 * IDS]; // buckets of this generation by buckets of the last one
    HLS_STATE pages_t nodes_[ID_BITS][CONTEXTS << (ID_BITS - 1)];
    HLS_STATE Context contexts_[CONTEXTS];
    HLS_STATE next_id_t next_id_;
    HLS_STATE ap_uint<1> generation_;
    HLS_STATE ap_uint<4> delay_;     // operations left before renumbering; 0: none is due
    HLS_STATE ap_uint<1> renumbers_; // due after this operation
    unsigned renumberings_ = 0; // for testbenches
};

} // namespace litemrc

// Top function for synthesis: takes one operation, returns one position. The first call after reset sweeps the array.
void bucket_stack(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::position_word_t> &positions HLS_RESTART);
