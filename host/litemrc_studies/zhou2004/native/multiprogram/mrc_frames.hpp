// SPDX-License-Identifier: BSD-2-Clause
// MRC-directed allocation at fault time (Zhou 2004, section 4.1.3): a process that faults grows at the expense of the
// process that loses least, or replaces its own page; and reclamation in the background. See
// golden/frame_policies.py for each case.
#pragma once

#include "lru_frames.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// Aged miss-ratio curve of a process: epoch hit counts that decay with its own references. Operation for
// operation golden/aged_curve.py, so that decisions are the same to the last bit.
class AgedCurve {
  public:
    static constexpr double FORGOTTEN = 1.0 / 1024; // a count below this share of a reference is none

    // Of memories of 1, 2 ... `groups` groups of pages; `decay`: what remains of a count when an epoch has ended;
    // `convex`: the largest convex curve below instead.
    AgedCurve(size_t groups, uint64_t group_pages, double decay, bool convex)
        : decay_(decay), group_pages_(group_pages), convex_(convex), counts_(groups + 1),
          miss_ratios_(groups + 1, 1.0) {}

    // Ends an epoch: hits in each group, then misses.
    void add(const double *counts, uint64_t now) {
        references_ *= decay_;
        double total = 0;
        for (size_t i = 0; i < counts_.size(); ++i) {
            const double aged = counts_[i] * decay_;
            counts_[i] = (aged >= FORGOTTEN ? aged : 0.0) + counts[i];
            total += counts_[i];
            references_ += counts[i];
        }
        double hits = 0;
        for (size_t i = 0; i + 1 < counts_.size(); ++i) {
            hits += counts_[i];
            miss_ratios_[i + 1] = total > 0 ? std::max(total - hits, 0.0) / total : 1.0;
        }
        if (convex_)
            make_convex();
        time_ = time_ * decay_ + double(now - last_);
        last_ = now;
    }

    // Value in a memory of that many pages: that of the largest whole number of groups that fits.
    double miss_ratio(uint64_t pages) const {
        return miss_ratios_[std::min<uint64_t>(pages / group_pages_, miss_ratios_.size() - 1)];
    }

    // References a tick of elapsed time, waiting and sleeping included.
    double reference_rate() const { return time_ > 0 ? references_ / time_ : 0.0; }

  private:
    void make_convex() {
        std::vector<double> &ratios = miss_ratios_;
        hull_.clear();
        for (size_t right = 0; right < ratios.size(); ++right) {
            while (hull_.size() > 1) {
                const size_t left = hull_[hull_.size() - 2], middle = hull_.back();
                const double before = (ratios[middle] - ratios[left]) * double(right - middle);
                if (before < (ratios[right] - ratios[middle]) * double(middle - left))
                    break;
                hull_.pop_back();
            }
            hull_.push_back(right);
        }
        for (size_t i = 1; i < hull_.size(); ++i) {
            const size_t left = hull_[i - 1], right = hull_[i];
            const double fall = ratios[right] - ratios[left];
            for (size_t place = left + 1; place < right; ++place)
                ratios[place] =
                    std::max(ratios[left] + fall * (double(place - left) / double(right - left)), ratios[right]);
        }
    }

    const double decay_;
    const uint64_t group_pages_;
    const bool convex_;
    std::vector<size_t> hull_;
    std::vector<double> counts_, miss_ratios_; // misses last; [0] is of no memory
    double references_ = 0, time_ = 0;
    uint64_t last_ = 0;
};

class MrcFrames final : public LruFrames {
  public:
    struct Settings {
        uint64_t frames, group_pages, groups, delta_pages;
        double decay;
        bool convex;          // gains and losses are those of convex curves
        bool end_performance; // utilities are hits in a unit of time, not hit ratios
    };

    // Minimums of at least one page, that fit into memory together; weights of each process.
    MrcFrames(const Settings &settings, std::vector<uint64_t> minimums, std::vector<double> weights,
              Reclaim reclaim = {})
        : LruFrames(minimums.size(), reclaim), settings_(settings), minimums_(std::move(minimums)), weights_(std::move(weights)),
          curves_(minimums_.size(),
                  AgedCurve(settings.groups, settings.group_pages, settings.decay, settings.convex)) {}

    void epoch(uint32_t process, const double *counts, uint64_t now) override { curves_[process].add(counts, now); }

    uint64_t free_frames() const override { return settings_.frames - lists_.size(); }

  private:
    double utility(uint32_t process, uint64_t pages) const {
        const AgedCurve &curve = curves_[process];
        const double value =
            settings_.end_performance ? weights_[process] * curve.reference_rate() : weights_[process];
        return value * (1 - curve.miss_ratio(pages));
    }

    // Memory of a process, in groups rounded up.
    uint64_t whole_groups(uint32_t process) const {
        return (lists_.size(process) + settings_.group_pages - 1) / settings_.group_pages * settings_.group_pages;
    }

    bool above_minimum(uint32_t process) const { return lists_.size(process) > minimums_[process]; }

    bool can_spare(uint32_t process) const {
        return above_minimum(process) && whole_groups(process) >= settings_.delta_pages;
    }

    double loss(uint32_t process) const {
        const uint64_t size = whole_groups(process);
        return utility(process, size) - utility(process, size - settings_.delta_pages);
    }

    uint32_t giver_to(uint32_t process) const override {
        const uint64_t free = free_frames(), size = lists_.size(process);
        if (free > reclaim_.to || (free && size < minimums_[process]))
            return NONE;
        const uint32_t giver = cheapest([process](uint32_t other) { return other != process; });
        if (size < minimums_[process])
            return giver != NONE ? giver : with_most_above_minimum(process);
        if (giver != NONE && utility(process, size + settings_.delta_pages) - utility(process, size) > loss(giver))
            return free ? NONE : giver;
        const uint32_t idle = with_oldest([this](uint32_t any) { return can_spare(any) && loss(any) == 0; });
        return idle != NONE ? idle : process;
    }

    Share reclaimed() const override {
        const uint32_t giver = cheapest([](uint32_t) { return true; });
        if (giver == NONE)
            return {};
        return {giver, std::min(settings_.delta_pages, lists_.size(giver) - minimums_[giver])};
    }

    // Returns the process, of those allowed by `may`, that loses least by giving up a delta; NONE: none can spare it.
    template <typename May> uint32_t cheapest(May may) const {
        uint32_t giver = NONE;
        double least = 0;
        for (uint32_t other = 0; other < lists_.processes(); ++other) {
            if (!may(other) || !can_spare(other))
                continue;
            const double lost = loss(other);
            if (giver == NONE || lost < least || (lost == least && whole_groups(other) > whole_groups(giver)))
                giver = other, least = lost;
        }
        return giver;
    }

    uint32_t with_most_above_minimum(uint32_t process) const {
        uint32_t found = NONE;
        uint64_t most = 0;
        for (uint32_t other = 0; other < lists_.processes(); ++other)
            if (other != process && above_minimum(other) && lists_.size(other) - minimums_[other] > most)
                found = other, most = lists_.size(other) - minimums_[other];
        return found;
    }

    const Settings settings_;
    const std::vector<uint64_t> minimums_;
    const std::vector<double> weights_;
    std::vector<AgedCurve> curves_;
};

} // namespace litemrc_native
