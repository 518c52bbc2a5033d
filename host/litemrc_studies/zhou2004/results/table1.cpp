// SPDX-License-Identifier: BSD-2-Clause
// Words and accesses of the memories of hls/, for table 1 of Zhou et al. 2004. table1.py builds it from a copy of
// hls/ whose memories are arrays of `CountedWord`, numbered from 0.
//
// Output: `words NUMBER WORDS BITS` of each memory; `nodes WORDS` that bucket_stack uses of its tree; `hit UNIT GROUP NUMBER
// ACCESSES` and `mean UNIT NUMBER ACCESSES`, of a hit in that group, and of a hit in a random page with all else that the
// unit does; `increments COUNTERS` of a hit.
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace litemrc {

struct Traffic {
    unsigned long long accesses = 0, words = 0;
    int bits = 0;
};
inline Traffic traffic[MEMORIES];

// A word of a memory: each read and each write is an access.
template <typename Word, int NUMBER> class CountedWord {
  public:
    CountedWord() {
        ++traffic[NUMBER].words;
        traffic[NUMBER].bits = Word::width;
    }
    operator Word() const { return counted(word_); }
    template <typename Value> CountedWord &operator=(const Value &value) {
        word_ = counted(Word(value));
        return *this;
    }
    template <typename Value> CountedWord &operator+=(const Value &value) { return *this = Word(*this) + value; }
    template <typename Value> CountedWord &operator-=(const Value &value) { return *this = Word(*this) - value; }

  private:
    static Word counted(const Word &word) {
        ++traffic[NUMBER].accesses;
        return word;
    }

    Word word_ = 0;
};

} // namespace litemrc

#define LITEMRC_UNITS_ONLY
#include "bucket_stack/bucket_stack.cpp"
#include "group_stack/group_stack.cpp"
#include "hit_counters/hit_counters.cpp"

using namespace litemrc;

static void forget_accesses() {
    for (Traffic &memory : traffic)
        memory.accesses = 0;
}

// Touches all frames, then measures a hit in each group that is found, and hits in random pages.
template <typename Stack> static void measure(const char *unit, int hits) {
    static Stack stack;
    const auto access = [](int frame) { return stack.step(Op{OP_ACCESS, frame_t(frame), 0, 0, 0}); };
    stack.clear();
    for (int frame = 0; frame < FRAMES; ++frame)
        access(frame);
    std::vector<bool> found(GROUPS);
    // The page in the middle of a group of the frames as they were touched; those accessed since are on top.
    for (int group = GROUPS - 1; group >= 0; --group) {
        forget_accesses();
        const Position position = access(FRAMES - 1 - group * GROUP_PAGES - GROUP_PAGES / 2);
        if (position.kind != POSITION_HIT || found[int(position.group)])
            continue;
        found[int(position.group)] = true;
        for (int memory = 0; memory < MEMORIES; ++memory)
            std::printf("hit %s %d %d %llu\n", unit, int(position.group), memory, traffic[memory].accesses);
    }
    std::mt19937 random(2004);
    forget_accesses();
    for (int hit = 0; hit < hits; ++hit)
        access(int(random() % FRAMES));
    for (int memory = 0; memory < MEMORIES; ++memory)
        std::printf("mean %s %d %.3f\n", unit, memory, double(traffic[memory].accesses) / hits);
}

int main() {
    static HitCounters counters;
    static counter_t window[WINDOW_WORDS];
    measure<GroupStack>("group_stack", 20000);
    measure<BucketStack>("bucket_stack", 3000000);
    for (int memory = 0; memory < MEMORIES; ++memory)
        std::printf("words %d %llu %d\n", memory, traffic[memory].words, traffic[memory].bits);
    // A level of the tree has a word for each of its nodes and contexts; hls/ declares all as long as the last.
    std::printf("nodes %d\n", CONTEXTS * (IDS - 1));
    counters.reset();
    counters.step(litemrc::Counted{{POSITION_HIT, 1, 0, /*epoch_end=*/1}, /*first_touch=*/0}, window);
    unsigned long long increments = 0;
    for (const counter_t &counter : window)
        increments += counter.to_uint64();
    std::printf("increments %llu\n", increments);
}
