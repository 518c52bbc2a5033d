// SPDX-License-Identifier: BSD-2-Clause
// The report of a model, as JSON.
#pragma once

#include "model.hpp"

#include <ostream>

namespace sdr {

// Members: clocks, device, reserved (violations by class), broken (by rule), counts of commands, violations (the first
// ones of each rule).
inline void write_report(std::ostream &out, const Model &model) {
    out << "{\n\"clocks\": " << model.now() << ",\n";
    for (const RuleClass c : {RuleClass::DEVICE, RuleClass::RESERVED})
        out << '"' << name_of(c) << "\": " << model.count(c) << ",\n";
    out << "\"broken\": {";
    const char *comma = "";
    for (std::size_t i = 0; i < RULE_COUNT; ++i) {
        if (!model.count(Rule(i)))
            continue;
        out << comma << '"' << RULES[i].name << "\": " << model.count(Rule(i));
        comma = ", ";
    }
    const Counts &counts = model.counts();
    out << "},\n\"reads\": " << counts.reads << ",\n\"writes\": " << counts.writes
        << ",\n\"refreshes\": " << counts.refreshes << ",\n\"violations\": [";
    comma = "\n";
    for (const Violation &v : model.violations()) {
        out << comma << "{\"rule\": \"" << RULES[std::size_t(v.rule)].name << "\", \"clock\": " << v.clock
            << ", \"ps\": " << v.clock * model.parameters().tCK_ps << ", \"bank\": " << v.bank << '}';
        comma = ",\n";
    }
    out << "]\n}\n";
}

} // namespace sdr
