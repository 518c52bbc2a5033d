// SPDX-License-Identifier: BSD-2-Clause
// C simulation of bucket_stack: its positions against buckets kept as std::list. Returns 1 if they differ.
//
//   bucket_stack_tb [OPERATIONS]
#include "../common/engine_testbench.hpp"
#include "bucket_reference.hpp"
#include "bucket_stack.hpp"

int main(int argc, char **argv) {
    return litemrc::run_engine_testbench<litemrc::BucketReference>("bucket_stack_tb", bucket_stack, argc, argv);
}
