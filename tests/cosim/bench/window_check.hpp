// SPDX-License-Identifier: BSD-2-Clause
// Reads the window of the RTL's hit counters in the background and compares it with the C++ unit's.
#pragma once

#include "hit_counters/hit_counters.hpp"
#include "rtl.hpp"

#include <iostream>

class WindowCheck {
  public:
    litemrc::HitCounters counters;
    std::uint32_t words[litemrc::WINDOW_WORDS] = {}; // of the RTL, in the last epoch
    std::uint64_t words_compared = 0, epochs_compared = 0, overflows = 0;

    WindowCheck() { reset(); }

    // Call it when both sides are reset.
    void reset() {
        counters.reset();
        pending_ = reading_ = false;
    }

    // Counts a position in the C++ unit. If it ends an epoch, `pending` until the RTL's window has been compared.
    void step(const litemrc::Counted &counted) { pending_ |= counters.step(counted, expected_); }

    // An epoch is being published: the next one must not end.
    bool pending() const { return pending_; }

    // Sets the read port for the next cycle.
    void drive(Rtl &rtl) { rtl->window_adr = address_ % litemrc::WINDOW_WORDS; }

    // Reads the settled outputs of this cycle; the data are those of the address two cycles ago.
    void sample(Rtl &rtl) {
        if (rtl->finished) {
            if (!pending_ || reading_)
                throw Mismatch("an epoch finished that was not ended");
            require("epoch", rtl->epoch, counters.epoch().to_uint64());
            require("overflow", rtl->overflow, counters.overflow());
            overflows += counters.overflow();
            reading_ = true;
            address_ = 0;
            address_read_ = address_before_ = NONE;
            return;
        }
        if (!reading_)
            return;
        if (address_read_ != NONE) {
            require("window word " + std::to_string(address_read_), rtl->window_dat_r,
                    expected_[address_read_].to_uint64());
            words[address_read_] = rtl->window_dat_r;
            ++words_compared;
        }
        address_read_ = address_before_;
        address_before_ = address_ < litemrc::WINDOW_WORDS ? address_ : NONE;
        if (address_ < litemrc::WINDOW_WORDS) {
            ++address_;
        } else if (address_read_ == NONE) {
            reading_ = pending_ = false;
            ++epochs_compared;
        }
    }

  private:
    static constexpr int NONE = -1;

    static void require(const std::string &what, std::uint64_t rtl, std::uint64_t cpp) {
        if (rtl != cpp)
            throw Mismatch(what + ": RTL " + std::to_string(rtl) + ", C++ " + std::to_string(cpp));
    }

    litemrc::counter_t expected_[litemrc::WINDOW_WORDS];
    bool pending_ = false, reading_ = false;
    int address_ = 0, address_before_ = NONE, address_read_ = NONE;
};
