// SPDX-License-Identifier: BSD-2-Clause
// Sizes of the units, chosen at compile time with -DLITEMRC_<NAME>=<number>; the defaults are the SoC's.
// A program that includes a unit's .cpp defines LITEMRC_UNITS_ONLY to leave out the top functions, which are for synthesis.
#pragma once

#include <ap_int.h>

#ifndef LITEMRC_FRAMES
#define LITEMRC_FRAMES 8192 // page frames of the DRAM: 32 MB in pages of 4 KB
#endif
#ifndef LITEMRC_MEMORY_FRAMES
#define LITEMRC_MEMORY_FRAMES LITEMRC_FRAMES // more than LITEMRC_FRAMES: page_filter samples
#endif
#ifndef LITEMRC_GROUPS
#define LITEMRC_GROUPS 64 // page groups of an LRU stack
#endif
#ifndef LITEMRC_CONTEXTS
#define LITEMRC_CONTEXTS 8 // contexts (processes) with a stack of their own
#endif
#ifndef LITEMRC_RECENT_PAGES
// Pages whose accesses page_filter absorbs: 4, or as many as a group holds.
#define LITEMRC_RECENT_PAGES (LITEMRC_FRAMES / LITEMRC_GROUPS < 4 ? LITEMRC_FRAMES / LITEMRC_GROUPS : 4)
#endif
#ifndef LITEMRC_DOMAINS
#define LITEMRC_DOMAINS 4 // power domains: ranks, or equal slices of the memory
#endif
#ifndef LITEMRC_MASTERS
#define LITEMRC_MASTERS 4 // bus masters that reference counters distinguish
#endif
#ifndef LITEMRC_REFERENCE_BITS
#define LITEMRC_REFERENCE_BITS 12 // bits of a reference counter
#endif
#ifndef LITEMRC_EVENT_QUEUE
#define LITEMRC_EVENT_QUEUE 512 // entries of the reference counters' queue
#endif
#ifndef LITEMRC_HOT_PAGES
#define LITEMRC_HOT_PAGES 64 // pages on the list of hot_pages
#endif
#ifndef LITEMRC_HOT_SETS
#define LITEMRC_HOT_SETS (LITEMRC_FRAMES < 2048 ? LITEMRC_FRAMES / 4 : 512) // of the table of hot_pages
#endif
#ifndef LITEMRC_HOT_COUNT_BITS
#define LITEMRC_HOT_COUNT_BITS 20 // fewer only to test saturation
#endif
#ifndef LITEMRC_HOT_ERROR_BITS
#define LITEMRC_HOT_ERROR_BITS 9
#endif
#ifndef LITEMRC_BANKS
#define LITEMRC_BANKS 8 // banks of the DRAM, of all ranks
#endif
#ifndef LITEMRC_RANKS
#define LITEMRC_RANKS 1 // ranks of the DRAM
#endif
#ifndef LITEMRC_CYCLE_BITS
#define LITEMRC_CYCLE_BITS 34 // of dram_traffic's count of cycles; fewer only to test saturation
#endif
#ifndef LITEMRC_COUNTER_BITS
#define LITEMRC_COUNTER_BITS 32 // fewer only to test saturation
#endif

namespace litemrc {

constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

// Bits that hold 0..n-1, at least 1.
constexpr int width_of(int n) {
    int bits = 1;
    while ((1 << bits) < n)
        ++bits;
    return bits;
}

constexpr int FRAMES = LITEMRC_FRAMES;
constexpr int MEMORY_FRAMES = LITEMRC_MEMORY_FRAMES;
constexpr int GROUPS = LITEMRC_GROUPS;
constexpr int CONTEXTS = LITEMRC_CONTEXTS;
constexpr int RECENT_PAGES = LITEMRC_RECENT_PAGES;
constexpr int DOMAINS = LITEMRC_DOMAINS;
constexpr int MASTERS = LITEMRC_MASTERS;
constexpr int REFERENCE_BITS = LITEMRC_REFERENCE_BITS;
constexpr int EVENT_QUEUE = LITEMRC_EVENT_QUEUE;
constexpr int BANKS = LITEMRC_BANKS;
constexpr int RANKS = LITEMRC_RANKS;
constexpr int CYCLE_BITS = LITEMRC_CYCLE_BITS;
constexpr int COUNTER_BITS = LITEMRC_COUNTER_BITS;
constexpr int GROUP_PAGES = FRAMES / GROUPS; // GrpSize of the paper

static_assert(is_power_of_two(FRAMES) && is_power_of_two(GROUPS) && is_power_of_two(CONTEXTS),
              "LITEMRC_FRAMES, LITEMRC_GROUPS and LITEMRC_CONTEXTS must be powers of two");
static_assert(2 <= GROUPS && GROUPS <= FRAMES && CONTEXTS <= FRAMES,
              "LITEMRC_GROUPS must lie in 2..LITEMRC_FRAMES and LITEMRC_CONTEXTS in 1..LITEMRC_FRAMES");

using frame_t = ap_uint<width_of(FRAMES)>;
using group_t = ap_uint<width_of(GROUPS)>;
using context_t = ap_uint<width_of(CONTEXTS)>;
using domain_t = ap_uint<width_of(DOMAINS)>;
using pages_t = ap_uint<width_of(FRAMES) + 1>; // a number of pages, 0..FRAMES
using counter_t = ap_uint<COUNTER_BITS>;

} // namespace litemrc
