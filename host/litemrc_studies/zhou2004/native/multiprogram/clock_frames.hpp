// SPDX-License-Identifier: BSD-2-Clause
// Global CLOCK: one hand for all frames clears use bits and frees the frame of the first page whose bit is clear.
#pragma once

#include "frame_policy.hpp"

#include <vector>

namespace litemrc_native {

class ClockFrames final : public FramePolicy {
  public:
    explicit ClockFrames(uint64_t frames, Reclaim reclaim = {}) : limit_(frames), reclaim_(reclaim) {}

    void make_room(size_t pages) override { frame_of_.resize(pages, NONE); }

    void touch(uint32_t, uint32_t page) override { frames_[frame_of_[page]].used = true; }

    uint32_t admit(uint32_t, uint32_t page) override {
        const uint32_t victim = free_frames() ? NONE : evict();
        uint32_t frame = uint32_t(frames_.size());
        if (!free_.empty()) { // those given back are filled first, the last one first
            frame = free_.back();
            free_.pop_back();
        } else {
            frames_.push_back({});
        }
        frames_[frame] = {page, true};
        frame_of_[page] = frame;
        return victim;
    }

    void remove(uint32_t, uint32_t page) override {
        const uint32_t frame = frame_of_[page];
        frames_[frame] = {NONE, false};
        free_.push_back(frame);
        frame_of_[page] = NONE;
    }

    void reclaim(std::vector<uint32_t> &evicted) override {
        if (free_frames() < reclaim_.below)
            while (free_frames() < reclaim_.to)
                evicted.push_back(evict());
    }

    uint64_t free_frames() const override { return limit_ - frames_.size() + free_.size(); }

  private:
    struct Frame {
        uint32_t page;
        bool used;
    };

    // Frees a frame. Free frames have no page and are passed over, as are those that were never filled.
    uint32_t evict() {
        if (hand_ >= frames_.size())
            hand_ = 0;
        while (frames_[hand_].page == NONE || frames_[hand_].used) {
            frames_[hand_].used = false;
            hand_ = hand_ + 1 == frames_.size() ? 0 : hand_ + 1;
        }
        const uint32_t page = frames_[hand_].page;
        remove(0, page);
        hand_ = hand_ + 1 == limit_ ? 0 : hand_ + 1;
        return page;
    }

    const uint64_t limit_;
    const Reclaim reclaim_;
    std::vector<Frame> frames_; // as many as were ever filled
    std::vector<uint32_t> frame_of_, free_;
    uint32_t hand_ = 0;
};

} // namespace litemrc_native
