// SPDX-License-Identifier: BSD-2-Clause
#include "chip_machine.hpp"
#include "stacks/page_table.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// Thresholds learned from idle times: for each candidate, its decayed cost in the idle times seen.
//
// Costs are microwatts x nanoseconds relative to nap; an old cost decays by 1/64 with each new one. Standby, nap and
// powerdown are the states 1, 2 and 3.
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

// Prediction of the next chip and its time, by the last successor of a page or of a pair of chips.
struct Successor {
    static constexpr uint32_t NONE = UINT32_MAX;
    static constexpr uint32_t SURE = 3;

    uint32_t chip = NONE, confidence = 0;
    uint64_t gap_fs = 0;

    bool sure() const { return confidence >= SURE; }
};

class Successors {
  public:
    // `near_fs`: gaps up to it count as equal; `tolerance_fs`: longer gaps agree within this or an eighth.
    Successors(uint32_t pages, uint32_t chips, uint64_t near_fs, uint64_t tolerance_fs)
        : near_(near_fs), tolerance_(tolerance_fs), chips_(chips), by_page_(size_t(pages) * 2) {}

    uint64_t tolerance(uint64_t gap_fs) const {
        return gap_fs <= near_ ? 0 : gap_fs / 8 > tolerance_ ? gap_fs / 8 : tolerance_;
    }

    // Returns the expected successor of an access.
    const Successor &after(uint32_t page, uint32_t chip, bool write) {
        page_ = size_t(page) * 2 + write;
        pairs_.reserve(1);
        chip_ = pairs_.find_or_insert((uint64_t(chip) * chips_ + last_) * 2 + write, uint32_t(by_chip_.size()));
        if (chip_ == by_chip_.size())
            by_chip_.emplace_back();
        last_ = chip;
        begun_ = true;
        return by_page_[page_].sure() ? by_page_[page_] : by_chip_[chip_];
    }

    // Records the actual successor of the last access.
    void learn(uint32_t chip, uint64_t gap_fs) {
        if (!begun_)
            return;
        learn(by_page_[page_], chip, gap_fs);
        learn(by_chip_[chip_], chip, gap_fs);
    }

  private:
    void learn(Successor &entry, uint32_t chip, uint64_t gap_fs) const {
        if (entry.chip == chip && agree(entry.gap_fs, gap_fs)) {
            entry.confidence += entry.confidence < Successor::SURE;
            entry.gap_fs = gap_fs;
        } else if (entry.confidence > 1) {
            --entry.confidence;
        } else {
            entry = {chip, 1, gap_fs};
        }
    }

    bool agree(uint64_t told, uint64_t gap) const {
        if (told <= near_ && gap <= near_)
            return true;
        return (told > gap ? told - gap : gap - told) <= (told <= near_ ? tolerance_ : tolerance(told));
    }

    const uint64_t near_, tolerance_;
    const uint64_t chips_;
    std::vector<Successor> by_page_, by_chip_;
    PageTable pairs_; // where in by_chip_ the entry of a chip, the chip before and a direction is
    size_t page_ = 0, chip_ = 0; // entries of the last access
    uint32_t last_ = 0;
    bool begun_ = false;
};

// Chips with individual idle thresholds that can be woken ahead of an access.
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

ChipRun run_predictive(const ChipTrace &trace, const ChipPower &power, const PredictiveParameters &parameters) {
    const IdleCosts::Tariff tariff(power, parameters.price_uw);
    ExpectingChips chips(power, trace.chips);
    Successors successors(trace.page_count, trace.chips, power.exit_fs[2], parameters.tolerance_fs);
    std::vector<IdleCosts> costs(size_t(trace.chips) * 2);
    std::vector<uint8_t> written(trace.chips); // direction of a chip's last access
    uint32_t expected = Successor::NONE;
    uint64_t now = 0;
    for (uint64_t i = 0; i < trace.count; ++i) {
        const uint32_t page = trace.pages[i], chip = trace.chip_of[page];
        const bool write = trace.writes[i];
        now += trace.gaps_fs[i];
        successors.learn(chip, trace.gaps_fs[i]);
        const uint64_t idle = chips.idle(chip, now);
        if (idle != NEVER)
            costs[2 * size_t(chip) + written[chip]].learn(tariff, idle);
        written[chip] = write;
        if (expected != Successor::NONE)
            chips.forget(expected, now);
        const IdleCosts &known = costs[2 * size_t(chip) + write];
        const uint64_t issued = now;
        now = chips.access(chip, issued, known.nap_after_fs(tariff), known.deep_after_fs(tariff));
        const Successor &next = successors.after(page, chip, write);
        expected = Successor::NONE;
        if (!next.sure())
            continue;
        expected = next.chip;
        const uint64_t tolerance = successors.tolerance(next.gap_fs);
        if (expected == chip && next.gap_fs > power.exit_fs[2] + tolerance)
            chips.nap_at_once(chip);
        chips.expect(expected, expected == chip ? now : issued, now + next.gap_fs - tolerance,
                     now + next.gap_fs + tolerance + parameters.hold_fs);
    }
    ChipRun run;
    run.total_fs = now;
    run.chips = chips.finish(now);
    return run;
}

} // namespace litemrc_native
