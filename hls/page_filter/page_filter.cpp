// SPDX-License-Identifier: BSD-2-Clause
#include "page_filter.hpp"

namespace litemrc {

namespace {

constexpr int at_least_1(int n) { return n < 1 ? 1 : n; }

// The odd number nearest to 2^MEMORY_FRAME_BITS over the golden ratio: its multiples spread evenly.
constexpr unsigned long long MULTIPLIER =
    (unsigned long long)(double(1ULL << MEMORY_FRAME_BITS) * 0.6180339887498949) | 1;

// A permutation: the upper bits are folded onto the lower ones, then the result is multiplied by an odd number.
memory_frame_t hashed(memory_frame_t frame) {
    const memory_frame_t folded =
        frame ^ (frame >> at_least_1(MEMORY_FRAME_BITS / 2)) ^ (frame >> at_least_1(MEMORY_FRAME_BITS / 4));
    return folded * memory_frame_t(MULTIPLIER);
}

// Computes the engine's page number of a frame. Returns false if the frame is not sampled.
bool number_of(memory_frame_t frame, sampling_t sampling, frame_t &number) {
    const int k = int(sampling) > LEAST_SAMPLING ? int(sampling) : LEAST_SAMPLING;
    const memory_frame_t ones = ~memory_frame_t(0);
    const memory_frame_t hash = k == 0 ? frame : hashed(frame);
    number = hash;
    return k == 0 || (hash & ~memory_frame_t(ones >> k)) == 0;
}

// The context that owns the pages of `context`: one of the lower half if writes have the other one.
context_t owner_of(context_t context, bool split) {
    return split ? context_t(context & context_t((CONTEXTS - 1) >> 1)) : context;
}

void count(counter_t &counter, bool frozen) {
    if (!frozen && counter != ~counter_t(0))
        ++counter;
}

} // namespace

void SlotOrder::use(slot_t slot) {
    for (int other = 0; other < RECENT_PAGES; ++other) {
        HLS_UNROLL // a few bits: all in one cycle
        if (other != int(slot)) {
            newer_[slot][other] = 1;
            newer_[other][slot] = 0;
        }
    }
}

void PageFilter::reset() {
    for (int slot = 0; slot < RECENT_PAGES; ++slot) {
        HLS_UNROLL
        valid_[slot] = 0;
    }
    uncounted_ = epoch_uncounted_ = Uncounted{0, 0};
}

FilterStep PageFilter::step(const MemoryOp &op, const FilterSettings &settings) {
    const bool frozen = op.frozen && op.kind == OP_ACCESS, split = SPLITS && settings.split;
    FilterStep step{true, false, Op{op.kind, 0, owner_of(op.context, split), op.write, op.epoch_end},
                    Op{OP_MARK, 0, 0, 0, op.epoch_end}, Answer{ANSWER_NOTHING, 0, op.epoch_end, frozen, split && op.write}};
    const bool sampled = number_of(op.frame, settings.sampling, step.engine_op.frame);
    const bool inside = settings.lower <= op.frame && op.frame <= settings.upper;
    bool recent = false;
    slot_t slot = 0;
    for (int s = 0; s < RECENT_PAGES; ++s) {
        HLS_UNROLL // the pages are compared in parallel
        if (valid_[s] && pages_[s] == step.engine_op.frame) {
            recent = true;
            slot = s;
        }
    }

    step.set_op.frame = step.engine_op.frame;
    switch (int(op.kind)) {
    case OP_ACCESS:
        if (inside && sampled && !frozen)
            step.set_op.kind = OP_ACCESS;
        if (!inside) {
            count(uncounted_.outside, frozen);
        } else if (!sampled) {
            count(uncounted_.unsampled, frozen);
        } else if (recent) {
            recency_.use(slot);
            step.answer.kind = ANSWER_ABSORBED;
            step.answer.slot = slot;
        } else if (find_touch(slot)) {
            engine_order_.use(slot);
            step.taken = false;
            step.asks = true;
            step.engine_op = Op{OP_ACCESS, pages_[slot], 0, 0, 0};
            step.answer = Answer{ANSWER_TOUCH, 0, 0, 0, 0};
        } else {
            slot = slot_to_fill();
            valid_[slot] = 1;
            pages_[slot] = step.engine_op.frame;
            recency_.use(slot);
            engine_order_.use(slot);
            step.asks = true;
            step.answer.kind = ANSWER_ENGINE;
            step.answer.slot = slot;
        }
        break;
    case OP_INVALIDATE:
        if (sampled) {
            if (recent)
                valid_[slot] = 0;
            step.set_op.kind = OP_INVALIDATE;
            step.asks = true;
            step.answer.kind = ANSWER_ENGINE;
        }
        break;
    case OP_CLEAR:
        for (int s = 0; s < RECENT_PAGES; ++s) {
            HLS_UNROLL
            valid_[s] = 0;
        }
        uncounted_ = Uncounted{0, 0};
        step.set_op.kind = OP_CLEAR;
        step.asks = true;
        step.answer.kind = ANSWER_ENGINE;
        break;
    default: // OP_MARK
        break;
    }
    if (step.taken && op.epoch_end) {
        epoch_uncounted_ = uncounted_;
        uncounted_ = Uncounted{0, 0};
    }
    return step;
}

// Whether the engine has a less recent page above this one.
bool PageFilter::is_misplaced(int slot) const {
    bool misplaced = false;
    for (int other = 0; other < RECENT_PAGES; ++other) {
        HLS_UNROLL
        misplaced |= other != slot && valid_[other] && recency_.newer(slot, other) && engine_order_.newer(other, slot);
    }
    return valid_[slot] && misplaced;
}

// Finds the least recent misplaced page. Returns false if there is none.
bool PageFilter::find_touch(slot_t &slot) const {
    bool found = false;
    for (int s = 0; s < RECENT_PAGES; ++s) {
        HLS_UNROLL
        bool least_recent = is_misplaced(s);
        for (int other = 0; other < RECENT_PAGES; ++other) {
            HLS_UNROLL
            if (other != s && is_misplaced(other) && recency_.newer(s, other))
                least_recent = false;
        }
        if (least_recent) {
            found = true;
            slot = s;
        }
    }
    return found;
}

// The last free slot, or else that of the least recent page.
slot_t PageFilter::slot_to_fill() const {
    slot_t slot = 0;
    bool found_free = false;
    for (int s = 0; s < RECENT_PAGES; ++s) {
        HLS_UNROLL
        bool least_recent = true;
        for (int other = 0; other < RECENT_PAGES; ++other) {
            HLS_UNROLL
            if (other != s && recency_.newer(s, other))
                least_recent = false;
        }
        if (!valid_[s] || (least_recent && !found_free))
            slot = s;
        found_free |= !valid_[s];
    }
    return slot;
}

bool AnswerMerge::step(const Answer &answer, const Position &engine, ap_uint<1> first_touch, Counted &counted) {
    counted = Counted{Position{POSITION_NONE, 0, 0, answer.epoch_end}, first_touch};
    if (answer.kind == ANSWER_ENGINE) {
        if (!answer.frozen)
            counted.position = engine;
        if (engine.kind == POSITION_HIT || engine.kind == POSITION_MISS)
            owners_[answer.slot] = engine.context;
    } else if (answer.kind == ANSWER_ABSORBED && !answer.frozen) {
        counted.position = Position{POSITION_HIT, 0, owners_[answer.slot], answer.epoch_end};
    }
    if (answer.apart && (counted.position.kind == POSITION_HIT || counted.position.kind == POSITION_MISS))
        counted.position.context = counted.position.context | context_t(CONTEXTS / 2);
    return answer.kind != ANSWER_TOUCH;
}

} // namespace litemrc

