// SPDX-License-Identifier: BSD-2-Clause
// The minimum times of a speed grade, in cycles of a given clock.
#pragma once

#include "geometry.hpp"
#include "speed_grades.hpp"

#include <algorithm>
#include <cmath>

namespace ddr3 {

// JESD79-3F's names; in clock cycles unless a unit is given. RL, WL and times of a power-down entry that depend on mode
// registers (tRDPDEN, tWRPDEN, tWRAPDEN) are computed where they are used.
struct Timing {
    std::int64_t tCK_fs;
    std::int64_t tREFI_fs;
    int tAA_ps;
    int tRCD, tRP, tRAS, tRC, tRRD, tFAW, tRFC, tWR;
    int tXP, tXPDLL, tCKE, tCKESR, tXS, tMOD;
    int tACTPDEN, tPRPDEN, tREFPDEN;
    int tWTR, tRTP;
    int tCCD = 4, tMRD = 4;
    int tDLLK = 512, tXSDLL = 512, tZQinit = 512, tZQoper = 256, tZQCS = 64;

    // Whole cycles, rounded up, with a ppm of slack for periods that are not a whole number of fs.
    int clocks(std::int64_t ps) const { return int(std::ceil(double(ps) * 1000 / double(tCK_fs) - 1e-6)); }
    int at_least(int nCK, std::int64_t ps) const { return std::max(nCK, clocks(ps)); }
    std::int64_t ps(Clock t) const { return std::int64_t(double(t) * double(tCK_fs) / 1000); }
};

// Parameters: gigabits of a chip (1, 2, 4, 8), data bits of a chip (8, 16), the clock's period in fs.
inline Timing timing(const SpeedGrade &grade, int gigabits, int chip_bits, std::int64_t tCK_fs) {
    if (tCK_fs < (std::int64_t(grade.tCK_ps) * 1000 * 999) / 1000)
        throw std::invalid_argument("ddr3: the clock is faster than grade " + std::string(grade.name) + " allows");
    if (tCK_fs > 3'300'000) // tCK(avg) max with the DLL on
        throw std::invalid_argument("ddr3: the clock is slower than a DDR3 DLL allows (3.3 ns)");
    Timing t{};
    const int page = chip_bits >= 16; // 1 or 2 KB
    const int tRFC_ps = refresh_cycle_ps(gigabits);
    t.tCK_fs = tCK_fs;
    t.tREFI_fs = std::int64_t(tREFI_PS) * 1000;
    t.tAA_ps = grade.tAA;
    t.tRCD = t.clocks(grade.tRCD);
    t.tRP = t.clocks(grade.tRP);
    t.tRAS = t.clocks(grade.tRAS);
    t.tRC = t.clocks(grade.tRC);
    t.tRRD = t.at_least(4, grade.tRRD[page]);
    t.tFAW = t.clocks(grade.tFAW[page]);
    t.tRFC = t.clocks(tRFC_ps);
    t.tWR = t.clocks(15000);
    t.tWTR = t.at_least(4, 7500);
    t.tRTP = t.at_least(4, 7500);
    t.tXP = t.at_least(3, grade.tXP);
    t.tXPDLL = t.at_least(10, 24000);
    t.tCKE = t.at_least(3, grade.tCKE);
    t.tCKESR = t.tCKE + 1;
    t.tXS = t.at_least(5, tRFC_ps + 10000);
    t.tMOD = t.at_least(12, 15000);
    t.tACTPDEN = t.tPRPDEN = t.tREFPDEN = grade.entry_nCK;
    return t;
}

} // namespace ddr3
