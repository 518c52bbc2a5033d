// Thresholds learned from idle times: for each candidate, its decayed cost in the idle times seen.
//
// Costs are microwatts x nanoseconds relative to nap; an old cost decays by 1/64 with each new one. Standby, nap and
// powerdown are the states 1, 2 and 3.
#pragma once

#include "chip_states.hpp"

#include <algorithm>

namespace litemrc_native {

class IdleCosts {
  public:
    // Parameters common to all chips of a memory. `price_uw`: cost of a second of delay, without the exit's power.
    struct Tariff {
        static constexpr unsigned NAPS = 6, DEEPS = 8, FIRST_DEEP = 4;

        Tariff(const ChipPower &power, uint64_t price_uw)
            : more_in_standby(int64_t(power.waiting_uw[1]) - int64_t(power.waiting_uw[2])),
              more_in_nap(int64_t(power.waiting_uw[2]) - int64_t(power.waiting_uw[3])) {
            const auto back = [&](unsigned state) {
                return int64_t(power.exit_uw[state] + price_uw) * int64_t(power.exit_fs[state] / FS_PER_NS);
            };
            nap_back = back(2) - back(1);
            deep_back = back(3) - back(2);
            constexpr uint64_t quarters[NAPS] = {0, 1, 2, 4, 8, 16}, halves[DEEPS] = {1, 4, 10, 20, 50, 100, 200, 600};
            for (unsigned i = 0; i < NAPS; ++i)
                nap_after_ns[i] = int64_t(quarters[i] * power.exit_fs[2] / (4 * FS_PER_NS));
            for (unsigned i = 0; i < DEEPS; ++i)
                deep_after_ns[i] = int64_t(halves[i] * power.exit_fs[3] / (2 * FS_PER_NS));
        }

        int64_t more_in_standby, more_in_nap, nap_back, deep_back;
        int64_t nap_after_ns[NAPS], deep_after_ns[DEEPS];
    };
    static constexpr uint64_t FS_PER_NS = 1000000;

    // Learns an idle time of the chip.
    void learn(const Tariff &tariff, uint64_t idle_fs) {
        const int64_t idle = int64_t(std::min(idle_fs / FS_PER_NS, LONGEST_NS));
        for (unsigned i = 0; i < Tariff::NAPS; ++i) {
            const int64_t after = tariff.nap_after_ns[i];
            const int64_t cost = tariff.more_in_standby * std::min(idle, after) - (idle < after ? tariff.nap_back : 0);
            nap_[i] += cost - (nap_[i] >> FADING);
        }
        for (unsigned i = 0; i < Tariff::DEEPS; ++i) {
            const int64_t after = tariff.deep_after_ns[i];
            const int64_t cost = idle < after ? 0 : tariff.deep_back - tariff.more_in_nap * (idle - after);
            deep_[i] += cost - (deep_[i] >> FADING);
        }
    }

    uint64_t nap_after_fs(const Tariff &tariff) const {
        return uint64_t(tariff.nap_after_ns[cheapest(nap_, Tariff::NAPS, 0)]) * FS_PER_NS;
    }
    uint64_t deep_after_fs(const Tariff &tariff) const {
        return uint64_t(tariff.deep_after_ns[cheapest(deep_, Tariff::DEEPS, Tariff::FIRST_DEEP)]) * FS_PER_NS;
    }

  private:
    static constexpr unsigned FADING = 6;
    static constexpr uint64_t LONGEST_NS = uint64_t(1) << 32;

    static unsigned cheapest(const int64_t *costs, unsigned count, unsigned best) {
        for (unsigned i = 0; i < count; ++i)
            if (costs[i] < costs[best])
                best = i;
        return best;
    }

    int64_t nap_[Tariff::NAPS]{}, deep_[Tariff::DEEPS]{};
};

} // namespace litemrc_native
