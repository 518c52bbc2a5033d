// SPDX-License-Identifier: BSD-2-Clause
// A stack engine of hls/ behind a table that gives every page of a trace its frame.
#pragma once

#include "hls_stack.hpp"
#include "stacks/page_numbers.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace litemrc_native {

class HlsEngine {
  public:
    // Throws std::invalid_argument if there is no such unit, or it was not compiled in this size.
    HlsEngine(const std::string &unit, uint32_t frames, uint32_t groups) : frames_(frames), hits_(groups) {
        for (const HlsSize &size : hls_sizes())
            if (size.frames == frames && size.groups == groups)
                stack_ = size.make(hls_unit(unit).number);
        if (!stack_)
            throw std::invalid_argument("no stack engine of this size was compiled");
    }

    // Throws std::length_error if there are more distinct pages than frames, and then at every call.
    void access(const uint64_t *pages, size_t count) {
        uint32_t frames[BATCH];
        while (count) {
            const size_t batch = std::min(count, BATCH);
            numbers_.number(pages, batch, frames);
            if (numbers_.size() > frames_)
                throw std::length_error("more distinct pages than frames");
            stack_->access(frames, batch, hits_.data(), misses_);
            pages += batch;
            count -= batch;
        }
    }

    const std::vector<uint64_t> &hits() const { return hits_; }
    uint64_t misses() const { return misses_; }

  private:
    static constexpr size_t BATCH = 256;

    uint32_t frames_;
    std::unique_ptr<HlsStack> stack_;
    PageNumbers numbers_;
    std::vector<uint64_t> hits_;
    uint64_t misses_ = 0;
};

} // namespace litemrc_native
