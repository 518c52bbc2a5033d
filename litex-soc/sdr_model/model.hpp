// SPDX-License-Identifier: BSD-2-Clause
// One SDR SDRAM chip: what it does at each rising edge of its clock, and the rules that its controller breaks.
#pragma once

#include "chip.hpp"
#include "rules.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace sdr {

struct Parameters {
    std::int64_t tCK_ps = 20'000;
    std::int64_t tRC_ps = tRC_PS;
    unsigned preset_cl = 0; // 0: the chip was just powered up; else it is initialised, with this CL
};

struct Violation {
    Rule rule;
    Clock clock;
    int bank; // -1: none
};

struct Counts {
    std::uint64_t reads = 0, writes = 0, refreshes = 0;
};

class Model {
  public:
    static constexpr std::uint64_t KEPT = 100; // violations of each rule

    explicit Model(const Parameters &p)
        : p_(p), cells_(std::size_t(BANKS) * ROWS * COLUMNS), cl_(p.preset_cl), powered_(p.preset_cl) {
        steps_ = p.preset_cl ? INITIALISED : 0;
        cke_before_ = p.preset_cl;
        for (Bank &bank : banks_)
            bank.precharged = bank.activated = -clocks(tRAS_MAX_PS);
    }

    // What the chip drives behind this edge.
    Output edge(const Pins &pins) {
        if (pins.driven && (output_.mask != 0))
            broken(Rule::DQ_CONFLICT, -1);
        const bool command = !pins.cs_n && pins.command != Command::NOP;
        if (command && cke_before_)
            execute(pins);
        else if (command && steps_) // before the initialisation a low CKE is what keeps commands out
            broken(Rule::COMMAND_CKE_LOW, -1);
        cke_before_ = pins.cke;
        close_in_time();
        shift(pins.dqm);
        ++now_;
        return output_;
    }

    Clock now() const { return now_; }
    const Parameters &parameters() const { return p_; }
    const Counts &counts() const { return counts_; }
    const std::vector<Violation> &violations() const { return violations_; } // the first ones of each rule
    std::uint64_t count(Rule rule) const { return broken_[std::size_t(rule)]; }

