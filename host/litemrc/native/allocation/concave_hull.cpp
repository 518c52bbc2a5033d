#include "concave_hull.hpp"

#include "best_choice.hpp"

#include <algorithm>

namespace litemrc_native {

namespace {

using Places = std::vector<uint32_t>; // of a point, for each process

// Climbs the hulls; all names are those of the golden model's _Hulls.
class Hulls {
  public:
    explicit Hulls(const Gains &gains) : gains_(gains), at_(gains.processes()) {
        build();
        climb();
    }

    Places places, bare, filled;
    uint32_t left = 0;
    double slope = 0, bound = 0;

    double gain(const Places &chosen) const {
        double sum = 0;
        for (size_t process = 0; process < chosen.size(); ++process)
            sum += gains_[process][chosen[process]].gain;
        return sum;
    }

  private:
    struct Segment {
        double slope;
        uint32_t process, units;
        bool operator<(const Segment &other) const {
            return slope != other.slope ? slope < other.slope : process > other.process;
        }
    };

    void build() {
        begins_.push_back(0);
        for (size_t process = 0; process < gains_.processes(); ++process) {
            const Gains::Points points = gains_[process];
            const size_t bottom = begins_.back();
            vertices_.resize(bottom + points.count);
            size_t top = bottom;
            for (size_t place = 0; place < points.count; ++place) {
                while (top - bottom > 1 && lies_below(points[vertices_[top - 2]], points[vertices_[top - 1]], points[place]))
                    --top;
                vertices_[top++] = uint32_t(place);
            }
            vertices_.resize(top);
            begins_.push_back(top);
        }
    }

    // The middle point, below the line between the outer two? In a straight line, points are kept.
    static bool lies_below(const Gains::Point &a, const Gains::Point &b, const Gains::Point &c) {
        return (b.gain - a.gain) * double(c.units - b.units) < (c.gain - b.gain) * double(b.units - a.units);
    }

    void push(uint32_t process) {
        if (begins_[process] + at_[process] + 1 == begins_[process + 1])
            return;
        const uint32_t *vertex = &vertices_[begins_[process] + at_[process]];
        const Gains::Point &from = gains_[process][vertex[0]], &to = gains_[process][vertex[1]];
        const uint32_t units = to.units - from.units;
        heap_.push_back({(to.gain - from.gain) / double(units), process, units});
        std::push_heap(heap_.begin(), heap_.end());
    }

    void climb() {
        for (uint32_t process = 0; process < gains_.processes(); ++process)
            push(process);
        uint32_t free = gains_.free();
        bool stopped = false;
        while (!heap_.empty() && free) {
            std::pop_heap(heap_.begin(), heap_.end());
            const Segment segment = heap_.back();
            heap_.pop_back();
            if (segment.units <= free) {
                free -= segment.units;
                ++at_[segment.process];
                push(segment.process);
            } else if (!stopped) {
                stopped = true;
                stop(segment, free);
            }
        }
        filled = reached();
        if (!stopped) {
            places = bare = filled;
            bound = gain(places);
        }
    }

    void stop(const Segment &segment, uint32_t free) {
        places = bare = reached();
        left = free;
        slope = segment.slope;
        bound = gain(places) + slope * double(left);
        const Gains::Points points = gains_[segment.process];
        uint32_t &place = bare[segment.process];
        const uint32_t reach = points[place].units + left;
        while (place + 1 < points.count && points[place + 1].units <= reach)
            ++place;
    }

    Places reached() const {
        Places chosen(at_.size());
        for (size_t process = 0; process < at_.size(); ++process)
            chosen[process] = vertices_[begins_[process] + at_[process]];
        return chosen;
    }

    const Gains &gains_;
    std::vector<uint32_t> at_; // vertex reached
    std::vector<uint32_t> vertices_;
    std::vector<size_t> begins_; // of a process's vertices
    std::vector<Segment> heap_;
};

struct Other { // a point that may be chosen instead
    double regret;
    uint32_t process, place;
    bool operator<(const Other &other) const {
        if (regret != other.regret)
            return regret < other.regret;
        return process != other.process ? process < other.process : place < other.place;
    }
};

std::vector<Other> others_below(const Gains &gains, const Hulls &hulls, double gap) {
    std::vector<Other> others;
    for (uint32_t process = 0; process < gains.processes(); ++process) {
        const Gains::Points points = gains[process];
        const Gains::Point &reached = points[hulls.places[process]];
        const double top = reached.gain - hulls.slope * double(reached.units);
        for (uint32_t place = 0; place < points.count; ++place) {
            const double regret = top - (points[place].gain - hulls.slope * double(points[place].units));
            if (regret < gap && place != hulls.places[process])
                others.push_back({regret, process, place});
        }
    }
    return others;
}

// The best places among those the hulls reached and `others`, which are sorted by process and place.
Places repaired(const Gains &gains, const Hulls &hulls, const std::vector<Other> &others) {
    Places chosen = hulls.places;
    std::vector<uint32_t> undecided;
    std::vector<Places> candidates;
    std::vector<std::vector<Gains::Point>> copies;
    int64_t free = gains.free();
    for (size_t process = 0; process < chosen.size(); ++process)
        free -= gains[process][chosen[process]].units;
    for (auto other = others.begin(); other != others.end();) {
        const uint32_t process = other->process;
        Places these;
        for (; other != others.end() && other->process == process; ++other)
            these.push_back(other->place);
        these.insert(std::upper_bound(these.begin(), these.end(), chosen[process]), chosen[process]);
        free += gains[process][chosen[process]].units;
        std::vector<Gains::Point> points;
        for (const uint32_t place : these)
            points.push_back(gains[process][place]);
        undecided.push_back(process);
        candidates.push_back(std::move(these));
        copies.push_back(std::move(points));
    }
    std::vector<Gains::Points> points;
    for (const auto &copy : copies)
        points.push_back({copy.data(), copy.size()});
    const Places best = best_choice(points, uint32_t(free));
    for (size_t i = 0; i < undecided.size(); ++i)
        chosen[undecided[i]] = candidates[i][best[i]];
    return chosen;
}

} // namespace

Division concave_hull(const Gains &gains, uint64_t work) {
    const Hulls hulls(gains);
    Places best = hulls.bare;
    double gain = hulls.gain(best), proven = 0;
    const auto consider = [&](const Places &candidate) {
        if (hulls.gain(candidate) > gain) {
            gain = hulls.gain(candidate);
            best = candidate;
        }
    };
    consider(hulls.filled);
    if (hulls.bound > gain) {
        proven = hulls.bound - gain;
        std::vector<Other> others = others_below(gains, hulls, proven);
        const size_t allowed = work / (uint64_t(gains.free()) + 1);
        if (others.size() > allowed) {
            std::nth_element(others.begin(), others.begin() + allowed, others.end());
            proven = others[allowed].regret;
            others.resize(allowed);
        }
        std::sort(others.begin(), others.end(), [](const Other &a, const Other &b) {
            return a.process != b.process ? a.process < b.process : a.place < b.place;
        });
        consider(repaired(gains, hulls, others));
    }
    Division division{{}, std::max(gain, hulls.bound - proven)};
    for (size_t process = 0; process < best.size(); ++process)
        division.units.push_back(gains[process][best[process]].units);
    return division;
}

} // namespace litemrc_native
