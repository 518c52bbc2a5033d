// SPDX-License-Identifier: BSD-2-Clause
// The registers and the window of rank meter and rank power: litex-soc/litemrc_gateware/ranks/registers.py.
#pragma once

#include <litemrc_regs.h>

#include "../monitor.hpp"
#include "words.hpp"

namespace monitor_model {

struct Ranks {
    uint32_t count = 0;  // 0: as many as domains
    bool slices = false; // the domains are slices of a single rank
    uint32_t states = (1u << POWER_STATES) - 1; // that the DRAM can reach
};

class RankRegisters {
  public:
    RankRegisters(Monitor &monitor, const Size &size, const Ranks &ranks)
        : monitor_(monitor), size_(size), states_(ranks.states) {
        capabilities_ = with_field(LITEMRC_RANKS_CAPABILITIES_DOMAINS_LOG2, size.domains ? log2_of(size.domains) : 0) |
                        with_field(LITEMRC_RANKS_CAPABILITIES_VIRTUAL, ranks.slices) |
                        with_field(LITEMRC_RANKS_CAPABILITIES_STATES, states_);
        words_.define(LITEMRC_RANKS_POLICY,
                      LITEMRC_RANKS_POLICY_KIND | LITEMRC_RANKS_POLICY_STATIC_STATE | LITEMRC_RANKS_POLICY_MRC_STATE |
                          LITEMRC_RANKS_POLICY_MRC_BASE,
                      with_field(LITEMRC_RANKS_POLICY_STATIC_STATE, LITEMRC_POWER_POWER_DOWN) |
                          with_field(LITEMRC_RANKS_POLICY_MRC_STATE, LITEMRC_POWER_SELF_REFRESH));
        words_.define(LITEMRC_RANKS_THRESHOLD_POWER_DOWN, ~0u);
        words_.define(LITEMRC_RANKS_THRESHOLD_SELF_REFRESH, ~0u);
        words_.define(LITEMRC_RANKS_COMMAND, LITEMRC_RANKS_COMMAND_DOMAIN | LITEMRC_RANKS_COMMAND_STATE);
        words_.define(LITEMRC_RANKS_PARTIAL, 7);
        words_.define(LITEMRC_RANKS_PARTIAL_ALLOWED, 0xffff);
        words_.define(LITEMRC_RANKS_N_MRC, 511, size.groups);
        words_.define(LITEMRC_RANKS_N_MRC_AUTO, up_to(LITEMRC_RANKS_N_MRC_AUTO_EPSILON));
        set_policy();
    }

    uint32_t read(uint32_t offset) const {
        switch (offset) {
        case LITEMRC_RANKS_VERSION:
            return LITEMRC_RANKS_REGS_VERSION;
        case LITEMRC_RANKS_CAPABILITIES:
            return capabilities_;
        case LITEMRC_RANKS_STATE: // upper word first
            return states(32 / LITEMRC_RANKS_STATE_BITS);
        case LITEMRC_RANKS_STATE + 4:
            return states(0);
        case LITEMRC_RANKS_WORKING:
            return monitor_.stack().working();
        case LITEMRC_RANKS_SNAPSHOT_CLOCKS:
            return uint32_t(std::min<uint64_t>(monitor_.domains().snapshot_clocks(), ~0u));
        case LITEMRC_RANKS_METER_STATUS:
            return with_field(LITEMRC_RANKS_METER_STATUS_SAMPLED, monitor_.scale_log2() != 0) |
                   with_field(LITEMRC_RANKS_METER_STATUS_OVERFLOW, monitor_.domains().overflow());
        }
        return words_.has(offset) ? words_[offset] : 0;
    }

    void write(uint32_t offset, uint32_t value) {
        if (!words_.has(offset))
            return;
        value = words_.set(offset, value);
        switch (offset) {
        case LITEMRC_RANKS_COMMAND:
            return command(field(value, LITEMRC_RANKS_COMMAND_DOMAIN), field(value, LITEMRC_RANKS_COMMAND_STATE));
        case LITEMRC_RANKS_N_MRC:
            return monitor_.set_n_mrc(value);
        case LITEMRC_RANKS_N_MRC_AUTO:
            return monitor_.set_n_mrc_auto(value & LITEMRC_RANKS_N_MRC_AUTO_ENABLE,
                                           field(value, LITEMRC_RANKS_N_MRC_AUTO_EPSILON));
        }
        set_policy();
    }

    uint32_t window_words() const { return size_.domains * LITEMRC_METER_ROW + size_.contexts; }
    uint32_t window(uint32_t word) const { return monitor_.domains().window(word, monitor_.stack()); }

  private:
    // A state that the DRAM cannot reach is ignored.
    void command(uint32_t domain, uint32_t state) {
        if (states_ >> state & 1)
            monitor_.command(domain, state);
    }

    // Of the eight domains from one on.
    uint32_t states(uint32_t first) const {
        uint32_t word = 0;
        for (uint32_t i = 0; i < 32 / LITEMRC_RANKS_STATE_BITS; ++i)
            word |= monitor_.state(first + i) << (i * LITEMRC_RANKS_STATE_BITS);
        return word;
    }

    void set_policy() {
        const uint32_t policy = words_[LITEMRC_RANKS_POLICY];
        monitor_.domains().settings() = {field(policy, LITEMRC_RANKS_POLICY_KIND),
                                         field(policy, LITEMRC_RANKS_POLICY_STATIC_STATE),
                                         field(policy, LITEMRC_RANKS_POLICY_MRC_STATE),
                                         field(policy, LITEMRC_RANKS_POLICY_MRC_BASE),
                                         words_[LITEMRC_RANKS_THRESHOLD_POWER_DOWN],
                                         words_[LITEMRC_RANKS_THRESHOLD_SELF_REFRESH],
                                         words_[LITEMRC_RANKS_PARTIAL],
                                         words_[LITEMRC_RANKS_PARTIAL_ALLOWED]};
    }

    Monitor &monitor_;
    Size size_;
    uint32_t states_, capabilities_;
    Words words_;
};

} // namespace monitor_model
