// SPDX-License-Identifier: BSD-2-Clause
// The functions behind the modules that stand in for an HLS compiler's Verilog (hls_stand_in.py).
#include "group_stack/group_stack.hpp"
#include "hit_counters/hit_counters.hpp"
#include "working_set/working_set.hpp"

using namespace litemrc;

namespace {

GroupStack stack;
WorkingSet set;
HitCounters counters;
counter_t window[WINDOW_WORDS];

} // namespace

extern "C" {

void group_stack_reset() { stack.clear(); }
long long group_stack_step(long long word) {
    return pack(stack.step(unpack_op(op_word_t(word)))).to_uint64();
}

void working_set_reset() { set.reset(); }
long long working_set_step(long long word) { return set.step(unpack_op(op_word_t(word))).to_uint64(); }

void hit_counters_reset() { counters.reset(); }

// Bit 39: the epoch ended.
long long hit_counters_step(long long word) {
    const bool ended = counters.step(unpack_counted(counted_word_t(word)), window);
    return (ended ? 1LL << 39 : 0) | (counters.overflow() ? 1LL << 32 : 0) | (long long)(counters.epoch().to_uint64());
}
long long hit_counters_window(int word) { return window[word].to_uint64(); }
int hit_counters_window_words() { return WINDOW_WORDS; }
}
