// SPDX-License-Identifier: BSD-2-Clause
// The C++ units connected as in the monitor: filter, engine, working set, merge, counters.
#pragma once

#include "common/print.hpp"
#include "engine.hpp"
#include "hit_counters/hit_counters.hpp"
#include "page_filter/page_filter.hpp"
#include "working_set/working_set.hpp"

#include <cstdint>

class MonitorChain {
  public:
    litemrc::FilterSettings settings{0, litemrc::memory_frame_t(litemrc::MEMORY_FRAMES - 1), 0, 0};
    litemrc::HitCounters counters;
    litemrc::counter_t window[litemrc::WINDOW_WORDS];
    std::uint64_t engine_ops = 0;

    MonitorChain() { reset(); }

    void reset() {
        filter_.reset();
        engine_.clear();
        working_set_.reset();
        merge_ = litemrc::AnswerMerge();
        counters.reset();
    }

    // Returns the counters' input for an operation. If it ends an epoch, `window` and `uncounted` are that epoch's.
    litemrc::Counted step(const litemrc::MemoryOp &op) {
        litemrc::Counted counted{};
        litemrc::FilterStep step;
        do {
            step = filter_.step(op, settings);
            litemrc::Position position{litemrc::POSITION_NONE, 0, 0, 0};
            if (step.asks) {
                position = engine_.step(step.engine_op);
                ++engine_ops;
            }
            const ap_uint<1> first_touch = step.taken ? working_set_.step(step.set_op) : ap_uint<1>(0);
            merge_.step(step.answer, position, first_touch, counted);
        } while (!step.taken);
        return counted;
    }

    litemrc::Uncounted uncounted() const { return filter_.epoch_uncounted(); }
    unsigned renumberings() const { return renumberings_of(engine_); }

  private:
    litemrc::PageFilter filter_;
    Engine engine_;
    litemrc::WorkingSet working_set_;
    litemrc::AnswerMerge merge_;
};
