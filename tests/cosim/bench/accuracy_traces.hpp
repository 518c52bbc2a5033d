// SPDX-License-Identifier: BSD-2-Clause
// The 36 synthetic traces over which engines are compared with exact counts: zipf, uniform, loops, zipf among a loop, phases.
#pragma once

#include "common/config.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace traces {

using litemrc::FRAMES;
using litemrc::GROUP_PAGES;
using litemrc::GROUPS;

class Random {
  public:
    int below(int n) { return int((std::uint64_t(generator_()) * unsigned(n)) >> 32); }
    double unit() { return generator_() / 4294967296.0; }

  private:
    std::mt19937 generator_{2004};
};

inline Random dice;

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

inline Trace loop(int pages) {
    return [pages](long i) { return int(i % pages); };
}

// A loop in the upper half of the frames and Zipf in the lower one, randomly interleaved.
inline Trace zipf_and_loop(int loop_pages, int loop_percent) {
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
inline Trace phases() {
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

// Calls measure(name, trace) for each trace; trace(i) is the frame of access i, and must be called for 0, 1, 2 ... in turn.
template <typename Measure> void for_each(Measure measure) {
    for (const double exponent : {0.6, 0.9, 1.2}) {
        auto zipf = std::make_shared<Zipf>(exponent);
        measure("zipf_" + std::to_string(exponent).substr(0, 3), [zipf](long) { return (*zipf)(); });
    }
    measure("uniform", [](long) { return dice.below(FRAMES); });
    for (const int pages : {GROUP_PAGES / 2, GROUP_PAGES, GROUP_PAGES + 1, 5 * GROUP_PAGES + GROUP_PAGES / 2,
                            10 * GROUP_PAGES - 1, 20 * GROUP_PAGES, 33 * GROUP_PAGES + 17,
                            48 * GROUP_PAGES + GROUP_PAGES / 3, FRAMES - 1, FRAMES})
        measure("loop_" + std::to_string(pages), loop(pages));
    for (const int loop_percent : {75, 50, 25})
        for (const int sixteenths : {16, 40, 48, 80, 168, 320, GROUPS * 8})
            measure("zipf+loop_" + std::to_string(sixteenths * GROUP_PAGES / 16) + "_" + std::to_string(loop_percent) + "%",
                zipf_and_loop(sixteenths * GROUP_PAGES / 16, loop_percent));
    measure("phases", phases());
}

} // namespace traces
