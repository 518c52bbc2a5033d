// Error of bucket_stack (the C++ of hls/) against exact LRU stacks, over traces of one context.
//
//   accuracy ACCESSES
//
// Prints a line for each trace: its name, accesses, mean absolute error of the miss ratio over all sizes 1..GROUPS groups, the
// largest error of one size, accesses one group off, the most groups an access was off, renumberings.
#include "bucket_stack/bucket_stack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <random>
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

class Random {
  public:
    int below(int n) { return int((std::uint64_t(generator_()) * unsigned(n)) >> 32); }
    double unit() { return generator_() / 4294967296.0; }

  private:
    std::mt19937 generator_{2004};
};

Random dice;

// Zipf over all frames, ranks scattered over them.
class Zipf {
  public:
    explicit Zipf(double exponent) {
        double sum = 0;
        for (int rank = 0; rank < FRAMES; ++rank)
            cumulated_.push_back(sum += std::pow(rank + 1, -exponent));
        for (int frame = 0; frame < FRAMES; ++frame)
            frames_.push_back(frame);
        for (int frame = FRAMES - 1; frame > 0; --frame)
            std::swap(frames_[frame], frames_[dice.below(frame + 1)]);
    }

    int operator()() const {
        const double value = dice.unit() * cumulated_.back();
        const auto rank = std::upper_bound(cumulated_.begin(), cumulated_.end(), value) - cumulated_.begin();
        return frames_[std::min<std::size_t>(rank, FRAMES - 1)];
    }

  private:
    std::vector<double> cumulated_;
    std::vector<int> frames_;
};

using Trace = std::function<int(long)>;

Trace loop(int pages) {
    return [pages](long i) { return int(i % pages); };
}

// A loop in the upper half of the frames and Zipf in the lower one, randomly interleaved.
Trace zipf_and_loop(int loop_pages, int loop_percent) {
    auto zipf = std::make_shared<Zipf>(0.9);
    auto cursor = std::make_shared<int>(0);
    return [=](long) {
        if (dice.below(100) >= loop_percent)
            return (*zipf)() % (FRAMES / 2);
        *cursor = (*cursor + 1) % loop_pages;
        return FRAMES / 2 + *cursor;
    };
}

// Zipf, uniform and loops over working sets that change every 8 * FRAMES accesses.
Trace phases() {
    auto zipf = std::make_shared<Zipf>(0.9);
    return [=](long i) {
        const long phase = i / (8L * FRAMES);
        const int pages = FRAMES / 8 + int((phase * 7919 * 61) % (FRAMES * 3 / 4));
        const int base = int((phase * 104729) % FRAMES);
        switch (phase % 3) {
        case 0:
            return ((*zipf)() % pages + base) % FRAMES;
        case 1:
            return (int(i % pages) + base) % FRAMES;
        default:
            return (dice.below(pages) + base) % FRAMES;
        }
    };
}

void measure(const std::string &name, long accesses, const Trace &trace) {
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
        for (const double exponent : {0.6, 0.9, 1.2}) {
            auto zipf = std::make_shared<Zipf>(exponent);
            measure("zipf_" + std::to_string(exponent).substr(0, 3), accesses, [zipf](long) { return (*zipf)(); });
        }
        measure("uniform", accesses, [](long) { return dice.below(FRAMES); });
        for (const int pages : {GROUP_PAGES / 2, GROUP_PAGES, GROUP_PAGES + 1, 5 * GROUP_PAGES + GROUP_PAGES / 2,
                                10 * GROUP_PAGES - 1, 20 * GROUP_PAGES, 33 * GROUP_PAGES + 17,
                                48 * GROUP_PAGES + GROUP_PAGES / 3, FRAMES - 1, FRAMES})
            measure("loop_" + std::to_string(pages), accesses, loop(pages));
        for (const int loop_percent : {75, 50, 25})
            for (const int sixteenths : {16, 40, 48, 80, 168, 320, GROUPS * 8})
                measure("zipf+loop_" + std::to_string(sixteenths * GROUP_PAGES / 16) + "_" + std::to_string(loop_percent) + "%",
                        accesses, zipf_and_loop(sixteenths * GROUP_PAGES / 16, loop_percent));
        measure("phases", accesses, phases());
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
    return 0;
}
