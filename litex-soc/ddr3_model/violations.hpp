// SPDX-License-Identifier: BSD-2-Clause
// Violations: rule, time and place.
#pragma once

#include "jedec/geometry.hpp"
#include "jedec/rules.hpp"
#include "state.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace ddr3 {

struct Violation {
    Rule rule;
    Clock clock; // of the DRAM
    unsigned rank;
    int bank; // -1: of the whole rank
    std::string text;
};

// Counts every violation and keeps the first ones of each rule.
class Violations {
  public:
    static constexpr std::uint64_t KEPT = 100; // of each rule

    void add(Rule rule, Clock clock, unsigned rank, int bank, std::string text) {
        if (counts_[std::size_t(rule)]++ < KEPT)
            kept_.push_back({rule, clock, rank, bank, std::move(text)});
    }

    std::uint64_t count(Rule rule) const { return counts_[std::size_t(rule)]; }

    std::uint64_t count(RuleClass rule_class) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < RULE_COUNT; ++i)
            sum += RULES[i].rule_class == rule_class ? counts_[i] : 0;
        return sum;
    }

    // The first ones, in the order of their cycles.
    const std::vector<Violation> &kept() const { return kept_; }

    void transfer(State &state) {
        state(counts_);
        state.list(kept_, [&state](Violation &v) {
            state(v.rule, v.clock, v.rank, v.bank);
            state.text(v.text);
        });
    }

  private:
    std::array<std::uint64_t, RULE_COUNT> counts_{};
    std::vector<Violation> kept_;
};

} // namespace ddr3
