// SPDX-License-Identifier: BSD-2-Clause
// hot_pages of hls/ behind a table that gives every page of a trace its frame.
#pragma once

#include "stacks/page_numbers.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace litemrc_native {

// The rules of hls/hot_pages/hot_pages.hpp.
struct HotSettings {
    bool reads = true, writes = true;
    unsigned sampling_log2 = 0, threshold = 2, wanted = 64;
};

struct HotEpoch {
    std::vector<uint64_t> pages, counts; // largest count first
    uint64_t accesses;
    bool more, saturated;
};

// The unit as the host sees it: one class for every number of frames it was compiled for.
class HotUnit {
  public:
    virtual ~HotUnit() = default;
    // `writes` may be null: all are reads.
    virtual void access(const uint32_t *frames, const bool *writes, size_t count) = 0;
    virtual HotEpoch end_epoch() = 0;
};

struct HotSize {
    uint32_t frames;
    std::unique_ptr<HotUnit> (*make)(const HotSettings &settings);
};

// The unit's sizes; hot_unit.cpp.in checks them.
constexpr unsigned HOT_PAGES_MOST = 1024, HOT_TABLE_SETS = 512, HOT_TABLE_WAYS = 4, HOT_SHARE = 12, HOT_COUNT_WIDTH = 20;

// The sizes of CMakeLists.txt.
const std::vector<HotSize> &hot_sizes();

class HotEngine {
  public:
    // Throws std::invalid_argument if the unit was not compiled in this size.
    HotEngine(uint32_t frames, const HotSettings &settings) : frames_(frames) {
        for (const HotSize &size : hot_sizes())
            if (size.frames == frames)
                unit_ = size.make(settings);
        if (!unit_)
            throw std::invalid_argument("hot_pages was not compiled for this number of frames");
    }

    // Throws std::length_error if there are more distinct pages than frames, and then at every call.
    void access(const uint64_t *pages, const bool *writes, size_t count) {
        uint32_t frames[BATCH];
        for (size_t start = 0; start < count; start += BATCH) {
            const size_t batch = std::min(count - start, BATCH);
            numbers_.number(pages + start, batch, frames);
            if (numbers_.size() > frames_)
                throw std::length_error("more distinct pages than frames");
            for (size_t i = 0; i < batch; ++i)
                if (frames[i] == pages_.size())
                    pages_.push_back(pages[start + i]);
            unit_->access(frames, writes ? writes + start : nullptr, batch);
        }
    }

    HotEpoch end_epoch() {
        HotEpoch epoch = unit_->end_epoch();
        for (uint64_t &page : epoch.pages)
            page = pages_[page];
        return epoch;
    }

  private:
    static constexpr size_t BATCH = 256;

    uint32_t frames_;
    std::unique_ptr<HotUnit> unit_;
    PageNumbers numbers_;
    std::vector<uint64_t> pages_; // of each frame
};

} // namespace litemrc_native
