// What processes gain by memory above their minimums: step functions, all in one table.
//
// Memory is counted in units of delta. The points of a process are its steps, behind the point (0, 0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace litemrc_native {

class Gains {
  public:
    struct Point {
        uint32_t units;
        double gain;
    };
    // The points of one process; rising in units and gain.
    struct Points {
        const Point *first;
        size_t count;
        const Point &operator[](size_t place) const { return first[place]; }
    };

    // `delta_pages`: of a unit; `free`: units beyond all minimums; `sizes`: of all curves that will be added.
    // Throws std::bad_alloc.
    Gains(int64_t delta_pages, uint32_t free, size_t sizes, size_t processes)
        : delta_pages_(delta_pages), free_(free), points_(new Point[sizes + processes]) {
        begins_.reserve(processes + 1);
    }

    // Adds a process. Utility is value * (1 - miss_ratio[i]) from sizes_pages[i] on, below the first 0.
    // `minimum`: its own, in units.
    void add(const int64_t *sizes_pages, const double *miss_ratio, size_t count, double value, int64_t minimum);

    size_t processes() const { return begins_.size() - 1; }
    uint32_t free() const { return free_; }
    Points operator[](size_t process) const {
        return {&points_[begins_[process]], begins_[process + 1] - begins_[process]};
    }

  private:
    int64_t delta_pages_;
    uint32_t free_;
    std::unique_ptr<Point[]> points_; // not set to zero first: that would take longer than all the rest
    std::vector<size_t> begins_{0};
};

} // namespace litemrc_native
