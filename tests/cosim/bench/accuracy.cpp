// SPDX-License-Identifier: BSD-2-Clause
// Error of bucket_stack (the C++ of hls/) against exact LRU stacks, over traces of one context.
//
//   accuracy ACCESSES             the 36 traces of accuracy_traces.hpp
//   accuracy ACCESSES loops       pairs of interleaved loops, of the kinds of two_loops.hpp
//   accuracy ACCESSES search N    N pairs in search of the largest error, and the worst of them over ACCESSES
//
// Prints a line for each trace: its name, accesses, mean absolute error of the miss ratio over all sizes 1..GROUPS groups, the
// largest error of one size, accesses one group off, the most groups an access was off, renumberings; then what remains of the
// largest error if the curve may be displaced by a quarter and by half a group, and the pages of displacement that explain
// all of it but 0.001.
#include "accuracy_traces.hpp"
#include "bucket_stack/bucket_stack.hpp"
#include "two_loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace litemrc;

namespace {

// Exact LRU positions: a Fenwick tree over the times of last accesses, compacted when it is full.
class ExactStack {
  public:
    // LRU position of the page before the access, -1 if it was never accessed.
    int access(int frame) {
        if (now_ == TIMES)
            compact();
        int position = -1;
        if (last_[frame] >= 0) {
            position = pages_ - sum(last_[frame]);
            add(last_[frame], -1);
        } else {
            ++pages_;
        }
        add(now_, 1);
        last_[frame] = now_++;
        return position;
    }

  private:
    static constexpr int TIMES = 4 * FRAMES;

    void add(int time, int n) {
        for (int i = time + 1; i <= TIMES; i += i & -i)
            tree_[i] += n;
    }

    // Pages last accessed at `time` or before.
    int sum(int time) const {
        int pages = 0;
        for (int i = time + 1; i > 0; i -= i & -i)
            pages += tree_[i];
        return pages;
    }

    void compact() {
        std::vector<int> frames;
        for (int frame = 0; frame < FRAMES; ++frame)
            if (last_[frame] >= 0)
                frames.push_back(frame);
        std::sort(frames.begin(), frames.end(), [this](int a, int b) { return last_[a] < last_[b]; });
        std::fill(tree_.begin(), tree_.end(), 0);
        now_ = 0;
        for (const int frame : frames) {
            add(now_, 1);
            last_[frame] = now_++;
        }
    }

    std::vector<int> last_ = std::vector<int>(FRAMES, -1);
    std::vector<int> tree_ = std::vector<int>(TIMES + 1, 0);
    int now_ = 0, pages_ = 0;
};

struct Errors {
    double mean = 0, largest = 0, beyond_quarter = 0, beyond_half = 0;
    int displaced_pages = 0, most_groups_off = 0;
    long one_group_off = 0, renumberings = 0;
};

// Hits below each size of a curve, and what of their difference no displacement along the sizes explains.
class Displacement {
  public:
    Displacement(const std::vector<long> &group_hits, const std::vector<long> &page_hits, long accesses)
        : estimated_(GROUPS + 1, 0), exact_(FRAMES + 1, 0), accesses_(accesses) {
        for (int group = 0; group < GROUPS; ++group)
            estimated_[group + 1] = estimated_[group] + group_hits[group];
        for (int page = 0; page < FRAMES; ++page)
            exact_[page + 1] = exact_[page] + page_hits[page];
    }

    // Largest difference of the miss ratio at one size, to the nearest value of the exact curve within `pages` of that size.
    double beyond(int pages) const {
        long worst = 0;
        for (int group = 1; group <= GROUPS; ++group) {
            const long low = exact_[std::max(group * GROUP_PAGES - pages, 0)];
            const long high = exact_[std::min(group * GROUP_PAGES + pages, FRAMES)];
            worst = std::max({worst, low - estimated_[group], estimated_[group] - high});
        }
        return double(worst) / double(accesses_);
    }

