// SPDX-License-Identifier: BSD-2-Clause
// The power state of one rank, as litex-soc/litemrc_gateware/ranks/policy.py and clock_enable.py decide it, between the
// events of a functional simulator. host/litemrc/golden/ranks/power.py is the same cycle by cycle.
//
// Not modelled: the controller's own cycles of an entry, refreshes and their effect on power-down, and the wait of the
// processor for a rank that wakes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace monitor_model {

enum : uint32_t { AWAKE = 0, PRECHARGE_STANDBY = 1, POWER_DOWN = 2, SELF_REFRESH = 3, PARTIAL = 4, POWER_STATES = 5 };
enum : uint32_t { POLICY_NONE = 0, POLICY_STATIC = 1, POLICY_DYNAMIC = 2, POLICY_MRC = 3 };

// Values of the registers with the same names; all ranks share them.
struct PowerSettings {
    uint32_t kind = POLICY_NONE, static_state = AWAKE, mrc_state = AWAKE, mrc_base = POLICY_NONE;
    uint32_t threshold_power_down = 0, threshold_self_refresh = 0;
    uint32_t partial = 0, partial_allowed = 0;
};

// Cycles from a wake-up until the rank serves requests.
struct ExitCycles {
    uint32_t power_down = 0, self_refresh = 0;
};

// What the working set and the permission to lose data mean for the domains of a rank.
struct RankView {
    bool working, all_working, may_lose;
};

class RankPower {
  public:
    // Idle cycles of a rank before it sleeps at once. tests/models compares it with the RTL at DDR3-800.
    static constexpr int64_t REST = 8;
    static constexpr int64_t NEVER = INT64_MAX;

    struct Transition {
        int64_t at;
        uint32_t state;
    };

    // A PowerState; waking counts as precharge standby.
    uint32_t state() const { return state_; }
    bool asleep() const { return state_ != PRECHARGE_STANDBY; }
    bool commanded() const { return commanded_ != AWAKE; }
    int64_t ready() const { return ready_; }

    // The next change of state that needs no event, if views and settings stay; it may be at `now`.
    Transition next(int64_t now, const PowerSettings &settings, const RankView &view) const {
        if (state_ >= SELF_REFRESH)
            return {NEVER, state_};
        const int64_t first = asleep() ? now : std::max({now, ready_, idle_since_ + REST});
        const int64_t down = first_with(first, settings.threshold_power_down);
        const int64_t deep = first_with(first, settings.threshold_self_refresh);
        for (const int64_t at : {first, std::min(down, deep), std::max(down, deep)}) {
            const uint32_t want = at == NEVER ? uint32_t(AWAKE) : wanted(at, settings, view);
            if (want > state_ && want >= (asleep() ? SELF_REFRESH : POWER_DOWN))
                return {at, want};
        }
        return {NEVER, state_};
    }

    void enter(uint32_t state) { state_ = state; }

    // A request at `now`. Returns whether it woke the rank.
    bool access(int64_t now, const ExitCycles &exits) {
        const bool wakes = asleep();
        if (wakes) {
            wake(now, exits);
            commanded_ = AWAKE;
        }
        idle_since_ = std::max(now, ready_) + 1;
        return wakes;
    }

    // Returns whether it woke the rank.
    bool command(int64_t now, uint32_t state, const ExitCycles &exits) {
        commanded_ = state;
        if (state == AWAKE)
            idle_since_ = std::max(idle_since_, now + 1);
        const bool wakes = asleep() && (state < state_ || (state_ >= SELF_REFRESH && state != state_));
        if (wakes)
            wake(now, exits);
        return wakes;
    }

    // Accesses before `now` were not observed: the rank is idle only since then.
    void observe_from(int64_t now) { idle_since_ = std::max(idle_since_, now - REST); }

  private:
    void wake(int64_t now, const ExitCycles &exits) {
        ready_ = now + (state_ == POWER_DOWN ? exits.power_down : exits.self_refresh);
        state_ = PRECHARGE_STANDBY;
    }

    int64_t first_with(int64_t first, uint32_t threshold) const {
        return threshold ? std::max(first, idle_since_ + int64_t(threshold)) : NEVER;
    }

    uint32_t by_policy(uint32_t kind, int64_t at, const PowerSettings &settings) const {
        const auto reached = [this, at](uint32_t threshold) { return threshold && at - idle_since_ >= threshold; };
        if (kind == POLICY_STATIC)
            return settings.static_state;
        if (kind == POLICY_DYNAMIC)
            return reached(settings.threshold_self_refresh) ? SELF_REFRESH
                   : reached(settings.threshold_power_down) ? POWER_DOWN
                                                            : AWAKE;
        return AWAKE;
    }

    // The deeper one of software's command and the policy's state.
    uint32_t wanted(int64_t at, const PowerSettings &settings, const RankView &view) const {
        uint32_t policy = by_policy(settings.kind, at, settings);
        if (settings.kind == POLICY_MRC) {
            const uint32_t base = by_policy(settings.mrc_base, at, settings);
            policy = !view.working       ? settings.mrc_state
                     : view.all_working ? base
                                        : std::min(settings.mrc_state, base);
        }
        const uint32_t deeper = std::max(commanded_, policy);
        if (deeper == PARTIAL)
            return view.may_lose && settings.partial ? PARTIAL : SELF_REFRESH;
        return deeper == POWER_DOWN || deeper == SELF_REFRESH ? deeper : AWAKE;
    }

    uint32_t state_ = PRECHARGE_STANDBY, commanded_ = AWAKE;
    int64_t idle_since_ = -REST, ready_ = 0;
};

} // namespace monitor_model
