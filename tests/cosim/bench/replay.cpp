// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden model through the C++ units.
//
//   replay VECTORS
//
// VECTORS, plain numbers: first the sizes, "frames groups contexts"; then a line for each operation, "kind frame
// context write epoch_end", the position expected, "kind group context", and whether it counts as a first touch; after an
// operation that ends an epoch "epoch overflow" and the words of the window. Returns 1 at the first difference.
#include "common/print.hpp"
#include "engine.hpp"
#include "hit_counters/hit_counters.hpp"
#include "vectors.hpp"

#include <iostream>

using namespace litemrc;

namespace {

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {FRAMES, GROUPS, CONTEXTS});
    static Engine stack;
    static HitCounters counters;
    static counter_t window[WINDOW_WORDS];
    stack.clear();
    counters.reset();
    unsigned ops = 0, words = 0;
    int kind, frame, context, write, epoch_end, position_kind, group, owner, first_touch;
    while (vectors >> kind >> frame >> context >> write >> epoch_end >> position_kind >> group >> owner >> first_touch) {
        const Op op{ap_uint<2>(kind), frame_t(frame), context_t(context), ap_uint<1>(write), ap_uint<1>(epoch_end)};
        const Position expected{ap_uint<2>(position_kind), group_t(group), context_t(owner), ap_uint<1>(epoch_end)};
        const Position answer = stack.step(op);
        ++ops;
        if (answer != expected)
            throw Mismatch("operation " + std::to_string(ops) + ": " + text(op) + ": C++ " + text(answer) + ", golden " +
                           text(expected));
        if (!counters.step(Counted{answer, ap_uint<1>(first_touch)}, window))
            continue;
        unsigned epoch, overflow;
        vectors >> epoch >> overflow;
        const bool same = counters.epoch() == epoch && counters.overflow() == bool(overflow);
        words += WINDOW_WORDS;
        if (!(vectors.match(window) && same))
            throw Mismatch("epoch " + std::to_string(epoch) + " behind operation " + std::to_string(ops));
    }
    vectors.check_end(ops);
    std::cout << "operations " << ops << "\nwindow_words_compared " << words << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