    // The fewest pages beyond which at most `rest` remains.
    int pages(double rest) const {
        int few = 0, enough = FRAMES;
        while (few < enough) {
            const int middle = (few + enough) / 2;
            if (beyond(middle) <= rest)
                enough = middle;
            else
                few = middle + 1;
        }
        return few;
    }

    double mean() const {
        double sum = 0;
        for (int group = 1; group <= GROUPS; ++group)
            sum += std::abs(double(estimated_[group] - exact_[group * GROUP_PAGES]));
        return sum / GROUPS / double(accesses_);
    }

  private:
    std::vector<long> estimated_, exact_;
    long accesses_;
};

Errors measure(long accesses, const traces::Trace &trace) {
    auto unit = std::make_unique<BucketStack>();
    auto exact = std::make_unique<ExactStack>();
    unit->clear();
    std::vector<long> group_hits(GROUPS, 0), page_hits(FRAMES, 0);
    Errors errors;
    for (long i = 0; i < accesses; ++i) {
        const int frame = trace(i);
        const Position answer = unit->step(Op{OP_ACCESS, frame_t(frame), 0, 0, 0});
        const int position = exact->access(frame);
        if ((position < 0) != (answer.kind == POSITION_MISS))
            throw std::runtime_error("access " + std::to_string(i) + ": miss or hit mistaken");
        if (position < 0)
            continue;
        ++group_hits[int(answer.group)];
        ++page_hits[position];
        const int distance = std::abs(int(answer.group) - position / GROUP_PAGES);
        errors.one_group_off += distance != 0;
        errors.most_groups_off = std::max(errors.most_groups_off, distance);
    }
    const Displacement displacement(group_hits, page_hits, accesses);
    errors.mean = displacement.mean();
    errors.largest = displacement.beyond(0);
    errors.beyond_quarter = displacement.beyond(GROUP_PAGES / 4);
    errors.beyond_half = displacement.beyond(GROUP_PAGES / 2);
    errors.displaced_pages = displacement.pages(0.001);
    errors.renumberings = unit->renumberings();
    return errors;
}

void print(const std::string &name, long accesses, const Errors &errors) {
    std::cout << name << " " << accesses << " " << errors.mean << " " << errors.largest << " " << errors.one_group_off << " "
              << errors.most_groups_off << " " << errors.renumberings << " " << errors.beyond_quarter << " "
              << errors.beyond_half << " " << errors.displaced_pages << std::endl;
}

// Random pairs, then changes to the worst found; a tenth of the accesses suffices to compare pairs.
void search(long accesses, long pairs) {
    traces::TwoLoops worst = traces::two_loops(traces::KINDS[0]);
    double largest = 0;
    for (long i = 0; i < pairs; ++i) {
        const bool fresh = i < pairs / 2;
        const auto loops = fresh ? traces::two_loops(traces::KINDS[i % traces::KINDS.size()]) : traces::changed(worst);
        const Errors errors = measure(accesses / 10, traces::trace_of(loops));
        if (errors.largest > largest) {
            largest = errors.largest;
            worst = loops;
        }
    }
    print(traces::name_of(worst), accesses, measure(accesses, traces::trace_of(worst)));
}

} // namespace

int main(int argc, char **argv) {
    const long accesses = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
    const std::string mode = argc > 2 ? argv[2] : "";
    const long pairs = argc == 4 && mode == "search" ? std::strtol(argv[3], nullptr, 10) : 0;
    if (accesses <= 0 || !(argc == 2 || (argc == 3 && mode == "loops") || pairs > 0)) {
        std::cerr << "usage: accuracy ACCESSES [loops | search PAIRS]" << std::endl;
        return 2;
    }
    std::cout << std::fixed << std::setprecision(7);
    const auto measure_one = [accesses](const std::string &name, const traces::Trace &trace) {
        print(name, accesses, measure(accesses, trace));
    };
    try {
        if (pairs > 0)
            search(accesses, pairs);
        else if (mode == "loops")
            traces::for_each_pair(measure_one);
        else
            traces::for_each(measure_one);
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
    return 0;
}
