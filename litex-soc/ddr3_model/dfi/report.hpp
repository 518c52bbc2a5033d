// SPDX-License-Identifier: BSD-2-Clause
// The report of a model, as JSON.
#pragma once

#include "dfi_port.hpp"

#include <ostream>

namespace ddr3 {

inline void write_violation(std::ostream &out, const Timing &timing, const Violation &v) {
    const RuleText &rule = text_of(v.rule);
    out << "{\"rule\": \"" << rule.name << "\", \"class\": \"" << name_of(rule.rule_class)
        << "\", \"clock\": " << v.clock << ", \"ps\": " << timing.ps(v.clock) << ", \"rank\": " << v.rank
        << ", \"bank\": " << v.bank << ", \"text\": \"" << v.text << "\"}";
}

// Members: clocks (of the controller), device, bus, precharge_all (violations by class), broken (by rule), counts of
// accesses, violations (the first 100 of each rule).
inline void write_report(std::ostream &out, const DfiPort &port) {
    const Model &model = port.model;
    const Violations &violations = model.violations();
    out << "{\n\"clocks\": " << port.now() << ",\n";
    for (const RuleClass c : {RuleClass::DEVICE, RuleClass::BUS, RuleClass::PRECHARGE_ALL})
        out << '"' << name_of(c) << "\": " << violations.count(c) << ",\n";
    out << "\"broken\": {";
    const char *comma = "";
    for (std::size_t i = 0; i < RULE_COUNT; ++i) {
        if (!violations.count(Rule(i)))
            continue;
        out << comma << "\"" << RULES[i].name << "\": " << violations.count(Rule(i));
        comma = ", ";
    }
    const Counts &counts = model.counts();
    out << "},\n\"reads\": " << counts.reads << ",\n\"writes\": " << counts.writes
        << ",\n\"lost_reads\": " << counts.lost_reads << ",\n\"undriven_reads\": " << counts.undriven_reads
        << ",\n\"violations\": [";
    comma = "\n";
    for (const Violation &v : violations.kept()) {
        out << comma;
        write_violation(out, model.times(), v);
        comma = ",\n";
    }
    out << "]\n}\n";
}

} // namespace ddr3
