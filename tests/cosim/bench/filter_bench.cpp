// SPDX-License-Identifier: BSD-2-Clause
// Bench of PageFilter, its working set included, against the C++ units; filter_rig.hpp lists what is compared.
//
//   bench random SEED ACCESSES
//   bench clocks ACCESSES        cycles for accesses that go to the engine, are absorbed, or cost touches
//
// Prints counts and returns 0 if nothing differs, else prints the difference and returns 1.
#include "filter_rig.hpp"

#include <cstdlib>

namespace {

MemoryOp access(int frame, int context = 0) {
    return MemoryOp{OP_ACCESS, memory_frame_t(frame), context_t(context), 0, 0, 0};
}

// Runs over few pages, so that most are recent ones, and over many.
void random_bench(unsigned seed, long accesses) {
    static const int PERCENTS[] = {0, 0, 25, 75};
    static const int ENGINE_CLOCKS[] = {1, 1, 6, 70};
    constexpr long RUN = 400;
    Dice dice(seed);
    FilterBench bench(seed + 1);
    FilterSettings settings{0, memory_frame_t(MEMORY_FRAMES - 1), 0, 0};
    long left = accesses, resets = 0;
    bool frozen = false;
    for (int run = 0; left > 0; ++run) {
        bench.pace = Pace{PERCENTS[dice.below(4)], PERCENTS[dice.below(4)], ENGINE_CLOCKS[dice.below(4)],
                          dice.percent(50)};
        if (run % 10 == 9) {
            const bool whole = dice.percent(50);
            settings.lower = whole ? 0 : dice.below(MEMORY_FRAMES / 2);
            settings.upper = whole ? MEMORY_FRAMES - 1 : int(settings.lower) + dice.below(MEMORY_FRAMES / 2);
            settings.sampling = dice.percent(50) ? 0 : dice.below(6);
            settings.split = dice.percent(50);
            bench.change(settings);
        }
        const int working_set =
            std::min(MEMORY_FRAMES, (1 + dice.below(3 * RECENT_PAGES)) << (LEAST_SAMPLING + int(settings.sampling)));
        const int spread = dice.percent(80) ? working_set : MEMORY_FRAMES;
        const int base = dice.percent(50) ? int(settings.lower) : dice.below(MEMORY_FRAMES);
        const int epoch_ops = dice.percent(20) ? 3 : 300;
        const int invalidate_percent = dice.percent(50) ? 0 : dice.below(30);
        for (int i = 0; i < RUN; ++i) {
            MemoryOp op = access((base + dice.below(spread)) % MEMORY_FRAMES, dice.below(CONTEXTS));
            op.write = dice.below(2);
            if (dice.percent(invalidate_percent))
                op.kind = OP_INVALIDATE;
            else if (dice.below(100) == 0)
                op.kind = OP_MARK;
            else if (dice.below(2000) == 0)
                op.kind = OP_CLEAR;
            op.epoch_end = dice.below(epoch_ops) == 0;
            frozen = dice.below(300) == 0 ? !frozen : frozen;
            op.frozen = frozen;
            left -= op.kind == OP_ACCESS;
            bench.submit(op);
        }
        if (run % 50 == 49) {
            bench.run(dice.below(12));
            bench.reset();
            ++resets;
        }
    }
    bench.submit(MemoryOp{OP_MARK, 0, 0, 0, 1, 0});
    bench.drain();
    std::cout << "resets " << resets << "\n";
    bench.report(std::cout);
}

template <typename F> void measure(const std::string &name, long accesses, F frame_of, int invalidate_every = 0) {
    FilterBench bench(1);
    bench.run(FRAMES); // the working set is zeroed
    for (int page = 0; page < RECENT_PAGES; ++page)
        bench.submit(access(page));
    const std::uint64_t start = bench.clocks(), touches = bench.touches();
    for (long i = 0; i < accesses; ++i) {
        MemoryOp op = access(frame_of(i));
        if (invalidate_every && i % invalidate_every == 0)
            op.kind = i % (2 * invalidate_every) ? OP_INVALIDATE : OP_MARK;
        bench.submit(op);
    }
    std::cout << name << " " << bench.clocks() - start << "\n" << name << "_touches " << bench.touches() - touches
              << "\n";
    bench.drain();
}

void clocks_bench(long accesses) {
    measure("in_turn", accesses, [](long i) { return int(i % FRAMES); });
    measure("absorbed", accesses, [](long i) { return int(i % RECENT_PAGES); });
    // Random pages, every third operation an invalidation or a mark.
    Dice dice(2);
    measure("mixed", accesses, [&dice](long) { return dice.below(2 * RECENT_PAGES); }, 3);
    // A new page, then the old pages except the least recent, in reverse order.
    measure("worst", accesses, [](long i) {
        static std::deque<int> recent;
        static int fresh;
        if (i == 0) {
            recent.clear();
            for (int page = 0; page < RECENT_PAGES; ++page)
                recent.push_front(page);
            fresh = RECENT_PAGES;
        }
        int page;
        if (i % RECENT_PAGES == 0) {
            page = fresh++ % FRAMES;
            recent.pop_back();
        } else { // 2nd, 3rd, .. most recent page
            page = recent[i % RECENT_PAGES];
            recent.erase(recent.begin() + i % RECENT_PAGES);
        }
        recent.push_front(page);
        return page;
    });
}

} // namespace

int main(int argc, char **argv) {
    return exit_code_of([argc, argv] {
        const std::string mode = argc > 1 ? argv[1] : "";
        if (mode == "random" && argc == 4)
            random_bench(unsigned(std::strtoul(argv[2], nullptr, 10)), std::strtol(argv[3], nullptr, 10));
        else if (mode == "clocks" && argc == 3)
            clocks_bench(std::strtol(argv[2], nullptr, 10));
        else
            throw std::invalid_argument("usage: bench random SEED ACCESSES | clocks ACCESSES");
    });
}
