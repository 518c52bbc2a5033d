// SPDX-License-Identifier: BSD-2-Clause
// Bench of WorkingSet against the C++ unit.
//
//   set_bench random SEED OPERATIONS   long and very short epochs, with and without free cycles
//   set_bench waits                    cycles that 16 epochs of one access and one cycle each wait
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "common/print.hpp"
#include "rtl.hpp"
#include "working_set/working_set.hpp"

#include <cstdlib>
#include <deque>
#include <iostream>
#include <set>
#include <string>

using namespace litemrc;

namespace {

constexpr int LATENCY = 4; // of the RTL, see working_set.py

class SetBench {
  public:
    SetBench() { reset(); }

    void reset() {
        rtl_->rst = 1;
        rtl_->touch = rtl_->leave = rtl_->advance = 0;
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        set_.reset();
        reference_.clear();
        expected_.assign(LATENCY, 0);
    }

    // Executes one operation when the RTL takes it.
    void submit(const Op &op) {
        for (rtl_.settle(); !rtl_->ready; rtl_.settle(), ++waits)
            clock(nullptr);
        clock(&op);
    }

    void idle(int clocks) {
        for (int i = 0; i < clocks; ++i)
            clock(nullptr);
    }

    std::uint64_t ops = 0, first_touches = 0, epochs = 0, waits = 0;

  private:
    void clock(const Op *op) {
        rtl_->touch = op && op->kind == OP_ACCESS;
        rtl_->leave = op && op->kind == OP_INVALIDATE;
        rtl_->advance = op && (op->kind == OP_CLEAR || op->epoch_end);
        rtl_->page = op ? int(op->frame) : int(ops % FRAMES);
        rtl_.settle();
        expected_.push_back(op ? int(answer_to(*op)) : 0);
        if (int(rtl_->first_touch) != expected_.front())
            throw Mismatch("operation " + std::to_string(ops) + " or one of the " + std::to_string(LATENCY) +
                           " before: RTL " + std::to_string(rtl_->first_touch));
        expected_.pop_front();
        rtl_.rising_edge();
    }

    ap_uint<1> answer_to(const Op &op) {
        const ap_uint<1> first = set_.step(op);
        const bool reference = op.kind == OP_ACCESS && reference_.insert(int(op.frame)).second;
        if (op.kind == OP_INVALIDATE)
            reference_.erase(int(op.frame));
        if (op.kind == OP_CLEAR || op.epoch_end)
            reference_.clear();
        if (first != reference)
            throw Mismatch(text(op) + ": C++ " + text(first) + ", reference " + text(reference));
        ++ops;
        first_touches += first;
        epochs += op.epoch_end;
        return first;
    }

    Rtl rtl_;
    WorkingSet set_;
    std::set<int> reference_;
    std::deque<int> expected_;
};

void random_bench(unsigned seed, long operations) {
    Dice dice(seed);
    SetBench bench;
    int epoch_ops = 1, pages = FRAMES, idle_percent = 0;
    for (long i = 0; i < operations; ++i) {
        if (i % 500 == 0) {
            epoch_ops = 1 + dice.below(dice.percent(60) ? 20 : 5000);
            pages = dice.percent(40) ? 1 + dice.below(4) : 1 + dice.below(FRAMES);
            idle_percent = dice.percent(50) ? 0 : dice.below(90);
        }
        Op op{OP_ACCESS, frame_t(dice.below(pages)), 0, 0, ap_uint<1>(dice.below(epoch_ops) == 0)};
        const int kind = dice.below(1000);
        if (kind < 150)
            op.kind = OP_INVALIDATE;
        else if (kind < 160)
            op.kind = OP_MARK;
        else if (kind == 160)
            op.kind = OP_CLEAR;
        while (dice.percent(idle_percent))
            bench.idle(1);
        bench.submit(op);
        if (dice.below(20000) == 0)
            bench.reset();
    }
    bench.idle(LATENCY + 1);
    std::cout << "operations " << bench.ops << "\nfirst_touches " << bench.first_touches << "\nepochs " << bench.epochs
              << "\nwaits " << bench.waits << "\n";
}

void waits_bench() {
    SetBench bench;
    bench.idle(FRAMES);
    for (int epoch = 0; epoch < 16; ++epoch)
        bench.submit(Op{OP_ACCESS, frame_t(epoch % FRAMES), 0, 0, 1});
    std::cout << "waits " << bench.waits << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "random" && argc == 4)
            random_bench(unsigned(std::strtoul(argv[2], nullptr, 10)), std::strtol(argv[3], nullptr, 10));
        else if (mode == "waits" && argc == 2)
            waits_bench();
        else
            throw std::invalid_argument("usage: bench random SEED OPERATIONS | waits");
    });
}
