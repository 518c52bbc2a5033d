// SPDX-License-Identifier: BSD-2-Clause
// page_filter: recent pages, address range and spatial sampling between the queue and a stack engine.
//
// Sources: Zhou et al., ASPLOS 2004, section 3.1, "Not every access to memory needs to update the structures"; Waldspurger
// et al., SHARDS, FAST 2015, for sampling by a hash of the page.
//
// Recent pages. An access to one of the RECENT_PAGES most recently accessed pages is absorbed: it is answered as a hit in
// group 0 of the page's owner, without the engine. This answer is exact, because an owner's recent pages are the first of
// its stack, here and in the engine, and at most as many as a group holds. Absorbed accesses can only change the order of
// these pages in the true stack. Before any other access is sent to the engine, this order is restored: the pages out of
// order are accessed again, least recent first (touches), and the engine's answers are discarded. Hence every position is
// exact. Each touched page was absorbed since the last access to the engine, so the engine never gets more accesses than
// the filter.
//
// Range. Accesses outside lower..upper are answered by POSITION_NONE; invalidations and claims pass.
//
// Sampling at rate 1/2^k, k = max(sampling, log2(MEMORY_FRAMES / FRAMES)). A page is sampled if the upper k bits of the
// hash of its frame, a permutation, are 0; the other bits are its number in the engine. With k = 0 this is the frame
// itself. Other pages are answered by POSITION_NONE. Settings may change while the filter is idle; a change of
// `sampling` or `split` must be followed by a clear.
//
// Split. With `split`, reads and writes count apart: contexts 0 .. CONTEXTS / 2 - 1 own pages, and the writes to the pages of
// context c count in context c + CONTEXTS / 2. Both move pages in the same stack. Without it they count together. A claim for
// context c + CONTEXTS / 2 is one for context c.
//
// Frozen accesses move pages like others and are answered by POSITION_NONE; they count neither as outside nor unsampled.
//
// The filter has two halves, with engine and working set between them, joined by a FIFO of pending answers, in order:
//
//     ops -> page_filter -> engine's ops -> engine -> engine's positions -> page_filter_merge -> counted positions
//                   |-----------------> answers (FIFO) -----------------------^  ^
//                   '-> working set's ops -> working_set -> first touches -------'
//
// Absorbed accesses therefore overtake nothing, and proceed while the engine is busy until the FIFO is full. The engine is
// unaware of the filter: it gets no marks, and `epoch_end` only with operations that reach it.
//
// II = 1 in both halves. All their state is in registers, which a step reads and changes in one cycle: nothing is forwarded.
// The hash depends on no state and may take cycles of its own before. The longest path of a cycle, from the recent pages to
// whether the operation was taken, grows with RECENT_PAGES: many of them need a slower clock, or II = 2.
#pragma once

#include "../common/records.hpp"
#include "../common/stream.hpp"

