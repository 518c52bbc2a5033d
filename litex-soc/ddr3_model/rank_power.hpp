// SPDX-License-Identifier: BSD-2-Clause
// Rank: CKE, power-down, self-refresh, ODT, loss of data. Included by rank.hpp.
#pragma once

namespace ddr3 {

inline ColumnAccess Rank::clock(Clock t, bool selected, const Pins &pins) {
    const bool cke = pins.cke >> number_ & 1;
    const bool was = cke_;
    const Command command = selected ? pins.command : Command::NOP;
    cke_ = cke;
    if (!pins.reset_n) {
        if (initialised_)
            power_cut(); // JEDEC does not guarantee contents after RESET#
        return {};
    }
    watch_odt(t, pins.odt >> number_ & 1);
    if (!initialised_) {
        if (cke && !was)
            cke_rise_ = t;
        if (cke && command != Command::NOP)
            before_initialisation(t, pins);
        return {};
    }
    if (!was && !cke) {
        if (command != Command::NOP)
            broken(Rule::COMMAND_CKE_LOW, t, int(pins.bank), name_of(command));
        return {};
    }
    if (!was)
        exit_low_power(t);
    if (!cke && command == Command::REF) {
        enter_self_refresh(t);
        return {};
    }
    ColumnAccess access;
    if (command != Command::NOP)
        access = this->command(t, pins);
    if (!cke)
        enter_power_down(t);
    return access;
}

// The times that must be over before CKE goes low; reports the first violation.
inline bool Rank::may_lower_cke(Clock t) {
    const int tail = int(mode_.write_latency()) + int(BURST) / 2;
    if (!passed(Rule::tXS, t, self_refresh_exit_, time_.tXS))
        return false;
    if (refreshes_.extra_owed()) {
        broken(Rule::SRX_REFRESH, t, -1, "none since clock " + std::to_string(self_refresh_exit_));
        return false;
    }
    return passed(Rule::tCKE, t, cke_rise_, time_.tCKE) &&
           passed(Rule::tRDPDEN, t, last_read_, int(mode_.read_latency()) + int(BURST) / 2 + 1) &&
           passed(Rule::tWRAPDEN, t, last_write_auto_, tail + int(mode_.write_recovery()) + 1) &&
           passed(Rule::tWRPDEN, t, last_write_, tail + time_.tWR) &&
           passed(calibration_rule_, t, calibration_, calibration_clocks_);
}

inline void Rank::enter_power_down(Clock t) {
    if (may_lower_cke(t) && passed(Rule::tMRSPDEN, t, last_mode_, time_.tMOD) &&
        passed(Rule::tACTPDEN, t, last_activate_, time_.tACTPDEN) &&
        passed(Rule::tPRPDEN, t, last_precharge_, time_.tPRPDEN))
        passed(Rule::tREFPDEN, t, last_refresh_, time_.tREFPDEN);
    bool row_open = false;
    for (const Bank &bank : banks_)
        row_open |= !bank.closed(t);
    slow_exit_ = mode_.slow_exit() && !row_open; // active power-down keeps the DLL on
    power_ = Power::POWER_DOWN;
    cke_fall_ = t;
}

inline void Rank::enter_self_refresh(Clock t) {
    if (ready(t, Command::REF) && may_lower_cke(t) && all_closed(t, Rule::SRE_OPEN_ROWS) && mode_.termination_on()) {
        const int odt_off = int(mode_.write_latency()) - 2 + 1; // ODTLoff + 0.5, in whole cycles
        if (odt_)
            broken(Rule::SRE_ODT, t, -1, "ODT is on");
        else
            passed(Rule::SRE_ODT, t, odt_fall_, odt_off);
    }
    for (Bank &bank : banks_)
        bank.open = false;
    storage_.lose(number_, ~mode_.self_refreshed_banks());
    refreshes_.enter_self_refresh(t);
    power_ = Power::SELF_REFRESH;
    cke_fall_ = t;
}

inline void Rank::exit_low_power(Clock t) {
    cke_rise_ = t;
    if (power_ == Power::SELF_REFRESH) {
        passed(Rule::tCKESR, t, cke_fall_, time_.tCKESR);
        refreshes_.exit_self_refresh(t);
        self_refresh_exit_ = t;
        if (odt_ && mode_.termination_on())
            broken(Rule::ODT_XSDLL, t, -1, "ODT is on at the exit");
    } else if (power_ == Power::POWER_DOWN) {
        passed(Rule::tPD, t, cke_fall_, time_.tCKE);
        if (t - cke_fall_ > refreshes_.intervals(9))
            broken(Rule::tPD_MAX, t, -1, std::to_string(t - cke_fall_) + " cycles");
        power_down_exit_ = t;
    }
    power_ = Power::AWAKE;
}

inline void Rank::watch_odt(Clock t, bool odt) {
    if (odt && !odt_ && initialised_ && power_ != Power::SELF_REFRESH && mode_.termination_on())
        passed(Rule::ODT_XSDLL, t, self_refresh_exit_, time_.tXSDLL);
    if (!odt && odt_)
        odt_fall_ = t;
    odt_ = odt;
}

inline void Rank::refresh_overdue(Clock t) {
    broken(Rule::REFRESH_DEBT, t, -1, "due by cycle " + std::to_string(deadline()));
    storage_.lose(number_, ~0u);
    refreshes_.restart(t);
}

inline void Rank::power_cut() {
    storage_.lose(number_, ~0u);
    refreshes_.stop();
    initialised_ = calibrated_ = cke_ = odt_ = false;
    loaded_ = 0;
    power_ = Power::AWAKE;
    for (Bank &bank : banks_)
        bank = Bank{};
}

} // namespace ddr3
