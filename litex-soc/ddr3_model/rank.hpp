// SPDX-License-Identifier: BSD-2-Clause
// One rank: its banks, mode registers and power state, and every rule of its commands.
//
// Commands: rank_commands.hpp. CKE, self-refresh, ODT: rank_power.hpp. A command that breaks a rule is executed as far
// as possible, so that one mistake is one violation.
#pragma once

#include "jedec/commands.hpp"
#include "jedec/mode_registers.hpp"
#include "jedec/timing.hpp"
#include "refresh_account.hpp"
#include "storage.hpp"
#include "violations.hpp"

namespace ddr3 {

constexpr Clock LONG_AGO = std::numeric_limits<Clock>::min() / 2;

enum class Power { AWAKE, POWER_DOWN, SELF_REFRESH };

// The effect of one cycle of the pins on data: `column` of the open row of `bank` is read or written.
struct ColumnAccess {
    enum Kind { NONE, READ, WRITE } kind = NONE;
    Location at{};
    bool row_open = false;
    Clock first_beat = 0; // on the data bus
};

class Rank {
  public:
    Rank(unsigned number, const Timing &timing, const Geometry &geometry, Storage &storage, Violations &violations)
        : number_(number), time_(timing), geometry_(geometry), storage_(storage), violations_(violations),
          refreshes_(timing) {}

    // Start initialised.
    void preset(unsigned cl, unsigned cwl) {
        mode_.preset(cl, cwl, unsigned(time_.tWR));
        initialised_ = cke_ = true;
    }

    // One cycle in which a command selects this rank, or one of its other pins changes.
    ColumnAccess clock(Clock t, bool selected, const Pins &pins);

    // Power is cut and restored: all contents are lost.
    void power_cut();

    // To be called when t has passed deadline().
    void refresh_overdue(Clock t);

    Clock deadline() const { return refreshes_.deadline(); }
    Power power() const { return power_; }
    bool initialised() const { return initialised_; }
    const ModeRegisters &mode_registers() const { return mode_; }

    void transfer(State &state) {
        refreshes_.transfer(state);
        state(mode_, banks_, initialised_, calibrated_, loaded_, power_, cke_, odt_, slow_exit_);
        state(cke_rise_, cke_fall_, odt_fall_, power_down_exit_, self_refresh_exit_, activates_, next_activate_);
        state(last_activate_, last_precharge_, last_refresh_, last_mode_, last_read_, last_write_, last_write_auto_);
        state(dll_reset_, calibration_, calibration_clocks_, calibration_rule_);
    }

  private:
    struct Bank {
        bool open = false;
        unsigned row = 0;
        Clock act = LONG_AGO, read = LONG_AGO, write = LONG_AGO; // times of the last commands
        Clock precharge = LONG_AGO; // its start: in the future after a RD or WR with auto-precharge
        bool closed(Clock t) const { return !open && precharge <= t; }
    };

    // rank_commands.hpp
    ColumnAccess command(Clock t, const Pins &pins);
    void before_initialisation(Clock t, const Pins &pins);
    bool ready(Clock t, Command command);
    bool all_closed(Clock t, Rule rule);
    void activate(Clock t, unsigned bank, unsigned row);
    void precharge(Clock t, unsigned bank, Rule too_soon);
    ColumnAccess read(Clock t, unsigned bank, unsigned address);
    ColumnAccess write(Clock t, unsigned bank, unsigned address);
    void refresh(Clock t);
    void load_mode_register(Clock t, unsigned number, unsigned value);
    void calibrate(Clock t, bool is_long);

    // rank_power.hpp
    void enter_power_down(Clock t);
    void enter_self_refresh(Clock t);
    void exit_low_power(Clock t);
    bool may_lower_cke(Clock t);
    void watch_odt(Clock t, bool odt);

    void broken(Rule rule, Clock t, int bank, std::string text) {
        violations_.add(rule, t, number_, bank, std::move(text));
    }

    // Returns whether `clocks` cycles have passed since `since`; otherwise adds a violation.
    bool passed(Rule rule, Clock t, Clock since, int clocks, int bank = -1) {
        if (t - since >= clocks)
            return true;
        broken(rule, t, bank, std::to_string(t - since) + " cycles, at least " + std::to_string(clocks));
        return false;
    }

    Clock write_end(Clock write) const { return write + mode_.write_latency() + BURST / 2; }

    const unsigned number_;
    const Timing &time_;
    const Geometry &geometry_;
    Storage &storage_;
    Violations &violations_;
    RefreshAccount refreshes_;
    ModeRegisters mode_;
    Bank banks_[BANKS];

    bool initialised_ = false, calibrated_ = false;
    unsigned loaded_ = 0; // mode registers, one bit each
    Power power_ = Power::AWAKE;
    bool cke_ = false, odt_ = false, slow_exit_ = false;
    Clock cke_rise_ = LONG_AGO, cke_fall_ = LONG_AGO, odt_fall_ = LONG_AGO;
    Clock power_down_exit_ = LONG_AGO, self_refresh_exit_ = LONG_AGO;
    Clock activates_[4] = {LONG_AGO, LONG_AGO, LONG_AGO, LONG_AGO}; // the last four, in turn
    unsigned next_activate_ = 0;
    Clock last_activate_ = LONG_AGO, last_precharge_ = LONG_AGO, last_refresh_ = LONG_AGO, last_mode_ = LONG_AGO;
    Clock last_read_ = LONG_AGO, last_write_ = LONG_AGO, last_write_auto_ = LONG_AGO;
    Clock dll_reset_ = LONG_AGO, calibration_ = LONG_AGO;
    int calibration_clocks_ = 0;
    Rule calibration_rule_ = Rule::tZQCS;
};

} // namespace ddr3

#include "rank_commands.hpp"
#include "rank_power.hpp"