#ifndef LITEMRC_UNITS_ONLY
void page_filter(hls::stream<litemrc::memory_op_word_t> &ops, hls::stream<litemrc::op_word_t> &engine_ops,
                 hls::stream<litemrc::op_word_t> &set_ops, hls::stream<litemrc::answer_word_t> &answers,
                 litemrc::memory_frame_t lower, litemrc::memory_frame_t upper, litemrc::sampling_t sampling,
                 ap_uint<1> split, hls::stream<litemrc::uncounted_word_t> &uncounted HLS_RESTART) {
    HLS_STREAM(ops)
    HLS_STREAM(engine_ops)
    HLS_STREAM(set_ops)
    HLS_STREAM(answers)
    HLS_VALUE(lower) // constant while operations are in flight
    HLS_VALUE(upper)
    HLS_VALUE(sampling)
    HLS_VALUE(split)
    HLS_STREAM(uncounted)
    HLS_FREE_RUNNING
    HLS_PIPELINED_TOP // one step per cycle: the state is a few registers, and the hash lies before all of them

    static litemrc::PageFilter filter;
    static litemrc::MemoryOp op;
    static bool started = false;
    static bool op_waits = false;
    HLS_REGISTERS(filter.valid_) // all slots are looked at in one cycle
    HLS_REGISTERS(filter.pages_)
    HLS_REGISTERS(filter.recency_.newer_)
    HLS_REGISTERS(filter.engine_order_.newer_)
    HLS_RESET(started)
    HLS_RESET(op_waits)

    if (!started) {
        filter.reset();
        started = true;
    }
    if (!op_waits)
        op = litemrc::unpack_memory_op(ops.read());
    const litemrc::FilterStep step = filter.step(op, litemrc::FilterSettings{lower, upper, sampling, split});
    op_waits = !step.taken;
    answers.write(pack(step.answer));
    if (step.asks)
        engine_ops.write(pack(step.engine_op));
    if (step.taken)
        set_ops.write(pack(step.set_op));
    if (step.taken && op.epoch_end)
        uncounted.write(pack(filter.epoch_uncounted()));
}

void page_filter_merge(hls::stream<litemrc::answer_word_t> &answers,
                       hls::stream<litemrc::position_word_t> &engine_positions,
                       hls::stream<litemrc::touch_word_t> &first_touches,
                       hls::stream<litemrc::counted_word_t> &positions HLS_RESTART) {
    HLS_STREAM(answers)
    HLS_STREAM(engine_positions)
    HLS_STREAM(first_touches)
    HLS_STREAM(positions)
    HLS_FREE_RUNNING
    HLS_PIPELINED_TOP // one answer per cycle: reading an owner and learning one are a register apart

    static litemrc::AnswerMerge merge;
    HLS_REGISTERS(merge.owners_) // written and read in one cycle

    const litemrc::Answer answer = litemrc::unpack_answer(answers.read());
    litemrc::Position engine{litemrc::POSITION_NONE, 0, 0, 0};
    litemrc::Counted counted;
    if (litemrc::AnswerMerge::needs_engine(answer))
        engine = litemrc::unpack_position(engine_positions.read());
    litemrc::touch_word_t first_touch = 0;
    if (answer.kind != litemrc::ANSWER_TOUCH)
        first_touch = first_touches.read();
    if (merge.step(answer, engine, ap_uint<1>(first_touch), counted))
        positions.write(pack(counted));
}
#endif
