// SPDX-License-Identifier: BSD-2-Clause
// C simulation of working_set: every answer against a std::set of the pages touched. Returns 1 if they differ.
//
//   working_set_tb [OPERATIONS]
#include "../common/print.hpp"
#include "working_set.hpp"

#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

using namespace litemrc;

namespace {

constexpr int OPS = 300000; // by default; RTL co-simulation wants fewer

} // namespace

int main(int argc, char **argv) {
    const int ops_to_do = argc > 1 ? std::atoi(argv[1]) : OPS;
    std::mt19937 generator(1968);
    const auto random = [&](int n) { return int(generator() % unsigned(n)); };
    hls::stream<op_word_t> ops;
    hls::stream<touch_word_t> first_touches;
    std::set<int> touched;
    long first = 0, epochs = 0;
    int epoch_ops = 1, pages = FRAMES;
    for (int i = 0; i < ops_to_do; ++i) {
        if (random(3000) == 0) { // many short epochs, in which most words keep an old tag; or few long ones
            epoch_ops = 1 + random(random(3) ? 6 : 2000);
            pages = random(3) ? FRAMES : 1 + random(FRAMES);
        }
        Op op{OP_ACCESS, frame_t(random(pages)), 0, 0, ap_uint<1>(random(epoch_ops) == 0)};
        const int dice = random(1000);
        if (dice < 100)
            op.kind = OP_INVALIDATE;
        else if (dice < 150)
            op.kind = OP_MARK;
        else if (dice == 150)
            op.kind = OP_CLEAR;
        ops.write(pack(op));
        while (!ops.empty()) // it waits for a sweep
            working_set(ops, first_touches);
        const bool answer = first_touches.read();

        bool expected = false;
        if (op.kind == OP_ACCESS)
            expected = touched.insert(int(op.frame)).second;
        else if (op.kind == OP_INVALIDATE)
            touched.erase(int(op.frame));
        if (op.kind == OP_CLEAR || op.epoch_end)
            touched.clear();
        first += expected;
        epochs += op.epoch_end;
        if (answer != expected) {
            std::cerr << "working_set_tb: operation " << i << ": " << op << ": first touch " << answer << ", expected "
                      << expected << "\n";
            return 1;
        }
    }
    std::cout << "working_set_tb: " << FRAMES << " pages: " << ops_to_do << " operations, " << epochs << " epochs, "
              << first << " first touches as the reference (std::set)\n";
    return 0;
}
