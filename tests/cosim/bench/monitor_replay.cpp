// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden monitor through the C++ units, connected as in the monitor.
//
//   monitor_replay VECTORS
//
// VECTORS, plain numbers: first the sizes, "memory_frames frames groups contexts recent_pages"; then a line for each
// operation: "lower upper sampling split kind frame context write epoch_end frozen"; after one that ends an epoch "outside unsampled
// epoch overflow" and the words of the window. Returns 1 at the first difference.
#include "monitor_chain.hpp"
#include "vectors.hpp"

#include <iostream>

using namespace litemrc;

namespace {

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {MEMORY_FRAMES, FRAMES, GROUPS, CONTEXTS, RECENT_PAGES});
    static MonitorChain chain;
    unsigned ops = 0, words = 0, touched = 0, frozen_accesses = 0;
    int lower, upper, sampling, split, kind, frame, context, write, epoch_end, frozen;
    while (vectors >> lower >> upper >> sampling >> split >> kind >> frame >> context >> write >> epoch_end >> frozen) {
        chain.settings = FilterSettings{memory_frame_t(lower), memory_frame_t(upper), sampling_t(sampling), ap_uint<1>(split)};
        const Counted counted = chain.step(MemoryOp{ap_uint<2>(kind), memory_frame_t(frame), context_t(context), ap_uint<1>(write),
                                                    ap_uint<1>(epoch_end), ap_uint<1>(frozen)});
        ++ops;
        touched += counted.first_touch;
        frozen_accesses += frozen && kind == OP_ACCESS;
        if (!chain.counters.step(counted, chain.window))
            continue;
        unsigned outside = 0, unsampled = 0, epoch = 0, overflow = 0;
        vectors >> outside >> unsampled >> epoch >> overflow;
        const bool overflowed = chain.counters.overflow() || full(chain.uncounted());
        const bool same = chain.uncounted().outside == outside && chain.uncounted().unsampled == unsampled &&
                    chain.counters.epoch() == epoch && overflowed == bool(overflow);
        words += WINDOW_WORDS;
        if (!(vectors.match(chain.window) && same))
            throw Mismatch("epoch " + std::to_string(epoch) + " behind operation " + std::to_string(ops));
    }
    vectors.check_end(ops);
    std::cout << "operations " << ops << "\nengine_ops " << chain.engine_ops << "\nfirst_touches " << touched
              << "\nfrozen " << frozen_accesses << "\nwindow_words_compared " << words << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
