// C simulation of group_stack: its answers against exact LRU stacks kept as std::list. Returns 1 if they differ.
//
//   group_stack_tb [OPERATIONS]
#include "../common/engine_testbench.hpp"
#include "group_stack.hpp"
#include "lru_reference.hpp"

int main(int argc, char **argv) {
    return litemrc::run_engine_testbench<litemrc::LruReference>("group_stack_tb", group_stack, argc, argv);
}
