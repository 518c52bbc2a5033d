// The records between the units: operations into a stack engine, positions out of it into the hit counters.
#pragma once

#include "config.hpp"

namespace litemrc {

enum OpKind {
    OP_ACCESS = 0,     // one DRAM access to `frame`, seen while `context` was running
    OP_INVALIDATE = 1, // the page in `frame` is no longer what it was: remove it from its owner's stack
    OP_CLEAR = 2,      // every page becomes invalid, the running epoch starts again from zero
    OP_MARK = 3,       // no operation; carries `epoch_end`
};

struct Op {
    ap_uint<2> kind;
    frame_t frame;
    context_t context;
    ap_uint<1> write;     // ignored by the stack engines
    ap_uint<1> epoch_end; // the epoch ends after this operation, of any kind
};

enum PositionKind {
    POSITION_HIT = 0,   // the page's LRU stack distance lay in `group`
    POSITION_MISS = 1,  // the page was invalid: stack distance infinite
    POSITION_NONE = 2,  // nothing to count: invalidate, mark
    POSITION_CLEAR = 3, // the running epoch starts again from zero
};

// A stack engine answers every operation with exactly one position, in order.
struct Position {
    ap_uint<2> kind;
    group_t group;     // 0 = most recently used; 0 unless a hit
    context_t context; // the page's owner, not the running context; 0 unless a hit or a miss
    ap_uint<1> epoch_end;
};

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

// A sink for engines whose moves are not used.
struct NoMoves {
    void write(const Move &) {}
};

// The input of the hit counters.
struct Counted {
    Position position;
    ap_uint<1> first_touch; // of the page in the epoch; 0 unless a hit or a miss
};

} // namespace litemrc
