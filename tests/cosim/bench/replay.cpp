// Replays vectors of the golden model through the C++ units.
//
//   replay VECTORS
//
// VECTORS, plain numbers: first the sizes, "frames groups contexts"; then a line for each operation, "kind frame
// context epoch_end" and the position expected, "kind group context", and whether it is to count as a first touch; behind an operation that ends an epoch
// "epoch overflow" and the words of the window. Returns 1 at the first difference.
#include "common/print.hpp"
#include "engine.hpp"
#include "hit_counters/hit_counters.hpp"

#include <fstream>
#include <iostream>

using namespace litemrc;

int main(int argc, char **argv) {
    std::ifstream vectors(argc == 2 ? argv[1] : "");
    int frames = 0, groups = 0, contexts = 0;
    vectors >> frames >> groups >> contexts;
    if (frames != FRAMES || groups != GROUPS || contexts != CONTEXTS) {
        std::cerr << "usage: replay VECTORS, of a model with " << FRAMES << " frames, " << GROUPS << " groups, "
                  << CONTEXTS << " contexts" << std::endl;
        return 2;
    }
    static Engine stack;
    static HitCounters counters;
    static counter_t window[WINDOW_WORDS];
    stack.clear();
    counters.reset();
    unsigned ops = 0, words = 0;
    int kind, frame, context, epoch_end, position_kind, group, owner, first_touch;
    while (vectors >> kind >> frame >> context >> epoch_end >> position_kind >> group >> owner >> first_touch) {
        const Op op{ap_uint<2>(kind), frame_t(frame), context_t(context), 0, ap_uint<1>(epoch_end)};
        const Position expected{ap_uint<2>(position_kind), group_t(group), context_t(owner), ap_uint<1>(epoch_end)};
        const Position answer = stack.step(op);
        ++ops;
        if (answer != expected) {
            std::cout << "MISMATCH: operation " << ops << ": " << op << ": C++ " << answer << ", golden " << expected
                      << std::endl;
            return 1;
        }
        if (!counters.step(Counted{answer, ap_uint<1>(first_touch)}, window))
            continue;
        unsigned epoch, overflow, word;
        vectors >> epoch >> overflow;
        bool same = counters.epoch() == epoch && counters.overflow() == bool(overflow);
        for (int address = 0; address < WINDOW_WORDS; ++address, ++words) {
            vectors >> word;
            same = same && vectors && window[address] == word;
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
    std::cout << "operations " << ops << "\nwindow_words_compared " << words << "\n";
    return 0;
}
