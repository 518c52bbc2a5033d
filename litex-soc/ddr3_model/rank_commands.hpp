// SPDX-License-Identifier: BSD-2-Clause
// Rank: the rules of commands. Included by rank.hpp.
#pragma once

namespace ddr3 {

inline ColumnAccess Rank::command(Clock t, const Pins &pins) {
    const bool in_time = ready(t, pins.command);
    switch (pins.command) {
    case Command::ACT:
        activate(t, pins.bank, pins.address);
        break;
    case Command::PRE:
        last_precharge_ = t;
        for (unsigned bank = 0; bank < BANKS; ++bank)
            if (pins.address & A10 || bank == pins.bank)
                precharge(t, bank, pins.address & A10 ? Rule::tRAS_PREA : Rule::tRAS);
        break;
    case Command::RD: return read(t, pins.bank, pins.address);
    case Command::WR: return write(t, pins.bank, pins.address);
    case Command::REF:
        if (in_time)
            all_closed(t, Rule::REF_OPEN_ROWS);
        refresh(t);
        break;
    case Command::MRS:
        if (in_time)
            all_closed(t, Rule::MRS_OPEN_ROWS);
        load_mode_register(t, pins.bank, pins.address);
        break;
    case Command::ZQ:
        if (in_time)
            all_closed(t, Rule::ZQ_OPEN_ROWS);
        calibrate(t, pins.address & A10);
        break;
    case Command::NOP: break;
    }
    return {};
}

// During initialisation only mode registers and ZQCL are checked. LiteDRAM's controller precharges and refreshes
// before software takes over.
inline void Rank::before_initialisation(Clock t, const Pins &pins) {
    switch (pins.command) {
    case Command::MRS:
        if (loaded_)
            passed(Rule::tMRD, t, last_mode_, time_.tMRD);
        else
            passed(Rule::tXPR, t, cke_rise_, time_.tXS); // the same time: max(5 nCK, tRFC + 10 ns)
        load_mode_register(t, pins.bank, pins.address);
        loaded_ |= 1u << pins.bank % ModeRegisters::NUMBER;
        break;
    case Command::ZQ:
        if (loaded_)
            passed(Rule::tMOD, t, last_mode_, time_.tMOD);
        calibrate(t, pins.address & A10);
        initialised_ = loaded_ == (1u << ModeRegisters::NUMBER) - 1 && calibrated_;
        break;
    case Command::ACT:
    case Command::RD:
    case Command::WR:
        broken(Rule::INIT, t, int(pins.bank), "mode registers loaded: mask " + std::to_string(loaded_));
        break;
    default: break;
    }
}

// The times that every command must keep; reports the first violation.
inline bool Rank::ready(Clock t, Command command) {
    const bool needs_dll = command == Command::RD && mode_.dll_on();
    if (!passed(Rule::tXS, t, self_refresh_exit_, time_.tXS) || !passed(Rule::tXP, t, power_down_exit_, time_.tXP))
        return false;
    if (needs_dll && !passed(Rule::tXSDLL, t, self_refresh_exit_, time_.tXSDLL))
        return false;
    if (needs_dll && slow_exit_ && !passed(Rule::tXPDLL, t, power_down_exit_, time_.tXPDLL))
        return false;
    if (!passed(Rule::tRFC, t, last_refresh_, time_.tRFC))
        return false;
    const bool mode = command == Command::MRS;
    if (!passed(mode ? Rule::tMRD : Rule::tMOD, t, last_mode_, mode ? time_.tMRD : time_.tMOD))
        return false;
    if (!passed(calibration_rule_, t, calibration_, calibration_clocks_))
        return false;
    return !needs_dll || passed(Rule::tDLLK, t, dll_reset_, time_.tDLLK);
}

// Whether all rows are closed (`rule`) and precharged (tRP).
inline bool Rank::all_closed(Clock t, Rule rule) {
    for (unsigned bank = 0; bank < BANKS; ++bank) {
        if (!banks_[bank].closed(t)) {
            broken(rule, t, int(bank), "row " + std::to_string(banks_[bank].row));
            return false;
        }
    }
    for (unsigned bank = 0; bank < BANKS; ++bank)
        if (!passed(Rule::tRP, t, banks_[bank].precharge, time_.tRP, int(bank)))
            return false;
    return true;
}

inline void Rank::activate(Clock t, unsigned number, unsigned row) {
    Bank &bank = banks_[number];
    refreshes_.start(t);
    if (!bank.closed(t))
        broken(Rule::ACT_OPEN_BANK, t, int(number), "row " + std::to_string(bank.row));
    else if (passed(Rule::tRP, t, bank.precharge, time_.tRP, int(number)))
        passed(Rule::tRC, t, bank.act, time_.tRC, int(number));
    if (bank.act != last_activate_) // of the same bank, tRC is the rule
        passed(Rule::tRRD, t, last_activate_, time_.tRRD, int(number));
    passed(Rule::tFAW, t, activates_[next_activate_], time_.tFAW, int(number));
    activates_[next_activate_] = t;
    next_activate_ = (next_activate_ + 1) % 4;
    last_activate_ = bank.act = t;
    bank.open = true;
    bank.row = row & (geometry_.rows() - 1);
}

// `too_soon`: the rule reported if tRAS is violated.
inline void Rank::precharge(Clock t, unsigned number, Rule too_soon) {
    Bank &bank = banks_[number];
    if (!bank.open) {
        bank.precharge = std::max(bank.precharge, t); // the last PRE counts, also of an idle bank
        return;
    }
    passed(too_soon, t, bank.act, time_.tRAS, int(number));
    if (t - bank.act > refreshes_.intervals(9))
        broken(Rule::tRAS_MAX, t, int(number), std::to_string(t - bank.act) + " cycles");
    passed(Rule::tRTP, t, bank.read, int(mode_.al()) + time_.tRTP, int(number));
    passed(Rule::tWR, t, write_end(bank.write), time_.tWR, int(number));
    bank.open = false;
    bank.precharge = t;
}

inline ColumnAccess Rank::read(Clock t, unsigned number, unsigned address) {
    Bank &bank = banks_[number];
    const Clock first_beat = t + mode_.read_latency();
    ColumnAccess access{ColumnAccess::READ, {number_, number, bank.row, address & ((1u << geometry_.column_bits) - 1)},
                        bank.open, first_beat};
    if (!bank.open) {
        broken(Rule::RD_CLOSED_BANK, t, int(number), "");
        return access;
    }
    passed(Rule::tRCD, t, bank.act, time_.tRCD - int(mode_.al()), int(number));
    passed(Rule::tCCD, t, last_read_, time_.tCCD, int(number));
    passed(Rule::tWTR, t, write_end(last_write_), time_.tWTR, int(number));
    last_read_ = bank.read = t;
    if (address & A10) {
        bank.open = false;
        bank.precharge = std::max(t + Clock(mode_.al()) + time_.tRTP, bank.act + time_.tRAS);
    }
    return access;
}

inline ColumnAccess Rank::write(Clock t, unsigned number, unsigned address) {
    Bank &bank = banks_[number];
    const Clock first_beat = t + mode_.write_latency();
    ColumnAccess access{ColumnAccess::WRITE, {number_, number, bank.row, address & ((1u << geometry_.column_bits) - 1)},
                        bank.open, first_beat};
    if (!bank.open) {
        broken(Rule::WR_CLOSED_BANK, t, int(number), "");
        return access;
    }
    passed(Rule::tRCD, t, bank.act, time_.tRCD - int(mode_.al()), int(number));
    passed(Rule::tCCD, t, last_write_, time_.tCCD, int(number));
    passed(Rule::tRTW, t, last_read_, int(mode_.read_latency()) + time_.tCCD + 2 - int(mode_.write_latency()),
           int(number));
    bank.write = t;
    if (address & A10) {
        last_write_auto_ = t;
        bank.open = false;
        bank.precharge = std::max(write_end(t) + Clock(mode_.write_recovery()), bank.act + time_.tRAS);
    }
    last_write_ = t;
    return access;
}

inline void Rank::refresh(Clock t) {
    for (Bank &bank : banks_)
        bank.open = false; // after a violation: reported once
    if (refreshes_.refresh(t))
        broken(Rule::REFRESH_BURST, t, -1, "the 17th within " + std::to_string(refreshes_.intervals(2)) + " cycles");
    last_refresh_ = t;
}

inline void Rank::load_mode_register(Clock t, unsigned number, unsigned value) {
    mode_.load(number, value);
    last_mode_ = t;
    if (number == 0) {
        if (!mode_.burst_is_8())
            throw std::invalid_argument("ddr3: MR0 asks for a burst other than 8, which is not modelled");
        if (mode_.dll_reset())
            dll_reset_ = t;
        if (std::int64_t(mode_.cl()) * time_.tCK_fs < (time_.tAA_ps - 1) * std::int64_t(1000))
            broken(Rule::MR_CL, t, -1, "CL " + std::to_string(mode_.cl()));
        if (int(mode_.write_recovery()) < time_.tWR)
            broken(Rule::MR_WR, t, -1, "WR " + std::to_string(mode_.write_recovery()));
    }
    // The shortest clock period of CWL 5 to 10 (JESD79-3F, MR2).
    static constexpr int SHORTEST_PS[8] = {2500, 1875, 1500, 1250, 1071, 938, 833, 750};
    const unsigned code = mode_.cwl() - 5;
    if (number == 2 && (time_.tCK_fs < SHORTEST_PS[code] * std::int64_t(999) ||
                        (code > 0 && time_.tCK_fs >= SHORTEST_PS[code - 1] * std::int64_t(1000))))
        broken(Rule::MR_CWL, t, -1, "CWL " + std::to_string(mode_.cwl()));
}

inline void Rank::calibrate(Clock t, bool is_long) {
    calibration_ = t;
    calibration_rule_ = !is_long ? Rule::tZQCS : calibrated_ || initialised_ ? Rule::tZQoper : Rule::tZQinit;
    calibration_clocks_ = !is_long ? time_.tZQCS : calibrated_ || initialised_ ? time_.tZQoper : time_.tZQinit;
    calibrated_ |= is_long;
}

} // namespace ddr3
