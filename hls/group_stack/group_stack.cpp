// SPDX-License-Identifier: BSD-2-Clause
#include "group_stack.hpp"

namespace litemrc {

namespace {

group_t group_at(pages_t lru_position) { return lru_position / GROUP_PAGES; }

} // namespace

GroupStack::Page GroupStack::page(frame_t frame) const {
    Page page;
    unpack_into(page_word_t(pages_[frame]), page.valid, page.owner, page.group);
    return page;
}

void GroupStack::set_page(frame_t frame, const Page &page) {
    pages_[frame] = packed<page_word_t>(page.valid, page.owner, page.group);
}

void GroupStack::clear() {
    for (int frame = 0; frame < FRAMES; ++frame) {
        HLS_PIPELINE // one entry per cycle: the array has one write port
        set_page(frame, Page{0, 0, UNCLAIMED});
    }
    for (int context = 0; context < CONTEXTS; ++context) {
        HLS_PIPELINE
        sizes_[context] = 0;
    }
}

Position GroupStack::step(const Op &op) {
    NoMoves moves;
    return step(op, moves);
}

template <typename Moves> Position GroupStack::step(const Op &op, Moves &moves) {
    Position answer{POSITION_NONE, 0, 0, 0};
    switch (int(op.kind)) {
    case OP_ACCESS:
        answer = access(op.frame, op.context, moves);
        break;
    case OP_INVALIDATE:
        invalidate(op, moves);
        break;
    case OP_CLEAR:
        clear();
        answer.kind = POSITION_CLEAR;
        break;
    default: // OP_MARK
        break;
    }
    answer.epoch_end = op.epoch_end;
    return answer;
}

template <typename Moves> Position GroupStack::access(frame_t frame, context_t running, Moves &moves) {
    const Page page = this->page(frame);
    const bool valid = page.valid;
    const context_t owner = valid || page.group == CLAIMED ? page.owner : running;
    const pages_t size = sizes_[owner];
    const frame_t top = group_headers_[owner][0];

    if (valid && frame == top)
        return Position{POSITION_HIT, 0, owner, 0};

    if (!valid || page.group != 0)
        moves.write(pack(Move{frame, owner, page.valid, valid ? page.group : group_t(0), 1, 0}));
    if (valid) {
        shift_down(owner, page.group, false, moves);
        unlink(frame);
    } else {
        // The new page lengthens the stack: every group passes its last page on; if the last group is full, a new one begins.
        shift_down(owner, group_at(size), size != 0 && size % GROUP_PAGES == 0, moves);
        sizes_[owner] = size + 1;
    }
    const bool alone = !valid && size == 0;
    link_before(frame, alone ? frame : top);
    group_headers_[owner][0] = frame;
    set_page(frame, Page{1, owner, 0});
    return Position{ap_uint<2>(valid ? POSITION_HIT : POSITION_MISS), valid ? page.group : group_t(0), owner, 0};
}

template <typename Moves> void GroupStack::invalidate(const Op &op, Moves &moves) {
    const Page page = this->page(op.frame);
    if (page.valid)
        leave(op.frame, page, moves);
    set_page(op.frame, op.write ? Page{0, op.context, CLAIMED} : Page{0, 0, UNCLAIMED});
}

// Removes a valid page from its owner's stack; the caller writes its entry.
template <typename Moves> void GroupStack::leave(frame_t frame, const Page &page, Moves &moves) {
    const pages_t size = sizes_[page.owner];
    const frame_t successor = next_[frame];
    moves.write(pack(Move{frame, page.owner, 1, page.group, 0, 0}));
    shift_up(page.owner, page.group, group_at(size - 1), moves);
    if (frame_t(group_headers_[page.owner][page.group]) == frame)
        group_headers_[page.owner][page.group] = successor;
    unlink(frame);
    sizes_[page.owner] = size - 1;
}

// Moves the last page of each group 0..deepest-1 to the front of the next group. It is the predecessor of the next group's
// first page; for a new group it is the predecessor of the top, the end of the circular list.
template <typename Moves>
void GroupStack::shift_down(context_t owner, group_t deepest, bool opens_group, Moves &moves) {
    frame_t behind = group_headers_[owner][opens_group ? group_t(0) : deepest];
    for (int g = int(deepest); g > 0; --g) {
        HLS_PIPELINE // an iteration writes its own group's header and a page that no other iteration writes
        HLS_INDEPENDENT(group_headers_)
        HLS_INDEPENDENT(pages_)
        const frame_t passed_on = prev_[behind];
        behind = group_headers_[owner][g - 1]; // of the next iteration, read together with the other
        group_headers_[owner][g] = passed_on;
        set_page(passed_on, Page{1, owner, group_t(g)});
        moves.write(pack(Move{passed_on, owner, 1, group_t(g - 1), 1, group_t(g)}));
    }
}

// Moves the first page of each group above+1..last to the end of the previous group. If the last group held only that
// page, its header becomes stale.
template <typename Moves> void GroupStack::shift_up(context_t owner, group_t above, group_t last, Moves &moves) {
    frame_t passed_up = group_headers_[owner][last];
    for (int g = int(last); g > int(above); --g) {
        HLS_PIPELINE // as in shift_down
        HLS_INDEPENDENT(group_headers_)
        HLS_INDEPENDENT(pages_)
        const frame_t first = next_[passed_up];
        const frame_t next_passed_up = group_headers_[owner][g - 1];
        group_headers_[owner][g] = first;
        set_page(passed_up, Page{1, owner, group_t(g - 1)});
        moves.write(pack(Move{passed_up, owner, 1, group_t(g), 1, group_t(g - 1)}));
        passed_up = next_passed_up;
    }
}

void GroupStack::unlink(frame_t frame) {
    const frame_t before = prev_[frame];
    const frame_t behind = next_[frame];
    next_[before] = behind;
    prev_[behind] = before;
}

// Inserts a page before `top`, after the least recent page; a page inserted before itself forms a list of one.
void GroupStack::link_before(frame_t frame, frame_t top) {
    const frame_t tail = frame == top ? frame : prev_[top];
    next_[tail] = frame;
    prev_[top] = frame;
    next_[frame] = top;
    prev_[frame] = tail;
}

template Position GroupStack::step(const Op &op, NoMoves &moves);
template Position GroupStack::step(const Op &op, hls::stream<move_word_t> &moves);

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void group_stack(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::position_word_t> &positions HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_STREAM(positions)
    HLS_FREE_RUNNING

    static litemrc::GroupStack stack;
    static bool swept = false;
    HLS_RESET(swept) // memories keep their contents over a reset, so the sweep must run again

    if (!swept) {
        stack.clear();
        swept = true;
    }
    positions.write(pack(stack.step(litemrc::unpack_op(ops.read()))));
}

void group_stack_moves(hls::stream<litemrc::op_word_t> &ops, hls::stream<litemrc::position_word_t> &positions,
                       hls::stream<litemrc::move_word_t> &moves HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_STREAM(positions)
    HLS_STREAM(moves)
    HLS_FREE_RUNNING

    static litemrc::GroupStack stack;
    static bool swept = false;
    HLS_RESET(swept) // as in group_stack

    if (!swept) {
        stack.clear();
        swept = true;
    }
    positions.write(pack(stack.step(litemrc::unpack_op(ops.read()), moves)));
}
#endif
