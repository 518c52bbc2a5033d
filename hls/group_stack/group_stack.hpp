// SPDX-License-Identifier: BSD-2-Clause
// group_stack: the LRU stack of the MRC monitor, exact at the resolution of page groups.
//
// Source: Zhou et al., ASPLOS 2004, section 3.1, figure 3 and table 1: LRUArray and GrpHdrs. HitCtrs is the unit
// hit_counters.
//
// LRUArray has one entry per page frame: GroupID with the page's owner and a valid bit, next, prev. The pages of a context
// form a circular list in LRU order: the predecessor of the most recent page is the least recent page. Each context has its
// own GrpHdrs: entry g points to the most recently used page of group g; entry 0 is the top of the stack. Group g holds the
// stack distances g * GROUP_PAGES .. (g + 1) * GROUP_PAGES - 1.
//
// An access to a page in group I moves the last page of each group 0..I-1 to the front of the next group; the work grows
// with I, as in the paper. An access to the page on top of its owner's stack changes nothing and takes one cycle.
#pragma once

#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

class GroupStack {
  public:
    // Makes every page invalid. Call once before the first step, because hardware sweeps its array at reset.
    void clear();

    // Executes one operation. `op.context` must be below CONTEXTS.
    Position step(const Op &op);

    // Also writes a Move for each page that changes its group, except for a clear (group_stack_moves).
    // `Moves` is NoMoves or hls::stream<move_word_t>.
    template <typename Moves> Position step(const Op &op, Moves &moves);

  private:
    struct Page {
        ap_uint<1> valid;
        context_t owner; // that claimed the page since it became invalid, or else first touched it
        group_t group;   // of an invalid page: CLAIMED, or UNCLAIMED, which has no owner
    };
    static constexpr int UNCLAIMED = 0, CLAIMED = 1;
    using page_word_t = ap_uint<1 + width_of(CONTEXTS) + width_of(GROUPS)>;

    Page page(frame_t frame) const;
    void set_page(frame_t frame, const Page &page);

    template <typename Moves> Position access(frame_t frame, context_t running, Moves &moves);
    template <typename Moves> void invalidate(const Op &op, Moves &moves);
    template <typename Moves> void leave(frame_t frame, const Page &page, Moves &moves);
    template <typename Moves> void shift_down(context_t owner, group_t deepest, bool opens_group, Moves &moves);
    template <typename Moves> void shift_up(context_t owner, group_t above, group_t last, Moves &moves);
    void unlink(frame_t frame);
    void link_before(frame_t frame, frame_t top);

    HLS_STATE Stored<page_word_t> pages_[FRAMES];
    HLS_STATE Stored<frame_t> next_[FRAMES];
    HLS_STATE Stored<frame_t> prev_[FRAMES];
    HLS_STATE Stored<frame_t> group_headers_[CONTEXTS][GROUPS]; // entries of groups that hold no page are stale
    HLS_STATE Stored<pages_t> sizes_[CONTEXTS];                 // pages in each stack
};

} // namespace litemrc

// Top function for synthesis: takes one operation, returns one position. The first call after reset sweeps the array.
void group_stack(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::position_word_t> &positions HLS_RESTART);

// The same with a second output stream, for the rank meter.
void group_stack_moves(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::position_word_t> &positions,
                       hls::stream<litemrc::move_word_t> &moves HLS_RESTART);
