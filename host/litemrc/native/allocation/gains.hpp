// SPDX-License-Identifier: BSD-2-Clause
// Gains of processes by memory above their minimums: step functions from miss-ratio curves.
//
// Memory is counted in units of delta. The points of a process are its steps, behind the point (0, 0).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace litemrc_native {

struct GainPoint {
    uint32_t units;
    double gain;
};

// The points of one process, or some of them; rising in units and gain.
struct GainPoints {
    const GainPoint *first;
    size_t count;
    const GainPoint &operator[](size_t place) const { return first[place]; }
};

// The points of all processes.
class PointTable {
  public:
    size_t processes() const { return begins_.size() - 1; }
    GainPoints operator[](size_t process) const {
        return {&points_[begins_[process]], begins_[process + 1] - begins_[process]};
    }

  private:
    friend class Gains;
    std::unique_ptr<GainPoint[]> points_; // not zeroed first: that would take longer than all the rest
    std::vector<size_t> begins_{0};
};

class Gains {
  public:
    // A curve stays where it is. Utility is value * (1 - miss_ratio[i]) from sizes_pages[i] on, below the first 0.
    struct Curve {
        const int64_t *sizes_pages;
        const double *miss_ratio;
        size_t count;
        double value;
        int64_t minimum; // in units
    };

    // `free`: units beyond all minimums.
    Gains(int64_t delta_pages, uint32_t free) : delta_pages_(delta_pages), free_(free) {}

    void add(const Curve &curve) { curves_.push_back(curve); }
    size_t processes() const { return curves_.size(); }
    uint32_t free() const { return free_; }

    // Gain of a process with all free memory.
    double most(size_t process) const;

    // Units at which a line of this slope has gained that much, rounded up with a margin; at most the free units.
    uint32_t reach(double gain, double slope) const {
        const double units = gain / slope + 2;
        return units < free_ ? uint32_t(units) : free_;
    }

    // Points that a process has at most.
    size_t most_points(size_t process) const { return 1 + std::min<size_t>(curves_[process].count, free_); }
    size_t most_points() const {
        size_t most = 0;
        for (size_t process = 0; process < processes(); ++process)
            most = std::max(most, most_points(process));
        return most;
    }

    // Writes the points at `reach` units or below and returns their number; `sparsely`: fewer points further out.
    size_t read_points(size_t process, uint32_t reach, GainPoint *points, bool sparsely = false) const;

    PointTable all_points() const;

  private:
    size_t sizes_up_to(const Curve &curve, int64_t pages) const;
    static double utility(const Curve &curve, size_t sizes) {
        return sizes ? curve.value * (1 - curve.miss_ratio[sizes - 1]) : 0;
    }

    int64_t delta_pages_;
    uint32_t free_;
    std::vector<Curve> curves_;
};

} // namespace litemrc_native
