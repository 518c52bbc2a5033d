// SPDX-License-Identifier: BSD-2-Clause
// Runs the RTL chain stack engine -> HitCounters and the C++ units in lockstep and compares every record.
#pragma once

#include "common/print.hpp"
#include "coverage.hpp"
#include "engine.hpp"
#include "moves_check.hpp"
#include "rtl.hpp"
#include "window_check.hpp"

#include <deque>
#include <iostream>

struct Stalls {
    int source_percent = 0; // cycles without an operation offered
    int sink_percent = 0;   // cycles in which positions are stalled
};

class Lockstep {
  public:
    Stalls stalls;

    // `with_reference`: compare the C++ unit with its reference too.
    Lockstep(unsigned seed, bool with_reference) : dice_(seed), with_reference_(with_reference) {
        reset();
        resets_ = 0; // only resets during a run count
    }

    // Resets both sides in any state.
    void reset() {
        rtl_->rst = 1;
        rtl_->op_valid = 0;
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        unit_.clear();
        reference_ = EngineReference();
        window_.reset();
        moves_.reset();
        coverage_.reset();
        expected_.clear();
        ++resets_;
    }

    // Offers an operation until the RTL takes it. Returns the number of the cycle in which it was taken.
    std::uint64_t submit(const litemrc::Op &op) {
        while (op.epoch_end && window_.pending())
            clock();
        while (dice_.percent(stalls.source_percent))
            clock();
        rtl_->op_valid = 1;
        rtl_->op_kind = op.kind;
        rtl_->op_frame = op.frame;
        rtl_->op_context = op.context;
        rtl_->op_write = op.write;
        rtl_->op_epoch_end = op.epoch_end;
        offered_ = &op;
        while (offered_)
            clock();
        rtl_->op_valid = 0;
        return rtl_.clocks();
    }

    void run(int clocks) {
        for (int i = 0; i < clocks; ++i)
            clock();
    }

    // Runs until every operation has been answered and every ended epoch compared.
    void drain() {
        while (!expected_.empty() || window_.pending() || !rtl_->idle)
            clock();
    }

    void report(std::ostream &out) const {
        out << "accesses " << ops_[litemrc::OP_ACCESS] << "\ninvalidations " << ops_[litemrc::OP_INVALIDATE]
            << "\nclaims " << claims_ << "\nclears " << ops_[litemrc::OP_CLEAR] << "\nmarks " << ops_[litemrc::OP_MARK] << "\nhits "
            << kinds_[litemrc::POSITION_HIT] << "\nmisses " << kinds_[litemrc::POSITION_MISS] << "\nresets " << resets_
            << "\nrenumberings " << renumberings_of(unit_)
            << "\nrecords_compared " << records_compared_ << "\nepochs_compared " << window_.epochs_compared
            << "\nwindow_words_compared " << window_.words_compared << "\nreference_compared " << reference_compared_
            << "\nclocks " << rtl_.clocks() << "\nclocks_per_access "
            << double(rtl_.clocks()) / double(ops_[litemrc::OP_ACCESS]) << "\n";
        moves_.report(out);
        coverage_.report(out);
    }

  private:
    static constexpr int HANG_CLOCKS = 100000 + 4 * litemrc::FRAMES;

    void clock() {
        rtl_->hold = dice_.percent(stalls.sink_percent);
        moves_.drive(rtl_, dice_, stalls.source_percent);
        window_.drive(rtl_);
        rtl_.settle();
        const bool op_taken = rtl_->op_valid && rtl_->op_ready;
        if (op_taken)
            take(*offered_);
        if (rtl_->position_taken)
            compare_position();
        window_.sample(rtl_);
        moves_.sample(rtl_, op_taken);
        rtl_.rising_edge();
        if (op_taken)
            offered_ = nullptr;
        quiet_clocks_ = op_taken || rtl_->position_taken ? 0 : quiet_clocks_ + 1;
        if (quiet_clocks_ > HANG_CLOCKS)
            throw Mismatch("the RTL hangs");
    }

    // The C++ side moves in the cycle in which the RTL takes an operation.
    void take(const litemrc::Op &op) {
        coverage_.before(unit_, op, rtl_.clocks());
        const litemrc::Position answer = moves_.step(unit_, op);
        coverage_.after(unit_);
        if (with_reference_) {
            const litemrc::Position reference = reference_.step(op);
            if (answer != reference)
                throw Mismatch(litemrc::text(op) + ": C++ " + litemrc::text(answer) + ", reference " + litemrc::text(reference));
            ++reference_compared_;
        }
        expected_.push_back(answer);
        window_.step(litemrc::Counted{answer, 0});
        ++ops_[int(op.kind)];
        claims_ += litemrc::is_claim(op);
        ++kinds_[int(answer.kind)];
    }

    void compare_position() {
        litemrc::Position seen;
        seen.kind = rtl_->position_kind;
        seen.group = rtl_->position_group;
        seen.context = rtl_->position_context;
        seen.epoch_end = rtl_->position_epoch_end;
        if (expected_.empty())
            throw Mismatch("record " + std::to_string(records_compared_) + ": RTL answers what was not asked");
        if (seen != expected_.front())
            throw Mismatch("record " + std::to_string(records_compared_) + ": RTL " + litemrc::text(seen) + ", C++ " +
                           litemrc::text(expected_.front()));
        expected_.pop_front();
        ++records_compared_;
    }

    Rtl rtl_;
    Dice dice_;
    bool with_reference_;
    Engine unit_;
    EngineReference reference_;
    WindowCheck window_;
    MovesCheck moves_;
    Coverage coverage_;
    const litemrc::Op *offered_ = nullptr;
    std::deque<litemrc::Position> expected_;
    std::uint64_t ops_[4] = {}, kinds_[4] = {};
    std::uint64_t claims_ = 0, resets_ = 0, records_compared_ = 0, reference_compared_ = 0;
    int quiet_clocks_ = 0;
};