    std::uint64_t count(RuleClass rule_class) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < RULE_COUNT; ++i)
            sum += RULES[i].rule_class == rule_class ? broken_[i] : 0;
        return sum;
    }

    // Call once at the end: a chip that is no longer refreshed breaks tREF, too.
    void finish() { check_refresh(); }

  private:
    static constexpr Clock NEVER = -1;
    // Steps of the initialisation, in any order but the first.
    static constexpr unsigned PRECHARGED = 1, REFRESHED = 2, REFRESHED_TWICE = 4, MODE_SET = 8, INITIALISED = 15;

    struct Bank {
        bool open = false;
        unsigned row = 0;
        Clock activated = 0, written = NEVER, precharged = 0; // precharged: when a precharge began
        Clock closes = NEVER;                                 // when auto-precharge begins
    };

    Clock clocks(std::int64_t ps) const { return (ps + p_.tCK_ps - 1) / p_.tCK_ps; }

    void broken(Rule rule, int bank) {
        if (broken_[std::size_t(rule)]++ < KEPT)
            violations_.push_back({rule, now_, bank});
    }

    void unless(bool kept, Rule rule, int bank) {
        if (!kept)
            broken(rule, bank);
    }

    void execute(const Pins &pins) {
        unless(powered_ || now_ >= clocks(POWER_UP_PS), Rule::POWER_UP, -1);
        powered_ = true;
        unless(refreshed_at_ == NEVER || now_ - refreshed_at_ >= clocks(tRFC_PS), Rule::tRFC, -1);
        unless(mode_at_ == NEVER || now_ - mode_at_ >= tMRD, Rule::tMRD, -1);
        const bool on_rows = pins.command == Command::ACT || pins.command == Command::RD || pins.command == Command::WR;
        if (on_rows && steps_ != INITIALISED) {
            broken(Rule::INIT, int(pins.bank));
            steps_ = INITIALISED; // one mistake is one violation
        }
        switch (pins.command) {
        case Command::MRS: set_mode(pins.address); break;
        case Command::REF: refresh(); break;
        case Command::PRE: precharge(pins); break;
        case Command::ACT: activate(pins); break;
        case Command::WR: write(pins); break;
        case Command::RD: read(pins); break;
        case Command::STOP: broken(Rule::BURST_STOP, -1); break;
        case Command::NOP: break;
        }
    }

    // tRP of every bank, and none open.
    void all_closed(Rule open) {
        for (unsigned i = 0; i < BANKS; ++i) {
            unless(!banks_[i].open, open, int(i));
            unless(banks_[i].open || now_ - banks_[i].precharged >= clocks(tRP_PS), Rule::tRP, int(i));
        }
    }

    void set_mode(unsigned value) {
        all_closed(Rule::MRS_OPEN_ROWS);
        cl_ = value >> 4 & 7;
        const std::int64_t shortest = cl_ == 2 ? tCK_CL2_PS : tCK_CL3_PS;
        unless((cl_ == 2 || cl_ == 3) && p_.tCK_ps >= shortest, Rule::MR_CL, -1);
        unless((value & 7) == 0, Rule::MR_BURST, -1);
        unless((value & 0x1d80) == 0, Rule::MR_RESERVED, -1); // bit 9: single writes, which bursts of one are
        mode_at_ = now_;
        kept_ = 0;
        if (steps_ & PRECHARGED)
            steps_ |= MODE_SET;
    }

    void refresh() {
        all_closed(Rule::REF_OPEN_ROWS);
        refreshed_at_ = now_;
        steps_ |= steps_ & REFRESHED ? REFRESHED_TWICE : steps_ & PRECHARGED ? REFRESHED : 0;
        ++counts_.refreshes;
        check_refresh();
        refreshes_[kept_++ % ROWS] = now_;
    }

    // Since the mode register was loaded: before there are no data to keep.
    void check_refresh() {
        if (mode_at_ == NEVER && !p_.preset_cl)
            return;
        const Clock oldest = kept_ < ROWS ? std::max<Clock>(mode_at_, 0) : refreshes_[kept_ % ROWS];
        unless((now_ - oldest) * p_.tCK_ps <= tREF_PS, Rule::tREF, -1);
    }

    void precharge(const Pins &pins) {
        const bool all = pins.address & AUTO_PRECHARGE;
        if (all)
            steps_ |= PRECHARGED;
        for (unsigned i = 0; i < BANKS; ++i) {
            Bank &bank = banks_[i];
            if ((!all && i != pins.bank) || !bank.open)
                continue;
            unless(now_ - bank.activated >= clocks(tRAS_PS), Rule::tRAS, int(i));
            unless(bank.written == NEVER || now_ - bank.written >= clocks(tWR_PS), Rule::tWR, int(i));
            close(bank, now_);
        }
    }

    void close(Bank &bank, Clock at) {
        unless(at - bank.activated <= clocks(tRAS_MAX_PS), Rule::tRAS_MAX, int(&bank - banks_.data()));
        bank.open = false;
        bank.precharged = at;
        bank.closes = bank.written = NEVER;
    }

    void close_in_time() {
        for (Bank &bank : banks_)
            if (bank.open && bank.closes == now_ + 1)
                close(bank, bank.closes);
    }

    void activate(const Pins &pins) {
        Bank &bank = banks_[pins.bank];
        unless(!bank.open, Rule::ACT_OPEN_BANK, int(pins.bank));
        unless(bank.open || now_ - bank.precharged >= clocks(tRP_PS), Rule::tRP, int(pins.bank));
        // Each time by itself: a precharge that is too early breaks tRAS or tRP, and tRC only if they are kept.
        unless(bank.open || now_ - bank.precharged < clocks(tRP_PS) || now_ - bank.activated >= clocks(p_.tRC_ps),
               Rule::tRC, int(pins.bank));
        for (unsigned i = 0; i < BANKS; ++i)
            unless(i == pins.bank || now_ - banks_[i].activated >= clocks(tRRD_PS), Rule::tRRD, int(pins.bank));
        bank.open = true;
        bank.row = pins.address % ROWS;
        bank.activated = now_;
    }

    std::size_t place(const Pins &pins) const {
        return (std::size_t(pins.bank) * ROWS + banks_[pins.bank].row) * COLUMNS + pins.address % COLUMNS;
    }

    static std::uint16_t bytes(unsigned dqm) { return std::uint16_t((dqm & 1 ? 0 : 0x00ff) | (dqm & 2 ? 0 : 0xff00)); }

    void write(const Pins &pins) {
        Bank &bank = banks_[pins.bank];
        unless(bank.open, Rule::WR_CLOSED_BANK, int(pins.bank));
        unless(pins.driven, Rule::WR_UNDRIVEN, int(pins.bank));
        if (!bank.open)
            return;
        unless(now_ - bank.activated >= clocks(tRCD_PS), Rule::tRCD, int(pins.bank));
        ++counts_.writes;
        const std::uint16_t kept = bytes(pins.dqm);
        cells_[place(pins)] = std::uint16_t((cells_[place(pins)] & ~kept) | (pins.data & kept));
        bank.written = now_;
        if (pins.address & AUTO_PRECHARGE)
            bank.closes = later(bank, now_ + 1 + clocks(tWR_AUTO_PS));
    }

    void read(const Pins &pins) {
        Bank &bank = banks_[pins.bank];
        unless(bank.open, Rule::RD_CLOSED_BANK, int(pins.bank));
        if (!bank.open)
            return;
        unless(now_ - bank.activated >= clocks(tRCD_PS), Rule::tRCD, int(pins.bank));
        ++counts_.reads;
        if (cl_ == 2 || cl_ == 3)
            coming_[cl_ - 1] = {cells_[place(pins)], 0xffff};
        if (pins.address & AUTO_PRECHARGE)
            bank.closes = later(bank, now_ + 1);
    }

    Clock later(const Bank &bank, Clock at) const { return std::max(at, bank.activated + clocks(tRAS_PS)); }

    // Data of RD come CL - 1 edges later; DQM masks those of two edges later.
    void shift(unsigned dqm) {
        output_ = coming_[0];
        coming_ = {coming_[1], coming_[2], Output{}};
        output_.mask = output_.mask & bytes(dqm_before_);
        dqm_before_ = dqm;
    }

    const Parameters p_;
    std::vector<std::uint16_t> cells_;
    std::array<Bank, BANKS> banks_{};
    std::array<Output, 3> coming_{};
    Output output_{};
    unsigned cl_, dqm_before_ = 0, steps_ = 0;
    bool powered_, cke_before_;
    Clock now_ = 0, refreshed_at_ = NEVER, mode_at_ = NEVER;
    std::array<Clock, ROWS> refreshes_{};
    std::uint64_t kept_ = 0; // refreshes since the mode register was loaded
    Counts counts_;
    std::array<std::uint64_t, RULE_COUNT> broken_{};
    std::vector<Violation> violations_;
};

} // namespace sdr
