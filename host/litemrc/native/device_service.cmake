# SPDX-License-Identifier: BSD-2-Clause
# The service of a device and the codec of its messages, generated as by firmware/link/generate.mk.
set(FIRMWARE "${REPOSITORY}/firmware")
set(SCHEMA "${FIRMWARE}/include/litemrc.cddl")
set(LINK "${CMAKE_CURRENT_BINARY_DIR}/link")
file(MAKE_DIRECTORY "${LINK}")
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import zcbor; print(*zcbor.__path__)"
    OUTPUT_VARIABLE ZCBOR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(READER "${REPOSITORY}/host/litemrc/device/link") # schema.py is imported without its package, which needs more than zcbor
set(GENERATE "${CMAKE_COMMAND}" -E env --modify "PYTHONPATH=path_list_prepend:${READER}" -- "${Python_EXECUTABLE}")
set(READS_SCHEMA "${SCHEMA}" "${READER}/schema.py")

add_custom_command(OUTPUT "${LINK}/litemrc_types.h" "${LINK}/litemrc_encode.h" "${LINK}/litemrc_encode.c" "${LINK}/litemrc_decode.c"
    COMMAND "${Python_EXECUTABLE}" -c "import zcbor; zcbor.main()" code --cddl "${SCHEMA}" --encode --decode --short-names
        --entry-types device_message host_request --output-c "${LINK}/litemrc.c" --output-h "${LINK}/litemrc.h"
        --output-h-types "${LINK}/litemrc_types.h" > "${LINK}/zcbor.log"
    DEPENDS "${SCHEMA}" VERBATIM)
foreach(NAME IN ITEMS limits options)
    add_custom_command(OUTPUT "${LINK}/litemrc_${NAME}.h"
        COMMAND ${GENERATE} "${FIRMWARE}/link/${NAME}.py" "${SCHEMA}" > "${LINK}/litemrc_${NAME}.h"
        DEPENDS "${FIRMWARE}/link/${NAME}.py" ${READS_SCHEMA} VERBATIM)
endforeach()
add_custom_command(OUTPUT "${LINK}/litemrc_dispatch.c"
    COMMAND ${GENERATE} "${FIRMWARE}/link/dispatch.py" "${SCHEMA}" "${LINK}/litemrc_decode.c" > "${LINK}/litemrc_dispatch.c"
    DEPENDS "${FIRMWARE}/link/dispatch.py" "${LINK}/litemrc_decode.c" ${READS_SCHEMA} VERBATIM)
add_custom_target(link_headers DEPENDS "${LINK}/litemrc_types.h" "${LINK}/litemrc_limits.h" "${LINK}/litemrc_options.h")

set(GENERATED "${LINK}/litemrc_encode.c" "${LINK}/litemrc_dispatch.c"
    "${ZCBOR}/src/zcbor_common.c" "${ZCBOR}/src/zcbor_encode.c" "${ZCBOR}/src/zcbor_decode.c")
set_source_files_properties(${GENERATED} PROPERTIES COMPILE_OPTIONS -w)
add_library(device_service OBJECT "${FIRMWARE}/link/cobs.c" "${FIRMWARE}/link/frame.c" "${FIRMWARE}/service/registers.c"
    "${FIRMWARE}/service/rank_registers.c" "${FIRMWARE}/service/counter_registers.c" "${FIRMWARE}/service/requests.c"
    "${FIRMWARE}/service/service.c" ${GENERATED})
set_target_properties(device_service PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)
target_include_directories(device_service PUBLIC "${LINK}" "${FIRMWARE}/include" "${FIRMWARE}/link" "${FIRMWARE}/service"
    "${ZCBOR}/include")
target_compile_definitions(device_service PUBLIC ZCBOR_CANONICAL)
target_compile_options(device_service PRIVATE -Wall -Wextra -Wno-sign-compare -Wno-type-limits -O2 -ffunction-sections
    -fdata-sections)
add_dependencies(device_service link_headers)
