// SPDX-License-Identifier: BSD-2-Clause
// Interface of the model to the units of hls/ that follow single pages: one class for each compiled memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stack.hpp"

namespace monitor_model {

// Values of the registers hot_control, hot_threshold, hot_wanted, hot_lower and hot_upper.
struct HotSettings {
    bool enable = false, reads = true, writes = true, always_on = false;
    uint32_t sampling_log2 = 0, threshold = 2, wanted = 0, lower = 0, upper = 0;
};

// An epoch's list of hot pages.
struct HotList {
    uint32_t listed, accesses;
    bool more, saturated;
};

struct HotPage {
    uint32_t frame, count;
    bool valid;
};

// Values of the registers of a reference counter.
struct RefSettings {
    bool reads = false, writes = false;
    uint32_t masters = 0, contexts = 0, lower = 0, upper = 0, initial = 0;
};

struct RefEvent {
    bool valid;
    uint32_t page, counter;
};

// What the reference counters were built with.
struct RefSizes {
    uint32_t width, masters, contexts, queue, counters;
};

// page_bitmap, hot_pages and ref_counters.
class Pages {
  public:
    virtual ~Pages() = default;

    virtual void reset() = 0;

    // An operation of the monitor's intake; `outside`: of an access, the frame is not in the monitor's range.
    virtual void step(const Operation &operation, bool outside) = 0;

    // The page bitmap of the last epoch: words of frames accessed, then of frames written.
    virtual uint32_t bitmap_words() const = 0;
    virtual uint32_t bitmap(uint32_t word) const = 0;

    // Hot pages.
    virtual uint32_t hot_pages() const = 0; // places of the list
    virtual uint32_t hot_count_bits() const = 0;
    virtual void set_hot(const HotSettings &settings) = 0;
    virtual HotList hot_list() const = 0;
    virtual HotPage hot_page(uint32_t place) const = 0;
    virtual uint32_t hot_queued() const = 0;
    virtual HotPage hot_oldest() const = 0; // without its count
    virtual void take_hot() = 0;
    virtual bool hot_overflow() const = 0;
    virtual void acknowledge_hot() = 0;

    // Reference counters. Their memory is allocated at the first use.
    virtual RefSizes ref_sizes() const = 0;
    virtual void set_refs(uint32_t counter, const RefSettings &settings) = 0;
    virtual void request(uint32_t page, bool write, uint32_t master, uint32_t context) = 0;
    virtual void reset_refs() = 0;
    virtual uint32_t ref(uint32_t page, uint32_t counter) = 0;
    virtual void load_ref(uint32_t page, uint32_t counter, uint32_t value) = 0;
    virtual RefEvent ref_event() const = 0;
    virtual void take_ref_event() = 0;
    virtual uint32_t refs_fired() const = 0;
    virtual uint32_t refs_lost() const = 0;
};

struct PagesSize {
    uint32_t frames;
    std::unique_ptr<Pages> (*make)();
};

// Filled before main by the files compiled from page_units.cpp.
std::vector<PagesSize> &page_sizes();

// Returns nullptr if nothing was compiled for this memory.
inline std::unique_ptr<Pages> make_pages(uint32_t frames) {
    for (const PagesSize &size : page_sizes())
        if (size.frames == frames)
            return size.make();
    return nullptr;
}

} // namespace monitor_model
