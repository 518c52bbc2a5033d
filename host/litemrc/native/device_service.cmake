# SPDX-License-Identifier: BSD-2-Clause
# The service of a device, and its frames.
set(FIRMWARE "${REPOSITORY}/firmware")
add_library(device_service OBJECT "${FIRMWARE}/service/frame.c" "${FIRMWARE}/service/registers.c"
    "${FIRMWARE}/service/rank_registers.c" "${FIRMWARE}/service/counter_registers.c" "${FIRMWARE}/service/register_messages.c"
    "${FIRMWARE}/service/requests.c" "${FIRMWARE}/service/service.c")
set_target_properties(device_service PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)
target_include_directories(device_service PUBLIC "${FIRMWARE}/include" "${FIRMWARE}/service")
target_compile_options(device_service PRIVATE -Wall -Wextra -O2 -ffunction-sections -fdata-sections)
