// Chips with individual idle thresholds that can be woken ahead of an access.
#pragma once

#include "chip_states.hpp"

#include <algorithm>

namespace litemrc_native {

class ExpectingChips {
  public:
    ExpectingChips(const ChipPower &power, uint32_t chips) : power_(power), chips_(chips) {}

    // How long the chip has been idle at `now`; NEVER: not used yet.
    uint64_t idle(uint32_t chip, uint64_t now) const {
        return chips_[chip].used == NEVER ? NEVER : now - chips_[chip].used;
    }

    // Accesses the chip at `now`; returns the completion time. From then on the chip waits in standby until nap_after
    // and in nap until deep_after, or nap_after if that is later.
    uint64_t access(uint32_t chip, uint64_t now, uint64_t nap_after, uint64_t deep_after) {
        settle(chip, now);
        Chip &it = chips_[chip];
        const unsigned state = it.state_at(now);
        const uint64_t awake = now < it.from ? it.from : now + power_.exit_fs[state];
        if (now >= it.from)
            it.counts.wakes[state] += state != 0;
        ++it.counts.accesses;
        it.from = it.used = awake + power_.access_fs;
        it.nap_at = it.from + nap_after;
        it.deep_at = it.from + std::max(nap_after, deep_after);
        it.deep_after = deep_after;
        it.wake_at = NEVER;
        return it.from;
    }

    void nap_at_once(uint32_t chip) { chips_[chip].nap_at = chips_[chip].from; }

    // The chip shall be awake from `ready` until `until`, but not begin to wake before `now`. It expects one access at
    // most: what it expected before must be forgotten or have begun.
    void expect(uint32_t chip, uint64_t now, uint64_t ready, uint64_t until) {
        settle(chip, now);
        Chip &it = chips_[chip];
        const auto latest = [&](unsigned state) {
            return std::max(now, ready > power_.exit_fs[state] ? ready - power_.exit_fs[state] : 0);
        };
        if (latest(2) <= it.nap_at) { // awake, or on the way
            it.nap_at = std::max(it.nap_at, until);
            it.deep_at = it.nap_at + it.deep_after;
            return;
        }
        it.wake_from = latest(2) < it.deep_at ? 2 : 3;
        it.wake_at = it.wake_from == 2 ? latest(2) : std::max(latest(3), it.deep_at);
        it.next_nap_at = std::max(until, it.wake_at + power_.exit_fs[it.wake_from]);
    }

    // Cancels the wake-up unless it has begun.
    void forget(uint32_t chip, uint64_t now) {
        if (chips_[chip].wake_at > now)
            chips_[chip].wake_at = NEVER;
    }

    std::vector<ChipCounts> finish(uint64_t now) {
        std::vector<ChipCounts> counts;
        for (uint32_t chip = 0; chip < chips_.size(); ++chip) {
            settle(chip, now);
            counts.push_back(chips_[chip].counts);
        }
        return counts;
    }

  private:
    struct Chip {
        uint64_t from = 0, nap_at = 0, deep_at = 0; // waits from then on; accounted for until then
        uint64_t wake_at = NEVER, next_nap_at = 0;
        uint64_t used = NEVER, deep_after = 0;
        unsigned wake_from = 0;
        ChipCounts counts;

        unsigned state_at(uint64_t now) const { return now >= deep_at ? 3 : now >= nap_at ? 2 : 1; }

        void wait(uint64_t until) {
            const uint64_t nap = std::clamp(nap_at, from, until), deep = std::clamp(deep_at, nap, until);
            counts.waited_fs[1] += nap - from;
            counts.waited_fs[2] += deep - nap;
            counts.waited_fs[3] += until - deep;
            from = until;
        }
    };

    void settle(uint32_t chip, uint64_t now) {
        Chip &it = chips_[chip];
        if (it.wake_at <= now) {
            it.wait(it.wake_at);
            ++it.counts.wakes[it.wake_from];
            it.from += power_.exit_fs[it.wake_from];
            it.nap_at = it.next_nap_at;
            it.deep_at = it.nap_at + it.deep_after;
            it.wake_at = NEVER;
        }
        if (now > it.from)
            it.wait(now);
    }

    const ChipPower power_;
    std::vector<Chip> chips_;
};

} // namespace litemrc_native
