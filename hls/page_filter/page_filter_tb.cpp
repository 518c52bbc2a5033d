// SPDX-License-Identifier: BSD-2-Clause
// C simulation of page_filter with exact stacks (std::list) as the engine and a std::set as the working set: its positions
// against exact stacks without a filter. Returns 1 if they differ.
//
//   page_filter_tb [OPERATIONS]
#include "../common/print.hpp"
#include "../group_stack/lru_reference.hpp"
#include "page_filter.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>

using namespace litemrc;

namespace {

constexpr int OPS = 60000; // by default; RTL co-simulation wants fewer

hls::stream<memory_op_word_t> ops;
hls::stream<op_word_t> engine_ops, set_ops;
hls::stream<answer_word_t> answers;
hls::stream<position_word_t> engine_positions;
hls::stream<touch_word_t> first_touches;
hls::stream<counted_word_t> positions;
std::set<int> touched; // pages, by the engine's numbers
LruReference engine;
FilterSettings settings{0, memory_frame_t(MEMORY_FRAMES - 1), 0, 0};
hls::stream<uncounted_word_t> uncounted;
long engine_accesses = 0;

bool first_touch_of(const Op &op) {
    const bool first = op.kind == OP_ACCESS && touched.insert(int(op.frame)).second;
    if (op.kind == OP_INVALIDATE)
        touched.erase(int(op.frame));
    if (op.kind == OP_CLEAR || op.epoch_end)
        touched.clear();
    return first;
}

Counted answer_to(const MemoryOp &op) {
    ops.write(pack(op));
    do {
        page_filter(ops, engine_ops, set_ops, answers, settings.lower, settings.upper, settings.sampling,
                    settings.split, uncounted);
        if (!set_ops.empty())
            first_touches.write(first_touch_of(unpack_op(set_ops.read())));
        if (!engine_ops.empty()) {
            const Op engine_op = unpack_op(engine_ops.read());
            engine_accesses += engine_op.kind == OP_ACCESS;
            engine_positions.write(pack(engine.step(engine_op)));
        }
        page_filter_merge(answers, engine_positions, first_touches, positions);
    } while (positions.empty());
    return unpack_counted(positions.read());
}

// The sampled pages, determined by querying the filter: 1 of 2^k, each with a number of its own. Here they are numbered
// in the order of their frames.
std::map<int, int> sampled_pages(int sampling) {
    std::map<int, int> pages;
    settings.sampling = sampling;
    answer_to(MemoryOp{OP_CLEAR, 0, 0, 0, 0, 0});
    for (int frame = 0; frame < MEMORY_FRAMES; ++frame) {
        if (answer_to(MemoryOp{OP_ACCESS, memory_frame_t(frame), 0, 0, 0, 0}).position.kind == POSITION_MISS)
            pages.insert({frame, int(pages.size())});
    }
    const int k = std::max(sampling, LEAST_SAMPLING);
    if (int(pages.size()) != std::max(MEMORY_FRAMES >> k, 1)) {
        std::cerr << "page_filter_tb: sampling " << sampling << ": " << pages.size() << " of " << MEMORY_FRAMES << "\n";
        std::exit(1);
    }
    answer_to(MemoryOp{OP_CLEAR, 0, 0, 0, 1, 0});
    uncounted.read();
    return pages;
}

} // namespace

