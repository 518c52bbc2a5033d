# SPDX-License-Identifier: BSD-2-Clause
# The exact stacks' inner loops once for each instruction set, chosen at run time; recency_dispatch.cpp checks for these flags.
# Included by both packages, as litemrc-studies has machines with an exact stack.
set(INSTRUCTION_SETS BASELINE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND INSTRUCTION_SETS SSE4 AVX2 AVX512)
    set(FLAGS_SSE4 -msse4.2 -mpopcnt)
    set(FLAGS_AVX2 ${FLAGS_SSE4} -mavx2 -mbmi2)
    set(FLAGS_AVX512 ${FLAGS_AVX2} -mavx512f -mavx512bw)
endif()
set(RECENCY_KERNELS)
foreach(set IN LISTS INSTRUCTION_SETS)
    add_library(recency_${set} OBJECT
        "${CMAKE_CURRENT_LIST_DIR}/stacks/recency_kernels.cpp" "${CMAKE_CURRENT_LIST_DIR}/stacks/byte_kernels.cpp"
        "${CMAKE_CURRENT_LIST_DIR}/stacks/group_kernels.cpp")
    set_target_properties(recency_${set} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
    target_include_directories(recency_${set} PRIVATE "${CMAKE_CURRENT_LIST_DIR}")
    target_compile_definitions(recency_${set} PRIVATE INSTRUCTION_SET=${set})
    target_compile_options(recency_${set} PRIVATE -Wall -Wextra ${FLAGS_${set}})
    list(APPEND RECENCY_KERNELS recency_${set})
endforeach()
