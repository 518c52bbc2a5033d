// SPDX-License-Identifier: BSD-2-Clause
// Datasheet values by speed grade and density.
//
// Source: JESD79-3F, its tables of speed bins, of timing parameters by speed bin and of refresh parameters by device
// density, as the datasheets of Samsung K4B2G0446D, Hynix HMT351R7AFR8A and Micron MT41J128M16 also have them (Micron:
// tRFC of 4 Gb is 260 ns). None of it comes from LiteDRAM. The last grade is included for its longer entry to power-down.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

namespace ddr3 {

struct SpeedGrade {
    const char *name;
    int tCK_ps; // the shortest clock period of the grade
    int tAA, tRCD, tRP, tRAS, tRC;
    int tRRD[2], tFAW[2]; // by page size: 1 KB (x4, x8 chips), 2 KB (x16)
    int tXP, tCKE;        // ps part of max(3 nCK, ps)
    int entry_nCK;        // tACTPDEN, tPRPDEN, tREFPDEN
};

constexpr SpeedGrade SPEED_GRADES[] = {
    {"800E", 2500, 15000, 15000, 15000, 37500, 52500, {10000, 10000}, {40000, 50000}, 7500, 7500, 1},
    {"1066F", 1875, 13125, 13125, 13125, 37500, 50625, {7500, 10000}, {37500, 50000}, 7500, 5625, 1},
    {"1333H", 1500, 13500, 13500, 13500, 36000, 49500, {6000, 7500}, {30000, 45000}, 6000, 5625, 1},
    {"1600K", 1250, 13750, 13750, 13750, 35000, 48750, {6000, 7500}, {30000, 40000}, 6000, 5000, 1},
    {"2133N", 938, 13090, 13090, 13090, 33000, 46090, {5000, 6000}, {25000, 35000}, 6000, 5000, 2},
};

inline const SpeedGrade &speed_grade(const std::string &name) {
    for (const SpeedGrade &grade : SPEED_GRADES)
        if (name == grade.name)
            return grade;
    throw std::invalid_argument("ddr3: the speed grade must be 800E, 1066F, 1333H, 1600K or 2133N (got " + name + ")");
}

// tRFC in ps of a chip of the given Gbit.
inline int refresh_cycle_ps(int gigabits) {
    switch (gigabits) {
    case 1: return 110'000;
    case 2: return 160'000;
    case 4: return 260'000;
    case 8: return 350'000;
    }
    throw std::invalid_argument("ddr3: gigabits must be 1, 2, 4 or 8 (got " + std::to_string(gigabits) + ")");
}

// 64 ms / 8192 rows, 7.8 us in datasheets (up to 85 degrees C).
constexpr int tREFI_PS = 7'812'500;

} // namespace ddr3