int main(int argc, char **argv) {
    const int ops_to_do = argc > 1 ? std::atoi(argv[1]) : OPS;
    std::mt19937 generator(2004);
    const auto random = [&](int n) { return int(generator() % unsigned(n)); };
    for (const int sampling : {2, 1})
        sampled_pages(sampling);
    const std::map<int, int> pages = sampled_pages(0);

    // The filter must be invisible, except for the range and pages that are not sampled.
    LruReference reference;
    engine_accesses = 0;
    std::set<int> set; // of frames touched
    bool frozen = false;
    long accesses = 0, out_of_range = 0, not_sampled = 0, first = 0, claims = 0;
    unsigned long long outside_in_epoch = 0, unsampled_in_epoch = 0;
    const unsigned long long limit = (1ULL << COUNTER_BITS) - 1;
    for (int i = 0; i < ops_to_do; ++i) {
        if (random(2000) == 0) {
            settings.lower = random(3) ? 0 : random(MEMORY_FRAMES);
            settings.upper = random(3) ? MEMORY_FRAMES - 1 : random(MEMORY_FRAMES);
        }
        settings.split = i >= ops_to_do / 2; // the other half of the operations
        const int spread = random(4) ? (2 + RECENT_PAGES) << LEAST_SAMPLING : MEMORY_FRAMES;
        frozen = random(200) == 0 ? !frozen : frozen;
        const int dice = random(1000);
        MemoryOp op{OP_ACCESS, memory_frame_t(random(std::min(spread, MEMORY_FRAMES))), context_t(random(CONTEXTS)),
                    ap_uint<1>(random(2)), ap_uint<1>(random(500) == 0), frozen};
        if (dice < 20)
            op.kind = OP_INVALIDATE;
        else if (dice < 25)
            op.kind = OP_MARK;
        else if (dice == 25 && random(20) == 0)
            op.kind = OP_CLEAR;
        const bool inside = settings.lower <= op.frame && op.frame <= settings.upper;
        const auto page = pages.find(int(op.frame));
        const bool is_access = op.kind == OP_ACCESS;
        const bool counts_nothing = (is_access && !inside) || (op.kind != OP_CLEAR && page == pages.end());
        const Op exact_op{counts_nothing ? ap_uint<2>(OP_MARK) : op.kind,
                          frame_t(page == pages.end() ? 0 : page->second),
                          settings.split ? context_t(op.context % std::max(CONTEXTS / 2, 1)) : op.context, op.write,
                          op.epoch_end};
        Counted expected{reference.step(exact_op), 0};
        if (CONTEXTS > 1 && is_access && !counts_nothing && settings.split && op.write)
            expected.position.context = expected.position.context | context_t(CONTEXTS / 2);
        const bool counts = is_access && !counts_nothing && !frozen;
        if (counts)
            expected.first_touch = set.insert(int(op.frame)).second;
        if (op.kind == OP_INVALIDATE)
            set.erase(int(op.frame));
        if (op.kind == OP_CLEAR || op.epoch_end)
            set.clear();
        if (is_access && frozen)
            expected.position = Position{POSITION_NONE, 0, 0, op.epoch_end};
        const Counted seen = answer_to(op);
        if (seen != expected) {
            std::cerr << "page_filter_tb: operation " << i << ": " << exact_op << "\n  answered " << seen
                      << "\n  expected " << expected << "\n";
            return 1;
        }
        if (op.kind == OP_CLEAR)
            outside_in_epoch = unsampled_in_epoch = 0;
        const bool left_out = is_access && inside && page == pages.end();
        accesses += is_access;
        claims += is_claim(exact_op);
        out_of_range += is_access && !inside;
        outside_in_epoch += is_access && !inside && !frozen;
        not_sampled += left_out;
        unsampled_in_epoch += left_out && !frozen;
        first += expected.first_touch;
        if (op.epoch_end) {
            const Uncounted counts = unpack_uncounted(uncounted.read());
            const counter_t outside = counts.outside, unsampled = counts.unsampled;
            const bool expected_full = outside_in_epoch >= limit || unsampled_in_epoch >= limit;
            if (outside != std::min(outside_in_epoch, limit) || unsampled != std::min(unsampled_in_epoch, limit) ||
                full(counts) != expected_full) {
                std::cerr << "page_filter_tb: operation " << i << ": " << outside << " out of range, expected "
                          << outside_in_epoch << "; " << unsampled << " not sampled, expected " << unsampled_in_epoch
                          << "\n";
                return 1;
            }
            outside_in_epoch = unsampled_in_epoch = 0;
        }
    }
    if (engine_accesses > accesses - out_of_range - not_sampled) {
        std::cerr << "page_filter_tb: " << engine_accesses << " accesses of the engine for " << accesses << "\n";
        return 1;
    }
    std::cout << "page_filter_tb: " << MEMORY_FRAMES << " frames, " << RECENT_PAGES << " recent pages: " << accesses
              << " accesses as the reference (" << engine_accesses << " reached the engine, " << out_of_range
              << " out of range, " << not_sampled << " not sampled, " << first << " first touches, " << claims
              << " claims)\n";
    return 0;
}
