// SPDX-License-Identifier: BSD-2-Clause
#include "hull_climb.hpp"

#include <algorithm>
#include <optional>

namespace litemrc_native {

namespace {

constexpr double SPARSE_GUESS = 0.9; // of the slope that sparse points have
constexpr int ATTEMPTS = 3;

struct Segment {
    double slope; // gain a unit
    uint32_t process, units;
    bool operator<(const Segment &other) const {
        return slope != other.slope ? slope < other.slope : process > other.process;
    }
};

// Is the middle point below the line between the outer two? In a straight line, points are kept.
bool lies_below(const GainPoint &a, const GainPoint &b, const GainPoint &c) {
    return (b.gain - a.gain) * double(c.units - b.units) < (c.gain - b.gain) * double(b.units - a.units);
}

class Hulls {
  public:
    // Of all points, or sparse ones, that can matter if no segment is taken that is less steep than `least_slope`.
    Hulls(const Gains &gains, double least_slope, bool sparsely = false)
        : gains_(gains), least_slope_(least_slope), at_(gains.processes()), begins_{0} {
        std::vector<GainPoint> points(gains.most_points());
        for (size_t process = 0; process < gains.processes(); ++process) {
            // Further out, the line from (0, 0) to the point is less steep.
            const uint32_t reach = gains.reach(gains.most(process), least_slope);
            const size_t count = gains.read_points(process, reach, points.data(), sparsely);
            const size_t bottom = begins_.back();
            double highest = 0; // above the line of the least slope
            for (uint32_t place = 0; place < count; ++place) {
                const double height = points[place].gain - least_slope * double(points[place].units);
                if (height < highest)
                    continue; // the line to it from an earlier point is less steep
                highest = height;
                while (vertices_.size() - bottom > 1 &&
                       lies_below(vertices_.end()[-2].point, vertices_.back().point, points[place]))
                    vertices_.pop_back();
                vertices_.push_back({points[place], place});
            }
            begins_.push_back(vertices_.size());
        }
    }

    // Returns the result; empty if it used a less steep segment.
    std::optional<HullClimb> climb() {
        uint32_t free = gains_.free();
        for (uint32_t process = 0; process < at_.size(); ++process)
            push(process);
        double slope = 0;
        while (free) {
            if (least_slope_ > 0 && (heap_.empty() || heap_.front().slope < least_slope_))
                return {};
            if (heap_.empty())
                break;
            std::pop_heap(heap_.begin(), heap_.end());
            const Segment segment = heap_.back();
            heap_.pop_back();
            slope = segment.slope;
            if (segment.units > free)
                return stopped(segment, free);
            free -= segment.units;
            ++at_[segment.process];
            push(segment.process);
        }
        HullClimb result = reached();
        result.bare = result.reached;
        result.slope = slope;
        result.bound = total_gain(result.reached);
        return result;
    }

  private:
    void push(uint32_t process) {
        if (begins_[process] + at_[process] + 1 == begins_[process + 1])
            return;
        const Vertex *vertex = &vertices_[begins_[process] + at_[process]];
        const GainPoint &from = vertex[0].point, &to = vertex[1].point;
        const uint32_t units = to.units - from.units;
        heap_.push_back({(to.gain - from.gain) / double(units), process, units});
        std::push_heap(heap_.begin(), heap_.end());
    }

    HullClimb reached() const {
        HullClimb result;
        for (size_t process = 0; process < at_.size(); ++process) {
            const Vertex &vertex = vertices_[begins_[process] + at_[process]];
            result.places.push_back(vertex.place);
            result.reached.push_back(vertex.point);
        }
        return result;
    }

    HullClimb stopped(const Segment &segment, uint32_t free) const {
        HullClimb result = reached();
        result.bare = result.reached;
        result.left = free;
        result.slope = segment.slope;
        result.bound = total_gain(result.reached) + segment.slope * double(free);
        std::vector<GainPoint> points(gains_.most_points(segment.process));
        const uint32_t reach = result.reached[segment.process].units + free;
        result.bare[segment.process] = points[gains_.read_points(segment.process, reach, points.data()) - 1];
        return result;
    }

    struct Vertex {
        GainPoint point;
        uint32_t place; // among all points
    };

    const Gains &gains_;
    double least_slope_;
    std::vector<uint32_t> at_; // vertex reached, for each process
    std::vector<Vertex> vertices_;
    std::vector<size_t> begins_; // of a process's vertices
    std::vector<Segment> heap_;
};

} // namespace

double total_gain(const std::vector<GainPoint> &points) {
    double sum = 0;
    for (const GainPoint &point : points)
        sum += point.gain;
    return sum;
}

// Most points are far beyond the memory. Therefore estimate, from a few points of each curve, how steep the
// segment that does not fit will be, leave out what cannot matter then, and guess lower if it proves to be less.
HullClimb climb_hulls(const Gains &gains) {
    double guess = SPARSE_GUESS * Hulls(gains, 0, true).climb()->slope;
    for (int attempts = 0; attempts < ATTEMPTS && guess > 0; ++attempts, guess /= 4)
        if (std::optional<HullClimb> result = Hulls(gains, guess).climb())
            return *result;
    return *Hulls(gains, 0).climb();
}

} // namespace litemrc_native
