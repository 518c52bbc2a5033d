// SPDX-License-Identifier: BSD-2-Clause
// Compares the moves of group_stack with those of the C++ unit; with -DLITEMRC_MOVES only.
#pragma once

#include "common/print.hpp"
#include "common/stream.hpp"
#include "engine.hpp"
#include "rtl.hpp"

#include <ostream>
#include <string>

#ifdef LITEMRC_MOVES

class MovesCheck {
  public:
    void reset() {
        while (!expected_.empty())
            expected_.read();
    }

    // Holds the engine at random times.
    void drive(Rtl &rtl, Dice &dice, int percent) {
        if (hold_clocks_ > 0)
            --hold_clocks_;
        else if (percent && dice.below(50) == 0)
            hold_clocks_ = dice.below(60);
        rtl->hold_engine = hold_clocks_ > 0;
    }

    litemrc::Position step(Engine &unit, const litemrc::Op &op) { return unit.step(op, expected_); }

    void sample(Rtl &rtl, bool op_taken) {
        using namespace litemrc;
        if (rtl->hold_engine && op_taken)
            throw Mismatch("the engine began an operation while it was held");
        // Before this cycle's operation: an engine that is held must have reported all moves.
        if (rtl->held && rtl->hold_engine && !expected_.empty())
            throw Mismatch("the engine is held and has not reported: " + text(unpack_move(expected_.read())));
        if (!rtl->move_valid)
            return;
        const Move seen{frame_t(rtl->move_page), context_t(rtl->move_context), ap_uint<1>(rtl->move_was_valid),
                        group_t(rtl->move_from_group), ap_uint<1>(rtl->move_is_valid), group_t(rtl->move_to_group)};
        if (expected_.empty())
            throw Mismatch("RTL moves " + text(seen) + ", C++ nothing");
        const Move expected = unpack_move(expected_.read());
        if (!(seen == expected))
            throw Mismatch("RTL moves " + text(seen) + ", C++ " + text(expected));
        ++moves_;
    }

    void report(std::ostream &out) const { out << "moves_compared " << moves_ << "\n"; }

  private:
    hls::stream<litemrc::move_word_t> expected_;
    int hold_clocks_ = 0;
    std::uint64_t moves_ = 0;
};

#else

class MovesCheck {
  public:
    void reset() {}
    void drive(Rtl &, Dice &, int) {}
    litemrc::Position step(Engine &unit, const litemrc::Op &op) { return unit.step(op); }
    void sample(Rtl &, bool) {}
    void report(std::ostream &) const {}
};

#endif
