// SPDX-License-Identifier: BSD-2-Clause
// The Verilated top, one cycle at a time.
#pragma once

#include "Vtop.h"
#include "mismatch.hpp"
#include "verilated.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>

class Rtl {
  public:
    Vtop *operator->() { return top_.get(); }

    // Evaluates the combinational outputs for this cycle's inputs.
    void settle() {
        top_->clk = 0;
        top_->eval();
    }

    void rising_edge() {
        top_->clk = 1;
        top_->eval();
        ++clocks_;
    }

    std::uint64_t clocks() const { return clocks_; }

  private:
    std::unique_ptr<Vtop> top_ = std::make_unique<Vtop>();
    std::uint64_t clocks_ = 0;
};

// Seeded random numbers, the same on every machine.
class Dice {
  public:
    explicit Dice(unsigned seed) : generator_(seed) {}
    int below(int n) { return int(generator_() % unsigned(n)); }
    bool percent(int probability) { return probability && below(100) < probability; }

  private:
    std::mt19937 generator_;
};
