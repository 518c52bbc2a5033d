// SPDX-License-Identifier: BSD-2-Clause
// Bench of the chain stack engine -> HitCounters against the C++ units.
//
//   bench random SEED ACCESSES   mixed operations with back-pressure and resets; compared with the reference too if
//                                the stacks are small
//   bench exhaustive             every order of 8 pages in 4 groups, every page accessed, invalidated and claimed in it
//   bench clocks                 cycles of an access to each group, one line for each group
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "lockstep.hpp"
#include "workload.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

using namespace litemrc;

namespace {

Op access(int frame, int context = 0) { return Op{OP_ACCESS, frame_t(frame), context_t(context), 0, 0}; }

void random_bench(unsigned seed, long accesses) {
    constexpr int RESETS = 5;
    Dice dice(seed ^ 0x5eedu);
    Workload workload(seed);
    Lockstep lockstep(seed + 1, FRAMES <= 1024);
    long left = accesses;
    for (int part = 0; part <= RESETS; ++part) {
        for (long left_before = left; left > 0 && left_before - left <= accesses / (RESETS + 1);) {
            const Op op = workload.next();
            lockstep.stalls = workload.stalls();
            lockstep.submit(op);
            left -= op.kind == OP_ACCESS;
        }
        if (part < RESETS) {
            lockstep.run(dice.below(12)); // during the work of the last operation
            lockstep.reset();
        }
    }
    lockstep.stalls = {};
    while (left-- > 0)
        lockstep.submit(access(dice.below(FRAMES)));
    lockstep.submit(Op{OP_MARK, 0, 0, 0, 1});
    lockstep.drain();
    lockstep.report(std::cout);
}

Op invalidate(int page) { return Op{OP_INVALIDATE, frame_t(page), 0, 0, 0}; }

Op claim(int page, int context) { return Op{OP_INVALIDATE, frame_t(page), context_t(context), 1, 0}; }

// Brings the pages into the LRU order `order`, most recent first, then does `op`. The accesses of the next case
// check the state after `op`.
void exhaustive_case(Lockstep &lockstep, const std::vector<int> &order, const Op &op, int running = 0) {
    for (auto page = order.rbegin(); page != order.rend(); ++page)
        lockstep.submit(access(*page, running));
    lockstep.submit(op);
}

void exhaustive_bench() {
    if (FRAMES != 8 || GROUPS != 4)
        throw std::invalid_argument("the exhaustive bench is built for 8 frames in 4 groups");
    Lockstep lockstep(1, true);
    std::vector<int> order(FRAMES);
    long orders = 0, partial_orders = 0;
    std::iota(order.begin(), order.end(), 0);
    for (const int page : order)
        lockstep.submit(access(page));
    do {
        for (int page = 0; page < FRAMES; ++page) {
            exhaustive_case(lockstep, order, access(page, 1), 1); // of another context: counts for the owner
            exhaustive_case(lockstep, order, invalidate(page));
            exhaustive_case(lockstep, order, claim(page, 0)); // accessed next in context 1
        }
        ++orders;
        if (orders % 1000 == 0)
            lockstep.submit(Op{OP_MARK, 0, 0, 0, 1});
    } while (std::next_permutation(order.begin(), order.end()));

    // Stacks of fewer pages, each from an empty stack.
    for (int pages = 0; pages < FRAMES; ++pages) {
        order.resize(pages);
        std::iota(order.begin(), order.end(), 0);
        do {
            for (int page = 0; page < FRAMES; ++page) {
                for (const Op &op : {access(page), invalidate(page), claim(page, 1)}) {
                    lockstep.submit(Op{OP_CLEAR, 0, 0, 0, 0});
                    exhaustive_case(lockstep, order, op);
                    for (int probe = 0; probe < FRAMES; ++probe)
                        lockstep.submit(access(probe));
                }
            }
            ++partial_orders;
        } while (std::next_permutation(order.begin(), order.end()));
    }
    lockstep.submit(Op{OP_MARK, 0, 0, 0, 1});
    lockstep.drain();
    std::cout << "orders " << orders << "\npartial_orders " << partial_orders << "\n";
    lockstep.report(std::cout);
}

// Cycles from taking an operation to taking the next one, without stalls.
std::uint64_t clocks_of(Lockstep &lockstep, const Op &op) {
    const std::uint64_t taken = lockstep.submit(op);
    return lockstep.submit(Op{OP_MARK, 0, 0, 0, 0}) - taken;
}

void clocks_bench() {
    Lockstep lockstep(1, false);
    for (int page = 0; page < FRAMES; ++page)
        lockstep.submit(access(page));
    lockstep.submit(invalidate(0));
    lockstep.submit(access(0, CONTEXTS - 1));
    std::cout << "again " << clocks_of(lockstep, access(0)) << "\n";
    std::cout << "mark " << clocks_of(lockstep, Op{OP_MARK, 0, 0, 0, 0}) << "\n";
    std::cout << "other_top " << clocks_of(lockstep, access(FRAMES - 1)) << "\n";
    // The stack is FRAMES-1 .. 1; accessing the second page of a group leaves the first pages of all other groups.
    for (int group = 0; group < GROUPS; ++group)
        std::cout << "group_" << group << " "
                  << clocks_of(lockstep, access(FRAMES - 1 - group * GROUP_PAGES - 1)) << "\n";
    lockstep.submit(invalidate(1));
    std::cout << "invalidate_invalid " << clocks_of(lockstep, invalidate(1)) << "\n";
    std::cout << "miss_full " << clocks_of(lockstep, access(1)) << "\n";
    std::cout << "clear " << clocks_of(lockstep, Op{OP_CLEAR, 0, 0, 0, 0}) << "\n";
    std::cout << "miss_empty " << clocks_of(lockstep, access(1)) << "\n";
    lockstep.drain();
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "random" && argc == 4)
            random_bench(unsigned(std::strtoul(argv[2], nullptr, 10)), std::strtol(argv[3], nullptr, 10));
        else if (mode == "exhaustive" && argc == 2)
            exhaustive_bench();
        else if (mode == "clocks" && argc == 2)
            clocks_bench();
        else
            throw std::invalid_argument("usage: bench random SEED ACCESSES | exhaustive | clocks");
    });
}
