// SPDX-License-Identifier: BSD-2-Clause
// Two loops side by side, the hardest traces known for an engine that estimates places within a bucket: each loop leaves a cliff
// in the exact curve, which a small displacement moves across a size.
#pragma once

#include "accuracy_traces.hpp"

#include <array>

namespace traces {

// In phase: both begin with the first access. Out of phase: the second one joins late. Growing: the first one gains a page
// with every other round. Phases: every 32 * FRAMES accesses the loops exchange their lengths.
enum class Kind { in_phase, out_of_phase, growing, phases };

constexpr std::array KINDS = {Kind::in_phase, Kind::out_of_phase, Kind::growing, Kind::phases};
constexpr std::array KIND_NAMES = {"in_phase", "out_of_phase", "growing", "phases"};
constexpr int PAIRS_OF_A_KIND = 60, LONGEST_BURST = 4;

struct TwoLoops {
    Kind kind;
    std::array<int, 2> pages;  // together at most FRAMES
    std::array<int, 2> bursts; // accesses of each in turn
};

// Two random lengths, and 1 to LONGEST_BURST accesses of each in turn.
inline TwoLoops two_loops(Kind kind) {
    const int first = 1 + dice.below(FRAMES - 1);
    return {kind, {first, 1 + dice.below(FRAMES - first)}, {1 + dice.below(LONGEST_BURST), 1 + dice.below(LONGEST_BURST)}};
}

// The same with one number changed: a length by at most a group, or a burst.
inline TwoLoops changed(TwoLoops loops) {
    const int one = dice.below(2);
    if (dice.below(4) == 0)
        loops.bursts[one] = 1 + dice.below(LONGEST_BURST);
    else
        loops.pages[one] += dice.below(2 * GROUP_PAGES + 1) - GROUP_PAGES;
    loops.pages[one] = std::max(1, std::min(loops.pages[one], FRAMES - loops.pages[1 - one]));
    return loops;
}

inline std::string name_of(const TwoLoops &loops) {
    return std::string(KIND_NAMES[int(loops.kind)]) + "_" + std::to_string(loops.pages[0]) + "x" + std::to_string(loops.bursts[0]) +
           "_" + std::to_string(loops.pages[1]) + "x" + std::to_string(loops.bursts[1]);
}

// The first loop goes up from frame 0, the second one down from the last frame.
inline Trace trace_of(const TwoLoops &loops) {
    struct State {
        std::array<int, 2> pages, at = {0, 0};
        int turn = 0, left;
        long rounds = 0;
    };
    auto state = std::make_shared<State>(State{loops.pages, {0, 0}, 0, loops.bursts[0], 0});
    return [=](long i) {
        if (loops.kind == Kind::phases && i > 0 && i % (32L * FRAMES) == 0) {
            std::swap(state->pages[0], state->pages[1]);
            state->at = {0, 0};
        }
        if (state->left == 0) {
            const bool alone = loops.kind == Kind::out_of_phase && i < loops.pages[0] + loops.pages[1] / 2;
            state->turn = alone ? 0 : 1 - state->turn;
            state->left = loops.bursts[state->turn];
        }
        --state->left;
        const int turn = state->turn, page = state->at[turn];
        if (++state->at[turn] >= state->pages[turn]) {
            state->at[turn] = 0;
            const bool grows = loops.kind == Kind::growing && turn == 0 && ++state->rounds % 2 == 0;
            if (grows && state->pages[0] + state->pages[1] < FRAMES)
                ++state->pages[0];
        }
        return turn == 0 ? page : FRAMES - 1 - page;
    };
}

// Calls measure(name, trace) for PAIRS_OF_A_KIND pairs of each kind.
template <typename Measure> void for_each_pair(Measure measure) {
    for (const Kind kind : KINDS)
        for (int pair = 0; pair < PAIRS_OF_A_KIND; ++pair) {
            const TwoLoops loops = two_loops(kind);
            measure(name_of(loops), trace_of(loops));
        }
}

} // namespace traces
