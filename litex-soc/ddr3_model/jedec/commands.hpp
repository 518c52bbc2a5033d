// SPDX-License-Identifier: BSD-2-Clause
// DDR3's commands as levels of the pins (JESD79-3F, command truth table).
#pragma once

#include <cstddef>
#include <cstdint>

namespace ddr3 {

enum class Command : std::uint8_t { MRS = 0, REF = 1, PRE = 2, ACT = 3, WR = 4, RD = 5, ZQ = 6, NOP = 7 };

constexpr const char *name_of(Command command) {
    constexpr const char *NAMES[] = {"MRS", "REF", "PRE", "ACT", "WR", "RD", "ZQ", "NOP"};
    return NAMES[std::size_t(command)];
}

constexpr Command command_of(bool ras_n, bool cas_n, bool we_n) {
    return Command(ras_n << 2 | cas_n << 1 | int(we_n));
}

constexpr unsigned A10 = 1u << 10; // RD, WR: auto-precharge; PRE: all banks; ZQ: the long calibration

// The pins of all ranks in one cycle of the DRAM; one bit for each rank in cs_n, cke, odt.
struct Pins {
    std::uint32_t cs_n = ~0u, cke = 0, odt = 0;
    Command command = Command::NOP;
    unsigned bank = 0, address = 0;
    bool reset_n = true;
};

} // namespace ddr3
