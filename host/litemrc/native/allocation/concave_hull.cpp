// SPDX-License-Identifier: BSD-2-Clause
#include "concave_hull.hpp"

#include "best_choice.hpp"
#include "hull_climb.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {

struct Other { // a point that was not reached and may be chosen instead
    double regret;
    uint32_t process, place;
    GainPoint point;
};

bool rises_by_regret(const Other &a, const Other &b) {
    if (a.regret != b.regret)
        return a.regret < b.regret;
    return a.process != b.process ? a.process < b.process : a.place < b.place;
}

bool rises_by_place(const Other &a, const Other &b) {
    return a.process != b.process ? a.process < b.process : a.place < b.place;
}

// All points with a regret below `gap`, which is above 0.
std::vector<Other> others_below(const Gains &gains, const HullClimb &climb, double gap) {
    std::vector<Other> others;
    std::vector<GainPoint> points(gains.most_points());
    for (uint32_t process = 0; process < gains.processes(); ++process) {
        const double top = climb.reached[process].gain - climb.slope * double(climb.reached[process].units);
        // Further out, the regret exceeds all possible gain.
        const uint32_t reach = gains.reach(gains.most(process) - top + gap, climb.slope);
        const size_t count = gains.read_points(process, reach, points.data());
        for (uint32_t place = 0; place < count; ++place) {
            const double regret = top - (points[place].gain - climb.slope * double(points[place].units));
            if (regret < gap && place != climb.places[process])
                others.push_back({regret, process, place, points[place]});
        }
    }
    return others;
}

// The reached points, then, by regret, each point that fits and gains. Changes the order of `others`.
std::vector<GainPoint> filled(const HullClimb &climb, std::vector<Other> &others) {
    std::vector<GainPoint> chosen = climb.reached;
    uint32_t left = climb.left;
    const auto later = [](const Other &a, const Other &b) { return rises_by_regret(b, a); };
    std::make_heap(others.begin(), others.end(), later);
    for (auto end = others.end(); left && end != others.begin(); --end) {
        std::pop_heap(others.begin(), end, later);
        const Other &other = end[-1];
        GainPoint &now = chosen[other.process];
        if (other.point.gain > now.gain && other.point.units - now.units <= left) {
            left -= other.point.units - now.units;
            now = other.point;
        }
    }
    return chosen;
}

// Returns the best choice among the reached points and `others`, which rise by place.
std::vector<GainPoint> repaired(const Gains &gains, const HullClimb &climb, const std::vector<Other> &others) {
    std::vector<GainPoint> chosen = climb.reached;
    int64_t free = gains.free();
    for (const GainPoint &point : chosen)
        free -= point.units;
    std::vector<uint32_t> undecided;
    std::vector<GainPoint> candidates;
    std::vector<size_t> begins{0};
    for (auto other = others.begin(); other != others.end();) {
        const uint32_t process = other->process;
        bool reached_yet = false;
        for (; other != others.end() && other->process == process; ++other) {
            if (!reached_yet && other->place > climb.places[process]) {
                candidates.push_back(climb.reached[process]);
                reached_yet = true;
            }
            candidates.push_back(other->point);
        }
        if (!reached_yet)
            candidates.push_back(climb.reached[process]);
        free += climb.reached[process].units;
        undecided.push_back(process);
        begins.push_back(candidates.size());
    }
    std::vector<GainPoints> points;
    for (size_t i = 0; i < undecided.size(); ++i)
        points.push_back({&candidates[begins[i]], begins[i + 1] - begins[i]});
    const std::vector<uint32_t> best = best_choice(points, uint32_t(free));
    for (size_t i = 0; i < undecided.size(); ++i)
        chosen[undecided[i]] = points[i][best[i]];
    return chosen;
}

} // namespace

Division concave_hull(const Gains &gains, uint64_t work) {
    const HullClimb climb = climb_hulls(gains);
    std::vector<GainPoint> best = climb.bare;
    double gain = total_gain(best), proven = 0;
    const auto consider = [&](std::vector<GainPoint> &&candidate) {
        if (total_gain(candidate) > gain) {
            gain = total_gain(candidate);
            best = std::move(candidate);
        }
    };
    if (climb.bound > gain) {
        std::vector<Other> others = others_below(gains, climb, climb.bound - gain);
        consider(filled(climb, others));
        proven = std::max(climb.bound - gain, 0.0);
        others.erase(std::remove_if(others.begin(), others.end(),
                                    [&](const Other &other) { return !(other.regret < proven); }),
                     others.end());
        const size_t allowed = work / (uint64_t(gains.free()) + 1);
        if (others.size() > allowed) {
            std::nth_element(others.begin(), others.begin() + allowed, others.end(), rises_by_regret);
            proven = others[allowed].regret;
            others.resize(allowed);
        }
        std::sort(others.begin(), others.end(), rises_by_place);
        consider(repaired(gains, climb, others));
    }
    Division division{{}, std::max(gain, climb.bound - proven)};
    for (const GainPoint &point : best)
        division.units.push_back(point.units);
    return division;
}

} // namespace litemrc_native
