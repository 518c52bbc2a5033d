// SPDX-License-Identifier: BSD-2-Clause
// What the data sheet defines: sizes, times, commands. MT48LC16M16A2-75: Micron, 256Mb SDRAM, tables 14 and 18.
#pragma once

#include <cstdint>

namespace sdr {

using Clock = std::int64_t; // cycles since power-up

constexpr unsigned BANKS = 4, ROWS = 8192, COLUMNS = 512; // of 16 bits: 32 MB
constexpr unsigned AUTO_PRECHARGE = 1u << 10;            // in the address of RD, WR and PRE

// Times in ps.
constexpr std::int64_t tRCD_PS = 20'000, tRP_PS = 20'000, tRAS_PS = 44'000, tRAS_MAX_PS = 120'000'000;
constexpr std::int64_t tRC_PS = 66'000, tRRD_PS = 15'000, tWR_PS = 15'000, tWR_AUTO_PS = 7'500, tRFC_PS = 66'000;
constexpr std::int64_t tREF_PS = 64'000'000'000, POWER_UP_PS = 100'000'000;
constexpr std::int64_t tCK_CL2_PS = 10'000, tCK_CL3_PS = 7'500;
constexpr Clock tMRD = 2;

// RAS#, CAS# and WE#, from the highest bit down.
enum class Command : unsigned { MRS = 0, REF = 1, PRE = 2, ACT = 3, WR = 4, RD = 5, STOP = 6, NOP = 7 };

// The chip's inputs at a rising edge of its clock.
struct Pins {
    bool cke = true, cs_n = true;
    Command command = Command::NOP;
    unsigned bank = 0, address = 0;
    unsigned dqm = 0;         // one bit for each byte
    std::uint16_t data = 0;   // of the controller
    bool driven = false;      // by the controller
};

// The chip's data lines from an edge to the next one; `mask` has ones where it drives them.
struct Output {
    std::uint16_t data = 0, mask = 0;
};

} // namespace sdr
