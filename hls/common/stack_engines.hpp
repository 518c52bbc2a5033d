// SPDX-License-Identifier: BSD-2-Clause
// The stack engines: one row each; and their sources, where LITEMRC_STACK_ENGINE_SOURCES is defined.
//
// A row is engine(number, UNIT, name, Class, moves): the number in the register capabilities, LITEMRC_ENGINE_<UNIT> of
// litemrc_regs.h; its name on the host; its class; 1 if it reports the moves of pages, which the rank meter needs.
// host/litemrc/native/CMakeLists.txt reads the rows, too.
#ifndef LITEMRC_STACK_ENGINES
// clang-format off
#define LITEMRC_STACK_ENGINES(engine) \
    engine(1, GROUP_STACK, group, GroupStack, 1) \
    engine(2, BUCKET_STACK, bucket, BucketStack, 0)
// clang-format on
#endif

#ifdef LITEMRC_STACK_ENGINE_SOURCES
#include "bucket_stack/bucket_stack.cpp"
#include "group_stack/group_stack.cpp"
#endif
