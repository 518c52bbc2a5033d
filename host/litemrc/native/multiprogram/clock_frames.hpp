// Global CLOCK: one hand for all frames clears use bits and evicts the first page whose bit is clear.
#pragma once

#include "frame_policy.hpp"

#include <vector>

namespace litemrc_native {

class ClockFrames final : public FramePolicy {
  public:
    explicit ClockFrames(uint64_t frames) : limit_(frames) {}

    void make_room(size_t pages) override { frame_of_.resize(pages, NONE); }

    void touch(uint32_t, uint32_t page) override { frames_[frame_of_[page]].used = true; }

    uint32_t admit(uint32_t, uint32_t page) override {
        uint32_t victim = NONE, frame;
        if (!free_.empty()) { // those given back are filled first, the last one first
            frame = free_.back();
            free_.pop_back();
        } else if (frames_.size() < limit_) {
            frame = uint32_t(frames_.size());
            frames_.push_back({});
        } else {
            for (; frames_[hand_].used; advance())
                frames_[hand_].used = false;
            frame = hand_;
            advance();
            victim = frames_[frame].page;
            frame_of_[victim] = NONE;
        }
        frames_[frame] = {page, true};
        frame_of_[page] = frame;
        return victim;
    }

    void remove(uint32_t, uint32_t page) override {
        frames_[frame_of_[page]].used = false;
        free_.push_back(frame_of_[page]);
        frame_of_[page] = NONE;
    }

  private:
    struct Frame {
        uint32_t page;
        bool used;
    };

    void advance() { hand_ = hand_ + 1 == frames_.size() ? 0 : hand_ + 1; }

    const uint64_t limit_;
    std::vector<Frame> frames_; // as many as were ever filled
    std::vector<uint32_t> frame_of_, free_;
    uint32_t hand_ = 0;
};

} // namespace litemrc_native
