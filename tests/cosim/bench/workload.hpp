// SPDX-License-Identifier: BSD-2-Clause
// Operations in runs of different locality, running context, rate of invalidations and back-pressure.
#pragma once

#include "common/records.hpp"
#include "lockstep.hpp"
#include "rtl.hpp"

class Workload {
  public:
    explicit Workload(unsigned seed) : dice_(seed) {}

    litemrc::Op next() {
        if (run_left_-- == 0)
            start_run();
        litemrc::Op op{litemrc::OP_ACCESS, 0, 0, 0, 0};
        op.frame = frame();
        // Sometimes another context touches the page: it must count for the page's owner.
        op.context = dice_.percent(5) ? dice_.below(litemrc::CONTEXTS) : context_;
        op.write = dice_.below(2);
        if (dice_.percent(invalidate_percent_)) {
            op.kind = litemrc::OP_INVALIDATE; // with `write` a claim, by any context
            op.context = dice_.below(litemrc::CONTEXTS);
            if (dice_.percent(50))
                op.frame = previous_; // the page on top of its stack
        } else if (dice_.below(200) == 0) {
            op.kind = litemrc::OP_MARK;
        } else if (dice_.below(litemrc::FRAMES > 1024 ? 40000 : 10000) == 0) {
            op.kind = litemrc::OP_CLEAR;
        }
        op.epoch_end = dice_.below(2500) == 0;
        if (cleared_ && dice_.percent(50))
            op.frame = litemrc::FRAMES - 1 - dice_.below(2); // pages that the hardware's sweep invalidates last
        cleared_ = op.kind == litemrc::OP_CLEAR;
        previous_ = op.frame;
        return op;
    }

    Stalls stalls() const { return stalls_; }

  private:
    enum Pattern { UNIFORM, LOOP, ZIPF, REPEAT, STRIDE, PATTERNS };

    void start_run() {
        static const int PERCENTS[] = {0, 0, 25, 75};
        static const int INVALIDATE_PERCENTS[] = {0, 0, 1, 10, 40};
        run_left_ = dice_.below(3000);
        pattern_ = Pattern(dice_.below(PATTERNS));
        working_set_ = 1 + dice_.below(dice_.percent(60) ? litemrc::FRAMES : 3 * litemrc::GROUP_PAGES);
        base_ = dice_.below(litemrc::FRAMES);
        stride_ = 1 + dice_.below(litemrc::GROUP_PAGES);
        context_ = dice_.percent(70) ? 0 : dice_.below(litemrc::CONTEXTS); // one deep stack, some shallow
        invalidate_percent_ = INVALIDATE_PERCENTS[dice_.below(5)];
        stalls_ = {PERCENTS[dice_.below(4)], PERCENTS[dice_.below(4)]};
    }

    int frame() {
        switch (pattern_) {
        case LOOP:
            cursor_ = (cursor_ + 1) % working_set_;
            break;
        case STRIDE:
            cursor_ = (cursor_ + stride_) % working_set_;
            break;
        case ZIPF: // about as many accesses to 2^i .. 2^(i+1) as to 2^(i-1) .. 2^i
            cursor_ = dice_.below(1 + dice_.below(1 + dice_.below(working_set_)));
            break;
        case REPEAT: // like after caches: most accesses repeat the last page
            if (!dice_.percent(85))
                cursor_ = dice_.below(working_set_);
            break;
        default:
            cursor_ = dice_.below(working_set_);
        }
        return (base_ + cursor_) % litemrc::FRAMES;
    }

    Dice dice_;
    int run_left_ = 0;
    Pattern pattern_ = UNIFORM;
    int working_set_ = 1, base_ = 0, stride_ = 1, context_ = 0, invalidate_percent_ = 0;
    int cursor_ = 0, previous_ = 0;
    bool cleared_ = false;
    Stalls stalls_;
};
