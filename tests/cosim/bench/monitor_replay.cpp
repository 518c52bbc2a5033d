// Replays vectors of the golden monitor through the C++ units, put together as in the monitor.
//
//   monitor_replay VECTORS
//
// VECTORS, plain numbers: first the sizes, "memory_frames frames groups contexts recent_pages"; then a line for each
// operation: "lower upper sampling kind frame context epoch_end frozen"; behind one that ends an epoch "outside unsampled
// epoch overflow" and the words of the window. Returns 1 at the first difference.
#include "monitor_chain.hpp"

#include <fstream>
#include <iostream>

using namespace litemrc;

int main(int argc, char **argv) {
    std::ifstream vectors(argc == 2 ? argv[1] : "");
    int memory_frames = 0, frames = 0, groups = 0, contexts = 0, recent_pages = 0;
    vectors >> memory_frames >> frames >> groups >> contexts >> recent_pages;
    if (memory_frames != MEMORY_FRAMES || frames != FRAMES || groups != GROUPS || contexts != CONTEXTS ||
        recent_pages != RECENT_PAGES) {
        std::cerr << "usage: monitor_replay VECTORS, of a monitor of the same sizes" << std::endl;
        return 2;
    }
    static MonitorChain chain;
    unsigned ops = 0, words = 0, touched = 0, frozen_accesses = 0;
    int lower, upper, sampling, kind, frame, context, epoch_end, frozen;
    while (vectors >> lower >> upper >> sampling >> kind >> frame >> context >> epoch_end >> frozen) {
        chain.settings = FilterSettings{memory_frame_t(lower), memory_frame_t(upper), sampling_t(sampling)};
        const Counted counted = chain.step(MemoryOp{ap_uint<2>(kind), memory_frame_t(frame), context_t(context), 0,
                                                    ap_uint<1>(epoch_end), ap_uint<1>(frozen)});
        ++ops;
        touched += counted.first_touch;
        frozen_accesses += frozen && kind == OP_ACCESS;
        if (!chain.counters.step(counted, chain.window))
            continue;
        unsigned outside = 0, unsampled = 0, epoch = 0, overflow = 0, word = 0;
        vectors >> outside >> unsampled >> epoch >> overflow;
        bool same = chain.uncounted().outside == outside && chain.uncounted().unsampled == unsampled &&
                    chain.counters.epoch() == epoch && chain.counters.overflow() == bool(overflow);
        for (int address = 0; address < WINDOW_WORDS; ++address, ++words) {
            vectors >> word;
            same = same && vectors && chain.window[address] == word;
        }
        if (!same) {
            std::cout << "MISMATCH: epoch " << epoch << " behind operation " << ops << std::endl;
            return 1;
        }
    }
    if (!vectors.eof()) {
        std::cerr << argv[1] << ": not a number behind operation " << ops << std::endl;
        return 2;
    }
    std::cout << "operations " << ops << "\nengine_ops " << chain.engine_ops << "\nfirst_touches " << touched
              << "\nfrozen " << frozen_accesses << "\nwindow_words_compared " << words << "\n";
    return 0;
}
