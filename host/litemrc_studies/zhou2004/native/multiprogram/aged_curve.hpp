// Aged miss-ratio curve of a process: epoch hit counts that decay with its own references. Operation for
// operation litemrc/golden/machines/aged_curve.py, so that decisions are the same to the last bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace litemrc_native {

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

} // namespace litemrc_native
