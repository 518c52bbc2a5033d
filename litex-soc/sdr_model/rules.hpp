// SPDX-License-Identifier: BSD-2-Clause
// The rules that are checked: one line each. Names are the data sheet's where it has one.
#pragma once

#include <cstddef>

namespace sdr {

// RESERVED is counted apart: LiteDRAM's initialisation, which is that of DDR, sets a reserved bit of the mode register.
enum class RuleClass { DEVICE, RESERVED };

// clang-format off
#define SDR_RULES(RULE)                                                                                              \
    RULE(tRCD, DEVICE, "RD or WR sooner after the bank's ACT")                                                        \
    RULE(tRP, DEVICE, "ACT, REF or MRS sooner after a precharge, auto-precharge included")                            \
    RULE(tRAS, DEVICE, "PRE sooner after the bank's ACT")                                                             \
    RULE(tRAS_MAX, DEVICE, "a row left open longer than 120 us")                                                      \
    RULE(tRC, DEVICE, "ACT sooner after the same bank's ACT")                                                         \
    RULE(tRRD, DEVICE, "ACT sooner after another bank's ACT")                                                         \
    RULE(tWR, DEVICE, "PRE sooner after the data of a WR to the bank")                                                \
    RULE(tRFC, DEVICE, "any command sooner after REF")                                                                \
    RULE(tMRD, DEVICE, "any command sooner after MRS")                                                                \
    RULE(tREF, DEVICE, "8,192 REF longer than 64 ms")                                                                 \
    RULE(POWER_UP, DEVICE, "a command sooner than 100 us after power-up")                                             \
    RULE(INIT, DEVICE, "ACT, RD or WR before PREA, two REF and MRS")                                                  \
    RULE(COMMAND_CKE_LOW, DEVICE, "a command in the cycle after CKE was low")                                         \
    RULE(ACT_OPEN_BANK, DEVICE, "ACT of a bank whose row is open")                                                    \
    RULE(RD_CLOSED_BANK, DEVICE, "RD of a bank without an open row")                                                  \
    RULE(WR_CLOSED_BANK, DEVICE, "WR to a bank without an open row")                                                  \
    RULE(REF_OPEN_ROWS, DEVICE, "REF while a row is open")                                                            \
    RULE(MRS_OPEN_ROWS, DEVICE, "MRS while a row is open")                                                            \
    RULE(MR_CL, DEVICE, "MRS: a CL that does not exist, or is too short for the clock")                               \
    RULE(MR_BURST, DEVICE, "MRS: bursts, which are not modelled")                                                     \
    RULE(BURST_STOP, DEVICE, "a command for bursts, which are not modelled")                                          \
    RULE(DQ_CONFLICT, DEVICE, "the controller drives the data lines while the chip does")                             \
    RULE(WR_UNDRIVEN, DEVICE, "WR while the controller does not drive the data lines")                                \
    RULE(MR_RESERVED, RESERVED, "MRS: a reserved bit is set")
// clang-format on

#define SDR_ENUMERATE(name, rule_class, breaks) name,
enum class Rule { SDR_RULES(SDR_ENUMERATE) };
#undef SDR_ENUMERATE

struct RuleText {
    const char *name;
    RuleClass rule_class;
    const char *breaks;
};

#define SDR_DESCRIBE(name, rule_class, breaks) {#name, RuleClass::rule_class, breaks},
constexpr RuleText RULES[] = {SDR_RULES(SDR_DESCRIBE)};
#undef SDR_DESCRIBE

constexpr std::size_t RULE_COUNT = sizeof(RULES) / sizeof(RULES[0]);

constexpr const char *name_of(RuleClass rule_class) { return rule_class == RuleClass::DEVICE ? "device" : "reserved"; }

} // namespace sdr
