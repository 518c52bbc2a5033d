// Replays vectors of the golden working set through the C++ unit.
//
//   set_replay VECTORS
//
// VECTORS, plain numbers: first the number of pages; then a line for each operation, "kind page epoch_end first_touch".
// Returns 1 at the first difference.
#include "working_set/working_set.hpp"

#include <fstream>
#include <iostream>

using namespace litemrc;

int main(int argc, char **argv) {
    std::ifstream vectors(argc == 2 ? argv[1] : "");
    int pages = 0;
    vectors >> pages;
    if (pages != FRAMES) {
        std::cerr << "usage: set_replay VECTORS, of " << FRAMES << " pages" << std::endl;
        return 2;
    }
    static WorkingSet set;
    set.reset();
    unsigned ops = 0, first_touches = 0;
    int kind, page, epoch_end, expected;
    while (vectors >> kind >> page >> epoch_end >> expected) {
        const bool first = set.step(Op{ap_uint<2>(kind), frame_t(page), 0, 0, ap_uint<1>(epoch_end)});
        if (first != bool(expected)) {
            std::cout << "MISMATCH: operation " << ops << ": page " << page << ": C++ " << first << ", golden "
                      << expected << std::endl;
            return 1;
        }
        ++ops;
        first_touches += first;
    }
    if (!vectors.eof()) {
        std::cerr << argv[1] << ": not a number behind operation " << ops << std::endl;
        return 2;
    }
    std::cout << "operations " << ops << "\nfirst_touches " << first_touches << "\n";
    return 0;
}
