// SPDX-License-Identifier: BSD-2-Clause
// Power domains: their states and residencies; the rank meter of hls/ counts the rest.
//
// The meter of hls/ advances cycle by cycle. A functional simulator jumps between events, so the cycles in each state, of
// waking and since the last access are summed here from the times of events. The meter counts everything else.
#pragma once

#include <cstdint>
#include <vector>

#include "rank_power.hpp"
#include "stack.hpp"

namespace monitor_model {

class Domains {
  public:
    static constexpr uint32_t METER_WORDS = 16, FIRST_RESIDENCY = 4, WAKING = 13, IDLE = 14;

    Domains(uint32_t domains, uint32_t frames)
        : frames_each_(domains ? frames / domains : 0), domains_(domains), ranks_(domains) {}

    void reset() {
        now_ = begun_ = taken_ = 0;
        settings_ = PowerSettings{};
        domains_.assign(domains_.size(), Domain{});
        ranks_.assign(ranks_.size(), RankPower{});
        shown_.clear();
    }

    uint32_t count() const { return uint32_t(domains_.size()); }

    // Slices of one rank share its state.
    void set_ranks(bool slices, const ExitCycles &exits) {
        ranks_.assign(slices && count() ? 1 : count(), RankPower{});
        exits_ = exits;
    }

    PowerSettings &settings() { return settings_; }

    // Whether accesses can change a state: some rank sleeps or may fall asleep.
    bool need_accesses() const {
        bool need = settings_.kind != POLICY_NONE && count();
        for (const RankPower &rank : ranks_)
            need |= rank.asleep() || rank.commanded();
        return need;
    }

    void observe_from_now() {
        for (RankPower &rank : ranks_)
            rank.observe_from(now_);
    }

    // Advances the time; changes of state at `cycles` itself follow the events of that cycle.
    void set_time(uint64_t cycles, Stack &stack) {
        const int64_t end = int64_t(cycles);
        while (now_ < end) {
            int64_t first = end;
            for (uint32_t rank = 0; rank < ranks_.size(); ++rank)
                first = std::min(first, next(rank, stack).at);
            pass(first);
            if (now_ < end)
                change(stack);
        }
    }

    void command(uint32_t domain, uint32_t state, Stack &stack) {
        if (!count() || (ranks_.size() > 1 && domain >= count()) || state >= POWER_STATES)
            return;
        if (ranks_[rank_of(domain)].command(now_, state, exits_))
            stack.meter(DomainEvent{false, false, false, 0, packed()});
    }

    void access(uint32_t frame, bool write, Stack &stack) {
        if (!count())
            return;
        const uint32_t domain = frame / frames_each_;
        const bool wakes = ranks_[rank_of(domain)].access(now_, exits_);
        domains_[domain].last_access = now_;
        stack.meter(DomainEvent{true, write, wakes, domain, packed()});
    }

    // The state of a domain in the encoding of the register `state`.
    uint32_t state(uint32_t domain, const Stack &stack) const {
        if (domain >= count())
            return AWAKE;
        const RankPower &rank = ranks_[rank_of(domain)];
        const RankPower::Transition due = next(rank_of(domain), stack);
        const uint32_t state = due.at <= now_ ? due.state : rank.state();
        return state == PRECHARGE_STANDBY ? uint32_t(AWAKE) : state;
    }

    void snapshot(Stack &stack) {
        stack.snapshot();
        shown_.clear();
        for (Domain &domain : domains_) {
            shown_.push_back(domain);
            shown_.back().idle = now_ > domain.last_access ? uint64_t(now_ - domain.last_access - 1) : 0;
            domain.waking = 0;
            std::fill(domain.residency, domain.residency + POWER_STATES, 0);
        }
        taken_ = uint64_t(now_ - begun_);
        begun_ = now_;
    }

    uint64_t snapshot_clocks() const { return taken_; }

    bool overflow() const {
        bool found = taken_ > ~uint32_t(0);
        for (const Domain &domain : shown_)
            for (const uint64_t cycles : domain.residency)
                found |= cycles > ~uint32_t(0);
        return found;
    }

    uint32_t window(uint32_t word, const Stack &stack) const {
        const uint32_t domain = word / METER_WORDS, counter = word % METER_WORDS;
        if (domain >= count())
            return stack.meter_window(word); // N_mrc of a context
        const bool residency = counter >= FIRST_RESIDENCY && counter < FIRST_RESIDENCY + POWER_STATES;
        if (!residency && counter != WAKING && counter != IDLE)
            return stack.meter_window(word);
        if (shown_.empty())
            return 0;
        const Domain &shown = shown_[domain];
        const uint64_t cycles = residency             ? shown.residency[counter - FIRST_RESIDENCY]
                                : counter == WAKING ? shown.waking
                                                    : shown.idle;
        return cycles < ~uint32_t(0) ? uint32_t(cycles) : ~uint32_t(0);
    }

  private:
    struct Domain {
        int64_t last_access = -1;
        uint64_t residency[POWER_STATES] = {};
        uint64_t waking = 0, idle = 0;
    };

    uint32_t rank_of(uint32_t domain) const { return ranks_.size() == 1 ? 0 : domain; }

    RankPower::Transition next(uint32_t rank, const Stack &stack) const {
        const uint32_t all = uint32_t((uint64_t(1) << count()) - 1);
        const uint32_t own = ranks_.size() == 1 ? all : 1u << rank;
        const uint32_t working = settings_.kind == POLICY_MRC ? stack.working() & own : 0;
        return ranks_[rank].next(now_, settings_,
                                 {working != 0, working == own, (settings_.partial_allowed & own) == own});
    }

    // The time advances to `end`, without a change of state.
    void pass(int64_t end) {
        for (uint32_t number = 0; number < count(); ++number) {
            const RankPower &rank = ranks_[rank_of(number)];
            domains_[number].residency[rank.state()] += uint64_t(end - now_);
            if (!rank.asleep() && rank.ready() > now_)
                domains_[number].waking += uint64_t(std::min(end, rank.ready()) - now_);
        }
        now_ = end;
    }

    // Every change of state that is due now.
    void change(Stack &stack) {
        bool changed = false;
        for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            const RankPower::Transition due = next(rank, stack);
            if (due.at > now_)
                continue;
            ranks_[rank].enter(due.state);
            changed = true;
        }
        if (changed)
            stack.meter(DomainEvent{false, false, false, 0, packed()});
    }

    uint64_t packed() const {
        uint64_t states = 0;
        for (uint32_t domain = 0; domain < count(); ++domain)
            states |= uint64_t(ranks_[rank_of(domain)].state()) << (3 * domain);
        return states;
    }

    uint32_t frames_each_;
    std::vector<Domain> domains_;
    std::vector<RankPower> ranks_;
    PowerSettings settings_;
    ExitCycles exits_;
    int64_t now_ = 0, begun_ = 0;
    uint64_t taken_ = 0;
    std::vector<Domain> shown_; // of the last snapshot
};

} // namespace monitor_model
