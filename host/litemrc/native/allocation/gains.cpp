// SPDX-License-Identifier: BSD-2-Clause
#include "gains.hpp"

#include <algorithm>

namespace litemrc_native {

static constexpr size_t SPARSE = 16; // sizes an octave, about

size_t Gains::sizes_up_to(const Curve &curve, int64_t pages) const {
    return size_t(std::upper_bound(curve.sizes_pages, curve.sizes_pages + curve.count, pages) - curve.sizes_pages);
}

double Gains::most(size_t process) const {
    const Curve &curve = curves_[process];
    return utility(curve, sizes_up_to(curve, (curve.minimum + free_) * delta_pages_)) -
           utility(curve, sizes_up_to(curve, curve.minimum * delta_pages_));
}

size_t Gains::read_points(size_t process, uint32_t reach, GainPoint *points, bool sparsely) const {
    const Curve &curve = curves_[process];
    const int64_t base_pages = curve.minimum * delta_pages_;
    const size_t begin = sizes_up_to(curve, base_pages);
    const double base = utility(curve, begin);
    GainPoint *last = points;
    last->units = 0;
    last->gain = 0;
    double most = 0;
    int64_t units = 0, pages = base_pages; // where those units end
    uint32_t last_units = 0;
    for (size_t i = begin; i < curve.count; i += sparsely ? 1 + (i - begin) / SPARSE : 1) {
        const int64_t beyond = curve.sizes_pages[i] - pages;
        if (beyond > 0) {
            // Usually the next unit; a division would take as long as everything else.
            units += beyond <= delta_pages_ ? 1 : (beyond + delta_pages_ - 1) / delta_pages_;
            if (units > reach)
                break;
            pages = base_pages + units * delta_pages_;
        }
        const double gain = curve.value * (1 - curve.miss_ratio[i]) - base;
        if (gain <= most)
            continue;
        most = gain;
        last += last_units != uint32_t(units);
        last_units = uint32_t(units);
        last->units = last_units;
        last->gain = gain;
    }
    return size_t(last - points) + 1;
}

PointTable Gains::all_points() const {
    PointTable table;
    size_t most = 0;
    for (size_t process = 0; process < processes(); ++process)
        most += most_points(process);
    table.points_.reset(new GainPoint[most]);
    for (size_t process = 0; process < processes(); ++process) {
        const size_t begin = table.begins_.back();
        table.begins_.push_back(begin + read_points(process, free_, &table.points_[begin]));
    }
    return table;
}

} // namespace litemrc_native
