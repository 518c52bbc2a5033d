// SPDX-License-Identifier: BSD-2-Clause
// Counts the accesses dropped at a given rate by a queue of 512 before the RTL of a stack engine. Every answer is
// compared with the C++ unit's.
//
//   bench PATTERN PER_MILLE ACCESSES
//
// PATTERN: uniform: random pages; one_bank: random pages whose frames have an even number of ones; loop: all pages in
// turn. In each cycle an access comes with probability PER_MILLE / 1000. Prints counts and returns 0 if nothing differs.
#include "common/print.hpp"
#include "engine.hpp"
#include "rtl.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>

using namespace litemrc;

namespace {

constexpr std::size_t QUEUE = 512;

class Pages {
  public:
    Pages(const std::string &pattern, Dice &dice) : pattern_(pattern), dice_(dice) {
        if (pattern != "uniform" && pattern != "one_bank" && pattern != "loop")
            throw std::invalid_argument("no pattern " + pattern);
    }

    int next() {
        if (pattern_ == "loop")
            return cursor_ = (cursor_ + 1) % FRAMES;
        const int frame = dice_.below(FRAMES);
        return pattern_ == "one_bank" && __builtin_parity(unsigned(frame)) ? frame ^ 1 : frame;
    }

  private:
    std::string pattern_;
    Dice &dice_;
    int cursor_ = 0;
};

void run(const std::string &pattern, int per_mille, long accesses) {
    Rtl rtl;
    Dice dice(1);
    Pages pages(pattern, dice);
    auto unit = std::make_unique<Engine>();
    unit->clear();
    std::deque<Op> queue;
    std::deque<Position> expected;
    std::size_t peak = 0;
    long dropped = 0, compared = 0, full_clocks = 0;
    rtl->rst = 1;
    rtl->hold = 0;
    rtl->op_valid = 0;
    rtl.settle();
    rtl.rising_edge();
    rtl->rst = 0;
    for (bool ready = false; !ready; rtl.rising_edge()) {
        rtl.settle();
        ready = rtl->op_ready;
    }
    const std::uint64_t start = rtl.clocks();
    for (long come = 0; come < accesses || !queue.empty() || !expected.empty();) {
        rtl->op_valid = !queue.empty();
        if (!queue.empty()) {
            rtl->op_kind = queue.front().kind;
            rtl->op_frame = queue.front().frame;
        }
        rtl.settle();
        if (rtl->op_valid && rtl->op_ready) {
            expected.push_back(unit->step(queue.front()));
            queue.pop_front();
        }
        if (rtl->position_taken) {
            const Position seen{ap_uint<2>(rtl->position_kind), group_t(rtl->position_group),
                                context_t(rtl->position_context), ap_uint<1>(rtl->position_epoch_end)};
            if (expected.empty() || seen != expected.front())
                throw Mismatch("record " + std::to_string(compared));
            expected.pop_front();
            ++compared;
        }
        rtl.rising_edge();
        if (come < accesses && dice.below(1000) < per_mille) {
            ++come;
            if (queue.size() == QUEUE)
                ++dropped;
            else
                queue.push_back(Op{OP_ACCESS, frame_t(pages.next()), 0, 0, 0});
        }
        peak = std::max(peak, queue.size());
        full_clocks += queue.size() == QUEUE;
    }
    std::cout << "accesses " << accesses << "\ndropped " << dropped << "\npeak " << peak << "\nfull_clocks "
              << full_clocks << "\nrecords_compared " << compared << "\nclocks " << rtl.clocks() - start
              << "\nrenumberings " << renumberings_of(*unit) << "\n";
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        if (argc != 4)
            throw std::invalid_argument("usage: bench PATTERN PER_MILLE ACCESSES");
        run(argv[1], std::atoi(argv[2]), std::strtol(argv[3], nullptr, 10));
    });
}
