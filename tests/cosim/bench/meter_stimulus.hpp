// SPDX-License-Identifier: BSD-2-Clause
// Random inputs of the rank meter: runs with different rates of accesses, states and operations.
#pragma once

#include "common/records.hpp"
#include "rank_meter/rank_meter.hpp"
#include "rtl.hpp"

#include <algorithm>

class MeterStimulus {
  public:
    explicit MeterStimulus(unsigned seed) : dice_(seed) { reset(); }

    void reset() {
        state_ = 0;
        for (int domain = 0; domain < litemrc::DOMAINS; ++domain)
            set_state(domain, litemrc::STATE_PRECHARGE_STANDBY);
    }

    litemrc::MeterClock clock() {
        using namespace litemrc;
        if (clocks_left_-- == 0)
            start_clocks();
        MeterClock now{ap_uint<1>(dice_.percent(access_percent_)), domain_t(domain()), ap_uint<1>(dice_.below(2)),
                       ap_uint<1>(dice_.percent(access_percent_ / 2)), domain_t(domain()), 0, 0, 0, 0};
        for (int d = 0; d < DOMAINS; ++d) {
            if (dice_.percent(change_percent_))
                set_state(d, dice_.below(POWER_STATES));
            now.refresh[d] = dice_.percent(strobe_percent_);
            now.waking[d] = dice_.percent(strobe_percent_);
            now.wakes[d] = dice_.percent(strobe_percent_);
        }
        now.state = state_;
        return now;
    }

    litemrc::Op op() {
        using namespace litemrc;
        if (ops_left_-- == 0)
            start_ops();
        const int page = (base_ + dice_.below(working_set_)) % FRAMES;
        Op op{OP_ACCESS, frame_t(page), context_t(dice_.percent(70) ? context_ : dice_.below(CONTEXTS)), 0, 0};
        if (dice_.percent(invalidate_percent_))
            op.kind = OP_INVALIDATE;
        else if (dice_.below(100) == 0)
            op.kind = OP_MARK;
        else if (dice_.below(5000) == 0)
            op.kind = OP_CLEAR;
        op.write = dice_.below(2); // half of the invalidations are claims
        return op;
    }

    int idle_percent() const { return idle_percent_; }
    int snapshot_clocks() const { return snapshot_clocks_; } // average distance

  private:
    void start_clocks() {
        static const int PERCENTS[] = {0, 1, 30, 100};
        clocks_left_ = dice_.below(5000);
        access_percent_ = PERCENTS[dice_.below(4)];
        strobe_percent_ = PERCENTS[dice_.below(4)];
        change_percent_ = dice_.percent(50) ? 0 : 1 + dice_.below(60);
        one_domain_ = dice_.percent(30) ? dice_.below(litemrc::DOMAINS) : -1;
        snapshot_clocks_ = dice_.percent(50) ? 50 : 1 + dice_.below(8000);
    }

    void start_ops() {
        ops_left_ = dice_.below(2000);
        working_set_ = 1 + dice_.below(dice_.percent(60) ? litemrc::FRAMES : std::min(litemrc::FRAMES, 3 * litemrc::GROUP_PAGES));
        base_ = dice_.below(litemrc::FRAMES);
        context_ = dice_.below(litemrc::CONTEXTS);
        invalidate_percent_ = dice_.percent(50) ? 0 : dice_.below(60);
        idle_percent_ = dice_.percent(60) ? 0 : dice_.below(100);
    }

    int domain() { return one_domain_ >= 0 ? one_domain_ : dice_.below(litemrc::DOMAINS); }

    void set_state(int domain, int state) {
        state_(litemrc::STATE_BITS * domain + litemrc::STATE_BITS - 1, litemrc::STATE_BITS * domain) = state;
    }

    Dice dice_;
    ap_uint<litemrc::STATE_BITS * litemrc::DOMAINS> state_ = 0;
    int clocks_left_ = 0, access_percent_ = 0, strobe_percent_ = 0, change_percent_ = 0, one_domain_ = -1;
    int snapshot_clocks_ = 1000;
    int ops_left_ = 0, working_set_ = 1, base_ = 0, context_ = 0, invalidate_percent_ = 0, idle_percent_ = 0;
};
