// SPDX-License-Identifier: BSD-2-Clause
// The mode registers of a rank and the meaning of their fields (JESD79-3F, register definition).
#pragma once

#include "geometry.hpp"

#include <cstdint>

namespace ddr3 {

class ModeRegisters {
  public:
    static constexpr unsigned NUMBER = 4;

    void load(unsigned number, unsigned value) { value_[number % NUMBER] = value; }
    unsigned value(unsigned number) const { return value_[number % NUMBER]; }

    // Typical values of software: fast exit, RTT_NOM off, DLL on, the whole array refreshed.
    void preset(unsigned cl, unsigned cwl, unsigned write_recovery) {
        const unsigned cl_code = cl <= 11 ? (cl - 4) << 1 : ((cl - 12) << 1 | 1);
        value_[0] = (cl_code & 1) << 2 | (cl_code >> 1) << 4 | wr_code(write_recovery) << 9 | 1u << 12;
        value_[1] = value_[3] = 0;
        value_[2] = (cwl - 5) << 3;
    }

    bool burst_is_8() const { return (value_[0] & 3) == 0; }

    unsigned cl() const {
        const unsigned code = (value_[0] >> 4 & 7) << 1 | (value_[0] >> 2 & 1);
        return code & 1 ? (code >> 1) + 12 : (code >> 1) + 4;
    }

    unsigned cwl() const { return (value_[2] >> 3 & 7) + 5; }

    // Additive latency, cycles.
    unsigned al() const {
        const unsigned code = value_[1] >> 3 & 3;
        return code ? cl() - code : 0;
    }

    unsigned read_latency() const { return al() + cl(); }
    unsigned write_latency() const { return al() + cwl(); }

    // Write recovery of auto-precharge, cycles.
    unsigned write_recovery() const {
        static constexpr unsigned WR[8] = {16, 5, 6, 7, 8, 10, 12, 14};
        return WR[value_[0] >> 9 & 7];
    }

    bool dll_reset() const { return value_[0] >> 8 & 1; }
    bool dll_on() const { return !(value_[1] & 1); }
    bool slow_exit() const { return !(value_[0] >> 12 & 1); }
    bool termination_on() const { return value_[1] & (1u << 9 | 1u << 6 | 1u << 2); } // RTT_NOM

    // Banks whose data self-refresh keeps, a bit each (PASR, MR2 A2:A0).
    std::uint32_t self_refreshed_banks() const {
        static constexpr std::uint8_t KEPT[8] = {0xff, 0x0f, 0x03, 0x01, 0xfc, 0xf0, 0xc0, 0x80};
        return KEPT[value_[2] & 7];
    }

  private:
    static unsigned wr_code(unsigned clocks) {
        if (clocks <= 8)
            return clocks <= 5 ? 1 : clocks - 4;
        return clocks <= 10 ? 5 : clocks <= 12 ? 6 : clocks <= 14 ? 7 : 0;
    }

    unsigned value_[NUMBER] = {};
};

} // namespace ddr3
