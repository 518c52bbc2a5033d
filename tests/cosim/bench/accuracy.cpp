// Error of bucket_stack (the C++ of hls/) against exact LRU stacks, over traces of one context.
//
//   accuracy ACCESSES
//
// Prints a line for each trace: its name, accesses, mean absolute error of the miss ratio over all sizes 1..GROUPS groups, the
// largest error of one size, accesses one group off, the most groups an access was off, renumberings.
#include "accuracy_traces.hpp"
#include "bucket_stack/bucket_stack.hpp"

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

void measure(const std::string &name, long accesses, const traces::Trace &trace) {
    auto unit = std::make_unique<BucketStack>();
    auto exact = std::make_unique<ExactStack>();
    unit->clear();
    std::vector<long> difference(GROUPS, 0); // hits counted in a group by the unit, less the exact hits
    long off = 0;
    int most_off = 0;
    for (long i = 0; i < accesses; ++i) {
        const int frame = trace(i);
        const Position answer = unit->step(Op{OP_ACCESS, frame_t(frame), 0, 0, 0});
        const int position = exact->access(frame);
        if ((position < 0) != (answer.kind == POSITION_MISS))
            throw std::runtime_error(name + ": access " + std::to_string(i) + ": miss or hit mistaken");
        if (position < 0)
            continue;
        const int group = position / GROUP_PAGES, distance = std::abs(int(answer.group) - group);
        ++difference[int(answer.group)];
        --difference[group];
        off += distance != 0;
        most_off = std::max(most_off, distance);
    }
    double sum = 0, largest = 0;
    long cumulated = 0;
    for (int group = 0; group < GROUPS; ++group) {
        const double error = std::abs(double(cumulated += difference[group])) / double(accesses);
        sum += error;
        largest = std::max(largest, error);
    }
    std::cout << name << " " << accesses << " " << sum / GROUPS << " " << largest << " " << off << " " << most_off
              << " " << unit->renumberings() << std::endl;
}

} // namespace

int main(int argc, char **argv) {
    const long accesses = argc == 2 ? std::strtol(argv[1], nullptr, 10) : 0;
    if (accesses <= 0) {
        std::cerr << "usage: accuracy ACCESSES" << std::endl;
        return 2;
    }
    std::cout << std::fixed << std::setprecision(7);
    try {
        traces::for_each([accesses](const std::string &name, const traces::Trace &trace) { measure(name, accesses, trace); });
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
    return 0;
}
