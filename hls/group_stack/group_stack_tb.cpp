// SPDX-License-Identifier: BSD-2-Clause
// C simulation of group_stack: its positions against exact LRU stacks kept as std::list, and the groups that follow from its
// moves. Returns 1 if they differ.
//
//   group_stack_tb [OPERATIONS]
#include "../common/engine_testbench.hpp"
#include "group_stack.hpp"
#include "lru_reference.hpp"

namespace {

using namespace litemrc;

// Compares each page's group according to the moves with the reference.
int run_moves_testbench(int ops_to_do) {
    hls::stream<op_word_t> ops;
    hls::stream<position_word_t> positions;
    hls::stream<move_word_t> moves;
    LruReference reference;
    TestbenchWorkload workload;
    constexpr int NOWHERE = -1;
    std::vector<int> groups(FRAMES, NOWHERE), owners(FRAMES, NOWHERE);
    long moved = 0;
    for (int i = 0; i < ops_to_do; ++i) {
        const Op op = workload.next();
        ops.write(pack(op));
        group_stack_moves(ops, positions, moves);
        positions.read();
        reference.step(op);
        if (op.kind == OP_CLEAR)
            groups.assign(FRAMES, NOWHERE);
        for (; !moves.empty(); ++moved) {
            const Move move = unpack_move(moves.read());
            const int page = move.page;
            const bool owned = !move.was_valid || owners[page] == int(move.context);
            if (groups[page] != (move.was_valid ? int(move.from_group) : NOWHERE) || !owned) {
                std::cerr << "group_stack_tb: operation " << i << ": " << op << ": " << move << ", but it was in group "
                          << groups[page] << " of context " << owners[page] << "\n";
                return 1;
            }
            groups[page] = move.is_valid ? int(move.to_group) : NOWHERE;
            owners[page] = move.context;
        }
        for (int context = 0; i % 97 == 0 && context < CONTEXTS; ++context) {
            int position = 0;
            for (const int page : reference.stack(context)) {
                const int group = position++ / GROUP_PAGES;
                if (groups[page] != group || owners[page] != context) {
                    std::cerr << "group_stack_tb: operation " << i << ": page " << page << " moved to group "
                              << groups[page] << " of context " << owners[page] << ", it is in group " << group
                              << " of context " << context << "\n";
                    return 1;
                }
            }
        }
    }
    std::cout << "group_stack_tb: " << moved << " moves as the reference (std::list)\n";
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const int failed = run_engine_testbench<LruReference>("group_stack_tb", group_stack, argc, argv);
    return failed ? failed : run_moves_testbench(argc > 1 ? std::atoi(argv[1]) : TESTBENCH_OPS);
}
