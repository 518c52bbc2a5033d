// SPDX-License-Identifier: BSD-2-Clause
// Bench of HitCounters alone, fed with a position a cycle, against the C++ unit.
//
//   bench random SEED POSITIONS
//   bench clocks                  cycles from one position to the next
//
// Few counters are counted at a time, so that positions one and two cycles apart meet in the same one. Prints counts
// and returns 0 if nothing differs, else prints the difference and returns 1.
#include "rtl.hpp"
#include "window_check.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

using namespace litemrc;

namespace {

class CountersBench {
  public:
    explicit CountersBench(unsigned seed) : dice_(seed) {}

    void run(long positions) {
        constexpr int RESETS = 4;
        for (int part = 0; part <= RESETS; ++part) {
            reset();
            const std::uint64_t end = taken_ + positions / (RESETS + 1) + 1;
            while (taken_ < end)
                clock(true);
        }
        while (window_.pending())
            clock(false);
        std::cout << "positions " << taken_ << "\nclears " << clears_ << "\nresets " << RESETS << "\nepochs_compared "
                  << window_.epochs_compared << "\nepochs_with_overflow " << window_.overflows
                  << "\nwindow_words_compared " << window_.words_compared << "\nclocks " << rtl_.clocks() << "\n";
    }

    void print_clocks() {
        std::cout << "hit " << clocks_of(Position{POSITION_HIT, 0, 0, 0}) << "\nepoch_end "
                  << clocks_of(Position{POSITION_HIT, 0, 0, 1}) << "\nclear "
                  << clocks_of(Position{POSITION_CLEAR, 0, 0, 0}) << "\n";
    }

  private:
    static constexpr int HANG_CLOCKS = 100000;

    void reset() {
        rtl_->rst = 1;
        rtl_.settle();
        rtl_.rising_edge();
        rtl_->rst = 0;
        rtl_->position_valid = 0;
        window_.reset();
    }

    void clock(bool offer) {
        if (!rtl_->position_valid && offer && !dice_.percent(idle_percent_))
            draw_position();
        window_.drive(rtl_);
        rtl_.settle();
        const bool taken = rtl_->position_valid && rtl_->position_ready;
        window_.sample(rtl_);
        if (taken) {
            window_.step(counted_);
            ++taken_;
            clears_ += counted_.position.kind == POSITION_CLEAR;
        }
        rtl_.rising_edge();
        if (taken)
            rtl_->position_valid = 0;
        quiet_clocks_ = taken || !offer ? 0 : quiet_clocks_ + 1;
        if (quiet_clocks_ > HANG_CLOCKS)
            throw Mismatch("the RTL hangs");
    }

    // Cycles from taking a position to being ready for the next one, when all buffers are zeroed.
    int clocks_of(const Position &position) {
        reset();
        for (int i = 0; i < 4 * WINDOW_WORDS; ++i)
            clock(false);
        offer_position(position);
        clock(false);
        int clocks = 1;
        for (rtl_.settle(); !rtl_->position_ready; rtl_.settle(), ++clocks)
            rtl_.rising_edge();
        return clocks;
    }

    void offer_position(const Position &position, bool first_touch = false) {
        counted_ = Counted{position, first_touch};
        rtl_->position_first_touch = first_touch;
        rtl_->position_valid = 1;
        rtl_->position_kind = position.kind;
        rtl_->position_group = position.group;
        rtl_->position_context = position.context;
        rtl_->position_epoch_end = position.epoch_end;
    }

    void draw_position() {
        if (run_left_-- == 0) {
            run_left_ = dice_.below(300);
            counters_in_use_ = 1 + dice_.below(dice_.percent(50) ? 3 : GROUPS);
            idle_percent_ = dice_.percent(50) ? 0 : 30;
        }
        Position position{POSITION_HIT, 0, 0, 0};
        position.group = dice_.below(counters_in_use_) % GROUPS;
        position.context = dice_.percent(20) ? dice_.below(CONTEXTS) : 0;
        const int kind = dice_.below(1000);
        if (kind < 250)
            position.kind = POSITION_MISS;
        else if (kind < 300)
            position.kind = POSITION_NONE;
        else if (kind < 303)
            position.kind = POSITION_CLEAR;
        // No epoch may end until the bench has compared the window.
        position.epoch_end = !window_.pending() && dice_.below(100) == 0;
        const bool counts = position.kind == POSITION_HIT || position.kind == POSITION_MISS;
        offer_position(position, counts && dice_.percent(30));
    }

    Rtl rtl_;
    Dice dice_;
    WindowCheck window_;
    Counted counted_;
    std::uint64_t taken_ = 0, clears_ = 0;
    int run_left_ = 0, counters_in_use_ = 1, idle_percent_ = 0, quiet_clocks_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "random" && argc == 4)
            CountersBench(unsigned(std::strtoul(argv[2], nullptr, 10))).run(std::strtol(argv[3], nullptr, 10));
        else if (mode == "clocks" && argc == 2)
            CountersBench(1).print_clocks();
        else
            throw std::invalid_argument("usage: bench random SEED POSITIONS | clocks");
    });
}
