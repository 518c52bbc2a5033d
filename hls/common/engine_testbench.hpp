// SPDX-License-Identifier: BSD-2-Clause
// C simulation of a stack engine: its answers against those of a reference, over one workload for all engines.
#pragma once

#include "print.hpp"
#include "stream.hpp"

#include <cstdlib>
#include <iostream>
#include <random>

namespace litemrc {

constexpr int TESTBENCH_OPS = 60000; // unless told otherwise; RTL co-simulation wants fewer

// Runs of accesses over working sets of changing size and order, with a few other operations between them.
class TestbenchWorkload {
  public:
    Op next() {
        if (run_left_ == 0)
            start_run();
        --run_left_;
        const int dice = random(1000);
        Op op{OP_ACCESS, 0, ap_uint<width_of(CONTEXTS)>(random(50) ? context_ : random(CONTEXTS)), 0, 0};
        cursor_ = in_order_ ? (cursor_ + 1) % working_set_ : random(working_set_);
        op.frame = (base_ + cursor_) % FRAMES;
        if (dice < 20)
            op.kind = OP_INVALIDATE;
        else if (dice < 25)
            op.kind = OP_MARK;
        else if (dice == 25 && random(20) == 0)
            op.kind = OP_CLEAR;
        op.write = random(2); // half of the invalidations are claims, by any context
        if (op.kind == OP_INVALIDATE)
            op.context = random(CONTEXTS);
        op.epoch_end = random(500) == 0;
        return op;
    }

  private:
    int random(int n) { return int(generator_() % unsigned(n)); }

    void start_run() {
        run_left_ = 1 + random(3000);
        working_set_ = 1 + random(random(2) ? FRAMES : GROUP_PAGES * 3);
        base_ = random(FRAMES);
        in_order_ = random(2);
        context_ = random(CONTEXTS);
    }

    std::mt19937 generator_{2004};
    int run_left_ = 0, working_set_ = 1, base_ = 0, cursor_ = 0, context_ = 0;
    bool in_order_ = false;
};


// Runs the engine's top function and its reference side by side; returns what main() should.
template <typename Reference>
int run_engine_testbench(const char *name, void (*engine)(hls::stream<op_word_t> &, hls::stream<position_word_t> &), int argc,
                         char **argv) {
    const int ops_to_do = argc > 1 ? std::atoi(argv[1]) : TESTBENCH_OPS;
    hls::stream<op_word_t> ops;
    hls::stream<position_word_t> positions;
    Reference reference;
    TestbenchWorkload workload;
    int kinds[4] = {0, 0, 0, 0};

    for (int i = 0; i < ops_to_do; ++i) {
        const Op op = workload.next();
        ops.write(pack(op));
        engine(ops, positions);
        const Position seen = unpack_position(positions.read());
        const Position expected = reference.step(op);
        if (seen != expected) {
            std::cerr << name << ": operation " << i << ": " << op << "\n  answered " << seen << "\n  expected "
                      << expected << "\n";
            return 1;
        }
        ++kinds[int(seen.kind)];
    }
    std::cout << name << ": " << FRAMES << " frames, " << GROUPS << " groups, " << CONTEXTS
              << " contexts: " << ops_to_do << " operations as the reference (" << kinds[POSITION_HIT] << " hits, " << kinds[POSITION_MISS]
              << " misses, " << kinds[POSITION_CLEAR] << " clears)\n";
    return 0;
}

} // namespace litemrc
