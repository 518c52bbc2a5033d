// SPDX-License-Identifier: BSD-2-Clause
#include "steepest_gradient.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {

struct Wanting {
    double gradient, priority;
    uint32_t process;

    bool operator<(const Wanting &other) const {
        if (gradient != other.gradient)
            return gradient < other.gradient;
        if (priority != other.priority)
            return priority < other.priority;
        return process > other.process;
    }
};

} // namespace

std::vector<int64_t> steepest_gradient(const Gains &gains, const double *priorities) {
    const PointTable table = gains.all_points();
    std::vector<int64_t> given(gains.processes());
    std::vector<size_t> places(gains.processes()); // of the last point reached
    std::vector<Wanting> heap;
    const auto want = [&](uint32_t process) {
        const GainPoints points = table[process];
        const size_t next = places[process] + 1;
        if (next == points.count)
            return;
        const bool step = points[next].units == given[process] + 1;
        heap.push_back({step ? points[next].gain - points[next - 1].gain : 0, priorities[process], process});
        std::push_heap(heap.begin(), heap.end());
    };
    for (uint32_t process = 0; process < gains.processes(); ++process)
        want(process);
    for (uint32_t unit = 0; unit < gains.free() && !heap.empty(); ++unit) {
        std::pop_heap(heap.begin(), heap.end());
        const uint32_t process = heap.back().process;
        heap.pop_back();
        ++given[process];
        places[process] += table[process][places[process] + 1].units == given[process];
        want(process);
    }
    return given;
}

} // namespace litemrc_native
