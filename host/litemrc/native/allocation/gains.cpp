#include "gains.hpp"

#include <algorithm>

namespace litemrc_native {

size_t Gains::sizes_up_to(const Curve &curve, int64_t pages) const {
    return size_t(std::upper_bound(curve.sizes_pages, curve.sizes_pages + curve.count, pages) - curve.sizes_pages);
}

double Gains::most(size_t process) const {
    const Curve &curve = curves_[process];
    return utility(curve, sizes_up_to(curve, (curve.minimum + free_) * delta_pages_)) -
           utility(curve, sizes_up_to(curve, curve.minimum * delta_pages_));
}

void Gains::append_points(size_t process, uint32_t reach, std::vector<GainPoint> &points,
                          size_t stride) const {
    const Curve &curve = curves_[process];
    const int64_t base_pages = curve.minimum * delta_pages_;
    const size_t begin = sizes_up_to(curve, base_pages);
    const double base = utility(curve, begin);
    points.push_back({0, 0});
    double most = 0;
    int64_t units = 0, pages = base_pages; // where those units end
    for (size_t i = begin + stride - 1; i < curve.count; i += stride) {
        const int64_t beyond = curve.sizes_pages[i] - pages;
        if (beyond > 0) {
            // Most often the next unit: a division takes as long as all the rest.
            units += beyond <= delta_pages_ ? 1 : (beyond + delta_pages_ - 1) / delta_pages_;
            if (units > reach)
                break;
            pages = base_pages + units * delta_pages_;
        }
        const double gain = curve.value * (1 - curve.miss_ratio[i]) - base;
        if (gain <= most)
            continue;
        most = gain;
        if (points.back().units == units)
            points.back().gain = gain;
        else
            points.push_back({uint32_t(units), gain});
    }
}

PointTable Gains::all_points() const {
    PointTable table;
    size_t most = 0;
    for (size_t process = 0; process < processes(); ++process)
        most += 1 + std::min<size_t>(free_, curves_[process].count);
    table.points_.reserve(most);
    table.begins_.reserve(processes() + 1);
    for (size_t process = 0; process < processes(); ++process) {
        append_points(process, free_, table.points_);
        table.begins_.push_back(table.points_.size());
    }
    return table;
}

} // namespace litemrc_native
