// Power domains: their states and residencies; the rank meter of hls/ counts the rest.
//
// The meter of hls/ advances cycle by cycle. A functional simulator jumps between events, so the cycles in each state and
// since the last access are summed here from its event times. The meter counts everything else.
#pragma once

#include <cstdint>
#include <vector>

#include "stack.hpp"

namespace monitor_model {

class Domains {
  public:
    static constexpr uint32_t AWAKE = 0; // value of the register `command`; the low-power states are those of PowerState
    static constexpr uint32_t PRECHARGE_STANDBY = 1, STATES = 5;
    static constexpr uint32_t METER_WORDS = 16, FIRST_RESIDENCY = 4, IDLE = 14;

    Domains(uint32_t domains, uint32_t frames) : frames_each_(domains ? frames / domains : 0), domains_(domains) {}

    void reset() {
        now_ = begun_ = taken_ = 0;
        domains_.assign(domains_.size(), Domain{});
        shown_.clear();
    }

    uint32_t count() const { return uint32_t(domains_.size()); }

    void set_time(uint64_t cycles) {
        if (cycles < now_)
            return;
        for (Domain &domain : domains_)
            domain.residency[domain.state] += cycles - now_;
        now_ = cycles;
    }

    void command(uint32_t domain, uint32_t state, Stack &stack) {
        if (domain >= count() || state >= STATES)
            return;
        domains_[domain].state = state == AWAKE ? PRECHARGE_STANDBY : state;
        stack.meter(DomainEvent{false, false, false, 0, packed()});
    }

    void access(uint32_t frame, bool write, Stack &stack) {
        if (!count())
            return;
        const uint32_t number = frame / frames_each_;
        Domain &domain = domains_[number];
        const bool wakes = domain.state != PRECHARGE_STANDBY;
        domain.state = PRECHARGE_STANDBY;
        domain.last_access = now_;
        stack.meter(DomainEvent{true, write, wakes, number, packed()});
    }

    // The state of a domain in the encoding of the register `state`.
    uint32_t state(uint32_t domain) const {
        if (domain >= count())
            return AWAKE;
        return domains_[domain].state == PRECHARGE_STANDBY ? AWAKE : domains_[domain].state;
    }

    void snapshot(Stack &stack) {
        stack.snapshot();
        shown_.clear();
        for (Domain &domain : domains_) {
            for (uint64_t &clocks : domain.residency) {
                shown_.push_back(clocks);
                clocks = 0;
            }
            shown_.push_back(now_ - domain.last_access);
        }
        taken_ = now_ - begun_;
        begun_ = now_;
    }

    uint64_t snapshot_clocks() const { return taken_; }

    uint32_t window(uint32_t word, const Stack &stack) const {
        const uint32_t domain = word / METER_WORDS, counter = word % METER_WORDS;
        if (domain >= count())
            return stack.meter_window(word); // N_mrc of a context
        const bool residency = counter >= FIRST_RESIDENCY && counter < FIRST_RESIDENCY + STATES;
        if (!residency && counter != IDLE)
            return stack.meter_window(word);
        if (shown_.empty())
            return 0;
        const uint64_t clocks = shown_[domain * (STATES + 1) + (residency ? counter - FIRST_RESIDENCY : STATES)];
        return clocks < ~uint32_t(0) ? uint32_t(clocks) : ~uint32_t(0);
    }

  private:
    struct Domain {
        uint32_t state = PRECHARGE_STANDBY;
        uint64_t last_access = 0;
        uint64_t residency[STATES] = {};
    };

    uint64_t packed() const {
        uint64_t states = 0;
        for (uint32_t domain = 0; domain < count(); ++domain)
            states |= uint64_t(domains_[domain].state) << (3 * domain);
        return states;
    }

    uint32_t frames_each_;
    std::vector<Domain> domains_;
    uint64_t now_ = 0, begun_ = 0, taken_ = 0;
    std::vector<uint64_t> shown_; // per domain: cycles in each state, then since the last access
};

} // namespace monitor_model
