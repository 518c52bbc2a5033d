#include "gains.hpp"

#include <algorithm>

namespace litemrc_native {

void Gains::add(const int64_t *sizes_pages, const double *miss_ratio, size_t count, double value, int64_t minimum) {
    const int64_t base_pages = minimum * delta_pages_;
    size_t i = size_t(std::upper_bound(sizes_pages, sizes_pages + count, base_pages) - sizes_pages);
    const double base = i ? value * (1 - miss_ratio[i - 1]) : 0;
    size_t end = begins_.back();
    points_[end++] = {0, 0};
    double most = 0;
    int64_t units = 0, pages = base_pages; // those units' end
    for (; i < count; ++i) {
        if (sizes_pages[i] > pages) {
            // Most often the next unit: a division takes as long as all the rest.
            units += sizes_pages[i] - pages <= delta_pages_ ? 1 : (sizes_pages[i] - pages + delta_pages_ - 1) / delta_pages_;
            if (units > free_)
                break;
            pages = base_pages + units * delta_pages_;
        }
        const double gain = value * (1 - miss_ratio[i]) - base;
        if (gain <= most)
            continue;
        most = gain;
        end += points_[end - 1].units != units;
        points_[end - 1] = {uint32_t(units), gain};
    }
    begins_.push_back(end);
}

} // namespace litemrc_native