namespace litemrc {

static_assert(is_power_of_two(MEMORY_FRAMES) && MEMORY_FRAMES >= FRAMES,
              "LITEMRC_MEMORY_FRAMES must be a power of two, at least LITEMRC_FRAMES");

constexpr int MEMORY_FRAME_BITS = width_of(MEMORY_FRAMES);
constexpr bool SPLITS = CONTEXTS >= 2;
constexpr int LEAST_SAMPLING = width_of(MEMORY_FRAMES) - width_of(FRAMES);

using memory_frame_t = ap_uint<MEMORY_FRAME_BITS>;
using sampling_t = ap_uint<4>;
using slot_t = ap_uint<width_of(RECENT_PAGES)>;
constexpr int SLOTS = 1 << width_of(RECENT_PAGES); // that slot_t can address

// Like Op, but on a frame of the memory instead of a page of the engine.
struct MemoryOp {
    ap_uint<2> kind;
    memory_frame_t frame;
    context_t context;
    ap_uint<1> write; // OP_INVALIDATE: a claim
    ap_uint<1> epoch_end;
    ap_uint<1> frozen; // an access that moves its page but is not counted
};

using memory_op_word_t = ap_uint<whole_bytes(2 + MEMORY_FRAME_BITS + width_of(CONTEXTS) + 3)>;

inline memory_op_word_t pack(const MemoryOp &op) {
    return packed<memory_op_word_t>(op.kind, op.frame, op.context, op.write, op.epoch_end, op.frozen);
}

inline MemoryOp unpack_memory_op(memory_op_word_t word) {
    MemoryOp op;
    unpack_into(word, op.kind, op.frame, op.context, op.write, op.epoch_end, op.frozen);
    return op;
}

struct FilterSettings {
    memory_frame_t lower, upper; // accesses outside are not counted
    sampling_t sampling;         // k of the rate 1/2^k
    ap_uint<1> split;            // writes count in contexts of their own
};

enum AnswerKind {
    ANSWER_ENGINE = 0,   // the engine's next position
    ANSWER_TOUCH = 1,    // no answer: the engine's next position is discarded
    ANSWER_ABSORBED = 2, // a hit in group 0 of the owner of the page in `slot`
    ANSWER_NOTHING = 3,  // POSITION_NONE
};

struct Answer {
    ap_uint<2> kind;
    slot_t slot; // of the recent page; with ANSWER_ENGINE the slot that the accessed page gets
    ap_uint<1> epoch_end;
    ap_uint<1> frozen; // an access whose position does not count
    ap_uint<1> apart;  // it counts in the owner's context of writes
};

using answer_word_t = ap_uint<whole_bytes(2 + width_of(RECENT_PAGES) + 3)>;

inline answer_word_t pack(const Answer &answer) {
    return packed<answer_word_t>(answer.kind, answer.slot, answer.epoch_end, answer.frozen, answer.apart);
}

inline Answer unpack_answer(answer_word_t word) {
    Answer answer;
    unpack_into(word, answer.kind, answer.slot, answer.epoch_end, answer.frozen, answer.apart);
    return answer;
}

// One step of the filter: one pending answer, and possibly one operation for the engine.
struct FilterStep {
    bool taken; // false: this was a touch; offer the operation again; the working set gets nothing
    bool asks;  // `engine_op` goes to the engine
    Op engine_op;
    Op set_op; // for the working set: a mark, unless a page is accessed or invalidated
    Answer answer;
};

// Accesses of an epoch that the engine has not seen and that count in no context.
struct Uncounted {
    counter_t outside;   // out of range
    counter_t unsampled; // in range, page not sampled
};

// A count has reached its limit: there may have been more.
inline bool full(const Uncounted &uncounted) {
    return uncounted.outside == ~counter_t(0) || uncounted.unsampled == ~counter_t(0);
}

using uncounted_word_t = ap_uint<whole_bytes(2 * COUNTER_BITS)>;

inline uncounted_word_t pack(const Uncounted &uncounted) {
    return packed<uncounted_word_t>(uncounted.outside, uncounted.unsampled);
}

inline Uncounted unpack_uncounted(uncounted_word_t word) {
    Uncounted uncounted;
    unpack_into(word, uncounted.outside, uncounted.unsampled);
    return uncounted;
}

// Which of two slots was used later, for all pairs.
class SlotOrder {
  public:
    void use(slot_t slot);
    bool newer(int slot, int than) const { return newer_[slot][than]; }

  private:
    ap_uint<1> newer_[SLOTS][SLOTS];
};

class PageFilter {
  public:
    // Forgets all pages and counts; call once before the first step.
    void reset();

    FilterStep step(const MemoryOp &op, const FilterSettings &settings);

    // Counts of the last finished epoch; it ends with the step that takes its end.
    Uncounted epoch_uncounted() const { return epoch_uncounted_; }

  private:
    static_assert(1 <= RECENT_PAGES && RECENT_PAGES <= GROUP_PAGES,
                  "LITEMRC_RECENT_PAGES must lie in 1..LITEMRC_FRAMES/LITEMRC_GROUPS: recent pages are in group 0");

    bool is_misplaced(int slot) const;
    bool find_touch(slot_t &slot) const;
    slot_t slot_to_fill() const;

    HLS_STATE ap_uint<1> valid_[SLOTS];
    HLS_STATE frame_t pages_[SLOTS];
    HLS_STATE SlotOrder recency_;      // by the accesses
    HLS_STATE SlotOrder engine_order_; // by the accesses that the engine got
    HLS_STATE Uncounted uncounted_, epoch_uncounted_;
};

// The other half: combines answers and the engine's positions. It records the owners of the recent pages.
class AnswerMerge {
  public:
    static bool needs_engine(const Answer &answer) {
        return answer.kind == ANSWER_ENGINE || answer.kind == ANSWER_TOUCH;
    }

    // `engine` is used only if the answer needs it. Returns false if there is no position to forward.
    bool step(const Answer &answer, const Position &engine, ap_uint<1> first_touch, Counted &counted);

  private:
    HLS_STATE context_t owners_[SLOTS];
};

} // namespace litemrc

// Top function for synthesis: one step. `set_ops` has one operation for each of `ops`, in order. The FIFO after
// `answers` may have any depth from 1; the RTL's has 64. `uncounted` has a word for each epoch that ends.
void page_filter(hls::stream<litemrc::memory_op_word_t> &ops, hls::stream<litemrc::op_word_t> &engine_ops,
                 hls::stream<litemrc::op_word_t> &set_ops, hls::stream<litemrc::answer_word_t> &answers,
                 litemrc::memory_frame_t lower, litemrc::memory_frame_t upper, litemrc::sampling_t sampling,
                 ap_uint<1> split, hls::stream<litemrc::uncounted_word_t> &uncounted HLS_RESTART);

// Top function for synthesis of the other half: one answer.
void page_filter_merge(hls::stream<litemrc::answer_word_t> &answers,
                       hls::stream<litemrc::position_word_t> &engine_positions,
                       hls::stream<litemrc::touch_word_t> &first_touches,
                       hls::stream<litemrc::counted_word_t> &positions HLS_RESTART);
