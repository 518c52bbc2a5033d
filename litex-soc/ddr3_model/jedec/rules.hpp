// SPDX-License-Identifier: BSD-2-Clause
// The rules that are checked: one line each. Names are JESD79-3's where it has one.
#pragma once

#include <cstddef>

namespace ddr3 {

// DEVICE: requirements of a DRAM chip. Two classes are counted separately, because LiteDRAM's own controller violates
// them: BUS, for ranks that share data lines, which the chip's standard leaves to the board; PRECHARGE_ALL, device rules
// broken by a precharge of all banks, as before LiteDRAM's refresh.
enum class RuleClass { DEVICE, BUS, PRECHARGE_ALL };

// clang-format off
#define DDR3_RULES(RULE)                                                                                              \
    RULE(tRCD, DEVICE, "RD or WR sooner after the bank's ACT")                                                        \
    RULE(tRP, DEVICE, "ACT, REF, MRS, ZQ or self-refresh entry sooner after a precharge, auto-precharge included")    \
    RULE(tRAS, DEVICE, "PRE sooner after the bank's ACT")                                                             \
    RULE(tRAS_PREA, PRECHARGE_ALL, "PRE of all banks sooner after a bank's ACT than tRAS")                            \
    RULE(tRAS_MAX, DEVICE, "a row left open longer than 9 tREFI")                                                     \
    RULE(tRC, DEVICE, "ACT sooner after the same bank's ACT")                                                         \
    RULE(tRRD, DEVICE, "ACT sooner after another bank's ACT")                                                         \
    RULE(tFAW, DEVICE, "a fifth ACT of a rank inside the window of four")                                             \
    RULE(tCCD, DEVICE, "RD after RD, or WR after WR, sooner")                                                         \
    RULE(tWTR, DEVICE, "RD sooner after the last data of a WR to the rank")                                           \
    RULE(tRTW, DEVICE, "WR sooner after RD than RL + tCCD + 2 - WL")                                                  \
    RULE(tWR, DEVICE, "PRE sooner after the last data of a WR to the bank")                                           \
    RULE(tRTP, DEVICE, "PRE sooner after a RD of the bank")                                                           \
    RULE(tRFC, DEVICE, "any command sooner after REF")                                                                \
    RULE(tMRD, DEVICE, "MRS sooner after MRS")                                                                        \
    RULE(tMOD, DEVICE, "another command sooner after MRS")                                                            \
    RULE(tDLLK, DEVICE, "RD sooner after a reset of the DLL")                                                         \
    RULE(tZQinit, DEVICE, "any command or CKE low sooner after the first ZQCL")                                       \
    RULE(tZQoper, DEVICE, "any command or CKE low sooner after a later ZQCL")                                         \
    RULE(tZQCS, DEVICE, "any command or CKE low sooner after ZQCS")                                                   \
    RULE(tXPR, DEVICE, "MRS sooner after CKE went high for the first time")                                           \
    RULE(tXP, DEVICE, "any command sooner after the exit of power-down")                                              \
    RULE(tXPDLL, DEVICE, "RD sooner after the exit of precharge power-down with slow exit (MR0 A12 = 0)")             \
    RULE(tPD, DEVICE, "CKE low for power-down shorter")                                                               \
    RULE(tPD_MAX, DEVICE, "power-down longer than 9 tREFI")                                                           \
    RULE(tCKE, DEVICE, "CKE high shorter between two power-downs or self-refreshes")                                  \
    RULE(tACTPDEN, DEVICE, "CKE low sooner after ACT")                                                                \
    RULE(tPRPDEN, DEVICE, "CKE low sooner after PRE")                                                                 \
    RULE(tREFPDEN, DEVICE, "CKE low sooner after REF")                                                                \
    RULE(tMRSPDEN, DEVICE, "CKE low sooner after MRS")                                                                \
    RULE(tRDPDEN, DEVICE, "CKE low (power-down or self-refresh) sooner after RD")                                     \
    RULE(tWRPDEN, DEVICE, "CKE low sooner after WR")                                                                  \
    RULE(tWRAPDEN, DEVICE, "CKE low sooner after WR with auto-precharge")                                             \
    RULE(tCKESR, DEVICE, "CKE low for self-refresh shorter")                                                          \
    RULE(tXS, DEVICE, "a command or CKE low sooner after the exit of self-refresh")                                   \
    RULE(tXSDLL, DEVICE, "RD sooner after the exit of self-refresh")                                                  \
    RULE(COMMAND_CKE_LOW, DEVICE, "a command while CKE is low")                                                       \
    RULE(ACT_OPEN_BANK, DEVICE, "ACT of a bank whose row is open")                                                    \
    RULE(RD_CLOSED_BANK, DEVICE, "RD of a bank without an open row")                                                  \
    RULE(WR_CLOSED_BANK, DEVICE, "WR to a bank without an open row")                                                  \
    RULE(REF_OPEN_ROWS, DEVICE, "REF while a row is open")                                                            \
    RULE(MRS_OPEN_ROWS, DEVICE, "MRS while a row is open")                                                            \
    RULE(ZQ_OPEN_ROWS, DEVICE, "ZQCS or ZQCL while a row is open")                                                    \
    RULE(SRE_OPEN_ROWS, DEVICE, "self-refresh entry while a row is open")                                             \
    RULE(SRE_ODT, DEVICE, "self-refresh entry with ODT on, or off for less than ODTLoff + 0.5 (RTT_NOM on)")          \
    RULE(ODT_XSDLL, DEVICE, "ODT on before tXSDLL is over after self-refresh (RTT_NOM on)")                           \
    RULE(SRX_REFRESH, DEVICE, "self-refresh or power-down again after self-refresh without a REF between")            \
    RULE(REFRESH_DEBT, DEVICE, "more than 8 refreshes postponed; the rank's data are lost")                           \
    RULE(REFRESH_BURST, DEVICE, "more than 16 REF within 2 tREFI")                                                    \
    RULE(INIT, DEVICE, "ACT, RD or WR before MR0 to MR3 are loaded and ZQCL was done")                                \
    RULE(MR_CL, DEVICE, "MRS: CL shorter than tAA")                                                                   \
    RULE(MR_CWL, DEVICE, "MRS: CWL that is not for this clock")                                                       \
    RULE(MR_WR, DEVICE, "MRS: write recovery shorter than tWR")                                                       \
    RULE(DQ_CONFLICT, BUS, "data of two accesses to different ranks on the bus at once")                              \
    RULE(RANK_SWITCH, BUS, "no cycle for the preamble between the data of two ranks")
// clang-format on

#define DDR3_ENUMERATE(name, rule_class, breaks) name,
enum class Rule { DDR3_RULES(DDR3_ENUMERATE) };
#undef DDR3_ENUMERATE

struct RuleText {
    const char *name;
    RuleClass rule_class;
    const char *breaks;
};

#define DDR3_DESCRIBE(name, rule_class, breaks) {#name, RuleClass::rule_class, breaks},
constexpr RuleText RULES[] = {DDR3_RULES(DDR3_DESCRIBE)};
#undef DDR3_DESCRIBE

constexpr std::size_t RULE_COUNT = sizeof(RULES) / sizeof(RULES[0]);

constexpr const RuleText &text_of(Rule rule) { return RULES[std::size_t(rule)]; }

constexpr const char *name_of(RuleClass rule_class) {
    return rule_class == RuleClass::DEVICE ? "device" : rule_class == RuleClass::BUS ? "bus" : "precharge_all";
}

} // namespace ddr3
