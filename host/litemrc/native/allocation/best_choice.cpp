// SPDX-License-Identifier: BSD-2-Clause
#include "best_choice.hpp"

#include <algorithm>
#include <limits>

namespace litemrc_native {

namespace {

constexpr size_t BLOCK = 512; // sizes of memory whose sums and choices stay in the first-level cache

// Choosing a point of `gain`: better for some of the sizes? Places are doubles as well, so that both fill one vector.
void choose(const double *__restrict before, double gain, double place, size_t sizes, double *__restrict best,
            double *__restrict choice) {
    for (size_t i = 0; i < sizes; ++i) {
        const double candidate = before[i] + gain;
        const bool better = candidate > best[i];
        best[i] = better ? candidate : best[i];
        choice[i] = better ? place : choice[i];
    }
}

} // namespace

std::vector<uint32_t> best_choice(const std::vector<GainPoints> &processes, uint32_t free) {
    const size_t sizes = size_t(free) + 1;
    std::vector<double> before(sizes), best(sizes), choice(BLOCK);
    std::vector<uint32_t> choices(processes.size() * sizes);
    for (size_t process = 0; process < processes.size(); ++process) {
        const GainPoints points = processes[process];
        for (size_t start = 0; start < sizes; start += BLOCK) {
            const size_t end = std::min(start + BLOCK, sizes);
            std::fill(best.begin() + start, best.begin() + end, -std::numeric_limits<double>::infinity());
            std::fill(choice.begin(), choice.end(), 0);
            for (size_t place = 0; place < points.count && points[place].units < end; ++place) {
                const size_t from = std::max<size_t>(start, points[place].units);
                choose(&before[from - points[place].units], points[place].gain, double(place), end - from,
                       &best[from], &choice[from - start]);
            }
            std::copy(choice.begin(), choice.begin() + (end - start), &choices[process * sizes + start]);
        }
        std::swap(before, best);
    }
    size_t left = size_t(std::max_element(before.begin(), before.end()) - before.begin()); // the first
    std::vector<uint32_t> places(processes.size());
    for (size_t process = processes.size(); process-- > 0;) {
        places[process] = choices[process * sizes + left];
        left -= processes[process][places[process]].units;
    }
    return places;
}

} // namespace litemrc_native
