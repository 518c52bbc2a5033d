// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden page filter through the C++ unit, with GroupStack as its engine.
//
//   filter_replay VECTORS
//
// VECTORS, plain numbers: first the sizes, "memory_frames frames groups contexts recent_pages"; then a line for each
// operation: "lower upper sampling split kind frame context write epoch_end frozen", the position expected "kind group context", with
// epoch_end "outside unsampled", then the number of operations the engine gets and "kind frame context claims" of each.
// Returns 1 at the first difference.
#include "common/print.hpp"
#include "group_stack/group_stack.hpp"
#include "page_filter/page_filter.hpp"
#include "vectors.hpp"

#include <iostream>

using namespace litemrc;

namespace {

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {MEMORY_FRAMES, FRAMES, GROUPS, CONTEXTS, RECENT_PAGES});
    static GroupStack engine;
    static PageFilter filter;
    static AnswerMerge merge;
    engine.clear();
    filter.reset();
    unsigned ops = 0, engine_ops = 0, absorbed = 0, touches = 0;
    int lower, upper, sampling, split, kind, frame, context, write, epoch_end, frozen, position_kind, group, owner;
    while (vectors >> lower >> upper >> sampling >> split >> kind >> frame >> context >> write >> epoch_end >> frozen >>
           position_kind >> group >> owner) {
        const MemoryOp op{ap_uint<2>(kind), memory_frame_t(frame), context_t(context), ap_uint<1>(write), ap_uint<1>(epoch_end),
                          ap_uint<1>(frozen)};
        const FilterSettings settings{memory_frame_t(lower), memory_frame_t(upper), sampling_t(sampling), ap_uint<1>(split)};
        const Position expected{ap_uint<2>(position_kind), group_t(group), context_t(owner), ap_uint<1>(epoch_end)};
        int outside = 0, unsampled = 0, expected_ops = 0;
        if (epoch_end)
            vectors >> outside >> unsampled;
        vectors >> expected_ops;

        FilterStep step;
        Counted answer;
        bool same = true;
        do {
            step = filter.step(op, settings);
            Position position{POSITION_NONE, 0, 0, 0};
            if (step.asks) {
                int op_kind = 0, op_frame = 0, op_context = 0, claims = 0;
                vectors >> op_kind >> op_frame >> op_context >> claims;
                const bool on_page = op_kind != OP_CLEAR, names_owner = (op_kind == OP_ACCESS && step.taken) || claims;
                same = same && --expected_ops >= 0 && step.engine_op.kind == op_kind &&
                       (!on_page || step.engine_op.frame == op_frame) && is_claim(step.engine_op) == bool(claims) &&
                       (!names_owner || step.engine_op.context == op_context);
                position = engine.step(step.engine_op);
                ++engine_ops;
            }
            absorbed += step.answer.kind == ANSWER_ABSORBED;
            touches += step.answer.kind == ANSWER_TOUCH;
            merge.step(step.answer, position, 0, answer);
        } while (same && !step.taken);
        const Uncounted counts = filter.epoch_uncounted();
        same = same && expected_ops == 0 && answer.position == expected;
        same = same && (!epoch_end || (counts.outside == unsigned(outside) && counts.unsampled == unsigned(unsampled)));
        if (!same)
            throw Mismatch("operation " + std::to_string(ops) + ": kind " + std::to_string(kind) + " frame " +
                           std::to_string(frame) + ": C++ " + text(answer.position) + ", golden " + text(expected));
        ++ops;
    }
    vectors.check_end(ops);
    std::cout << "operations " << ops << "\nengine_ops_compared " << engine_ops << "\nabsorbed " << absorbed
              << "\ntouches " << touches << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
