// SPDX-License-Identifier: BSD-2-Clause
// The records between the units: operations into a stack engine, positions out of it into the hit counters.
#pragma once

#include "config.hpp"
#include "words.hpp"

namespace litemrc {

enum OpKind {
    OP_ACCESS = 0,     // one DRAM access to `frame`, seen while `context` was running
    OP_INVALIDATE = 1, // the page in `frame` is no longer what it was: remove it from its owner's stack; see is_claim
    OP_CLEAR = 2,      // every page becomes invalid and unclaimed, the running epoch starts again from zero
    OP_MARK = 3,       // no operation; carries `epoch_end`
};

struct Op {
    ap_uint<2> kind;
    frame_t frame;
    context_t context;    // running; of a claim: that owns the page from its next access on, whatever runs then
    ap_uint<1> write;     // an access: the stack engines ignore it; OP_INVALIDATE: a claim
    ap_uint<1> epoch_end; // the epoch ends after this operation, of any kind
};

using op_word_t = ap_uint<whole_bytes(2 + width_of(FRAMES) + width_of(CONTEXTS) + 2)>;

inline op_word_t pack(const Op &op) {
    return packed<op_word_t>(op.kind, op.frame, op.context, op.write, op.epoch_end);
}

inline Op unpack_op(op_word_t word) {
    Op op;
    unpack_into(word, op.kind, op.frame, op.context, op.write, op.epoch_end);
    return op;
}

enum PositionKind {
    POSITION_HIT = 0,   // the page's LRU stack distance lay in `group`
    POSITION_MISS = 1,  // the page was invalid: stack distance infinite
    POSITION_NONE = 2,  // nothing to count: invalidate, claim, mark
    POSITION_CLEAR = 3, // the running epoch starts again from zero
};

// Whether an operation is a claim: an invalidation that names the page's next owner.
inline bool is_claim(const Op &op) { return op.kind == OP_INVALIDATE && op.write; }

// A stack engine answers every operation with exactly one position, in order.
struct Position {
    ap_uint<2> kind;
    group_t group;     // 0 = most recently used; 0 unless a hit
    context_t context; // the page's owner, not the running context; 0 unless a hit or a miss
    ap_uint<1> epoch_end;
};

using position_word_t = ap_uint<whole_bytes(2 + width_of(GROUPS) + width_of(CONTEXTS) + 1)>;

inline position_word_t pack(const Position &position) {
    return packed<position_word_t>(position.kind, position.group, position.context, position.epoch_end);
}

inline Position unpack_position(position_word_t word) {
    Position position;
    unpack_into(word, position.kind, position.group, position.context, position.epoch_end);
    return position;
}

// A page changed its page group. For each operation a stack engine reports first the move of the operation's page, then
// those of the pages passed on to the next group, from the deepest group up.
struct Move {
    frame_t page;
    context_t context; // the page's owner
    ap_uint<1> was_valid; // 0: the page was in no stack, and `from_group` is 0
    group_t from_group;
    ap_uint<1> is_valid; // 0: the page left the stack, and `to_group` is 0
    group_t to_group;
};

using move_word_t = ap_uint<whole_bytes(width_of(FRAMES) + width_of(CONTEXTS) + 2 * (1 + width_of(GROUPS)))>;

inline move_word_t pack(const Move &move) {
    return packed<move_word_t>(move.page, move.context, move.was_valid, move.from_group, move.is_valid, move.to_group);
}

inline Move unpack_move(move_word_t word) {
    Move move;
    unpack_into(word, move.page, move.context, move.was_valid, move.from_group, move.is_valid, move.to_group);
    return move;
}

// A sink for engines whose moves are not used.
struct NoMoves {
    void write(move_word_t) {}
};

// Whether an operation is the first access to its page in the epoch.
using touch_word_t = ap_uint<whole_bytes(1)>;

// The input of the hit counters.
struct Counted {
    Position position;
    ap_uint<1> first_touch; // of the page in the epoch; 0 unless a hit or a miss
};

using counted_word_t = ap_uint<whole_bytes(2 + width_of(GROUPS) + width_of(CONTEXTS) + 2)>;

inline counted_word_t pack(const Counted &counted) {
    const Position &at = counted.position;
    return packed<counted_word_t>(at.kind, at.group, at.context, at.epoch_end, counted.first_touch);
}

inline Counted unpack_counted(counted_word_t word) {
    Counted counted;
    Position &at = counted.position;
    unpack_into(word, at.kind, at.group, at.context, at.epoch_end, counted.first_touch);
    return counted;
}

} // namespace litemrc
