// bucket_stack: LRU positions of pages at the resolution of page groups, estimated in constant work an access.
//
// Source: host/litemrc/golden/monitor/bucket_stack.py, which says what is estimated and when buckets close and are renumbered.
// Closest relative in software: MIMIR (Saemundsson et al., SoCC 2014).
//
// The page array holds an id and a generation bit a page frame: the bucket the page was last touched in; id 0 is an
// invalid page. Ids grow with age inside a context and are shared by all contexts; `owners_` tells whose they are. The
// number of pages in newer buckets of the same context comes from a binary tree over the ids with one memory a level:
// a node holds the pages of its newer half. Along the path of an id, a 0 bit adds its node to the sum, a 1 bit is where
// the page is counted. Open buckets are not in the tree, but beside it, one a context.
//
// Renumbering writes a map from old ids to new ones and flips the generation; a page's old id is mapped when it is
// next read, at the latest before the next renumbering.
#pragma once

#include "../common/records.hpp"
#include "../common/stream.hpp"
#include "loop_front.hpp"

namespace litemrc {

constexpr int RENUMBER_DELAY = 8; // operations between the one that runs short of ids and the renumbering

constexpr int BUCKET_PAGES = (3 * GROUP_PAGES + 3) / 4; // at which an open bucket closes; merging fills up to a group

constexpr int ID_BITS = width_of(2 * (GROUPS + CONTEXTS) + 2 + RENUMBER_DELAY);
constexpr int IDS = 1 << ID_BITS;
using id_t = ap_uint<ID_BITS>;
using next_id_t = ap_uint<ID_BITS + 1>;

class BucketStack {
  public:
    // Makes every page invalid. To be called once before the first step, as hardware sweeps its array at reset.
    void clear();

    // Carries out one operation. `op.context` must be below CONTEXTS. The same as `operate`, then `maintain`.
    Position step(const Op &op);

    // The part of `step` that is done for every operation, and the long one, of clearing and renumbering, which the
    // next operation must wait for if it `needs_maintenance`.
    Position operate(const Op &op);
    bool needs_maintenance(const Op &op) const;
    void maintain(const Op &op);

    // For testbenches.
    unsigned renumberings() const { return renumberings_; }
    unsigned buckets() const { return next_id_ - 1; }         // ids in use
    id_t bucket(frame_t frame) const { return id_of(frame); } // 0: the page is invalid

  private:
    struct Page {
        id_t id; // 0: invalid
        ap_uint<1> generation;
    };
    struct Context {
        id_t open_id;
        pages_t open_pages;
        LoopFront<id_t> front;
    };

    Position access(frame_t frame, context_t running);
    void invalidate(frame_t frame);
    id_t id_of(frame_t frame) const;
    pages_t remove(context_t owner, id_t id);
    void insert(context_t owner, id_t id, pages_t pages);
    void open(context_t owner, Context &context);
    void count_down();
    void renumber();
    void sweep();

    Page pages_[FRAMES];
    pages_t counts_[IDS]; // pages in each closed bucket
    context_t owners_[IDS];
    id_t map_[IDS]; // ids of this generation by ids of the last one
    pages_t nodes_[ID_BITS][CONTEXTS << (ID_BITS - 1)];
    Context contexts_[CONTEXTS];
    next_id_t next_id_;
    ap_uint<1> generation_;
    ap_uint<4> delay_; // operations to go before renumbering, 0: none is due
    ap_uint<1> renumbers_; // due behind this operation
    unsigned renumberings_ = 0; // for testbenches
};

} // namespace litemrc

// Top function for synthesis: takes one operation, answers one position. The first call after reset sweeps the array.
void bucket_stack(hls::stream<litemrc::Op> &ops, hls::stream<litemrc::Position> &positions);
