// SPDX-License-Identifier: BSD-2-Clause
// Replays vectors of the golden working set through the C++ unit.
//
//   set_replay VECTORS
//
// VECTORS, plain numbers: first the number of pages; then a line for each operation, "kind page epoch_end first_touch".
// Returns 1 at the first difference.
#include "vectors.hpp"
#include "working_set/working_set.hpp"

#include <iostream>

using namespace litemrc;

namespace {

void replay(int argc, char **argv) {
    Vectors vectors(argc, argv, {FRAMES});
    static WorkingSet set;
    set.reset();
    unsigned ops = 0, first_touches = 0;
    int kind, page, epoch_end, expected;
    while (vectors >> kind >> page >> epoch_end >> expected) {
        const bool first = set.step(Op{ap_uint<2>(kind), frame_t(page), 0, 0, ap_uint<1>(epoch_end)});
        if (first != bool(expected))
            throw Mismatch("operation " + std::to_string(ops) + ": page " + std::to_string(page) + ": C++ " +
                           std::to_string(first) + ", golden " + std::to_string(expected));
        ++ops;
        first_touches += first;
    }
    vectors.check_end(ops);
    std::cout << "operations " << ops << "\nfirst_touches " << first_touches << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] { replay(argc, argv); });
}
