// SPDX-License-Identifier: BSD-2-Clause
// CLOCK replacement: a hand passes the frames, clears use bits, and takes the first frame whose bit is clear.
#pragma once

#include "address_book.hpp"
#include "memory.hpp"

#include <algorithm>
#include <vector>

namespace litemrc_native {

class ClockMemory final : public MemoryOf<ClockMemory> {
  public:
    ClockMemory(const AddressBook &book, uint64_t frames) : book_(book), limit_(frames) {}

    bool reference(uint32_t number) override {
        if (number < frame_of_.size() && frame_of_[number] != NONE) {
            frames_[frame_of_[number]].used = true;
            return false;
        }
        if (frame_of_.size() < book_.size())
            frame_of_.resize(std::max(book_.size(), frame_of_.size() + frame_of_.size() / 2), NONE);
        const uint32_t frame = place();
        frames_[frame] = {number, true};
        frame_of_[number] = frame;
        return true;
    }

    void release(uint32_t number) override {
        if (number >= frame_of_.size() || frame_of_[number] == NONE)
            return;
        frames_[frame_of_[number]].used = false;
        free_.push_back(frame_of_[number]);
        frame_of_[number] = NONE;
    }

  private:
    static constexpr uint32_t NONE = AddressBook::NONE;
    struct Frame {
        uint32_t number;
        bool used;
    };

    // Returns a frame for a new page. Released frames are reused first, in LIFO order.
    uint32_t place() {
        victim_ = NONE;
        if (!free_.empty()) {
            const uint32_t frame = free_.back();
            free_.pop_back();
            return frame;
        }
        if (frames_.size() < limit_) {
            frames_.push_back({});
            return uint32_t(frames_.size() - 1);
        }
        while (frames_[hand_].used) {
            frames_[hand_].used = false;
            advance();
        }
        const uint32_t frame = hand_;
        advance();
        victim_ = frames_[frame].number;
        frame_of_[victim_] = NONE;
        return frame;
    }

    void advance() { hand_ = hand_ + 1 == frames_.size() ? 0 : hand_ + 1; }

    const AddressBook &book_;
    const uint64_t limit_;
    std::vector<Frame> frames_; // as many as were ever filled
    std::vector<uint32_t> frame_of_, free_;
    uint32_t hand_ = 0;
};

} // namespace litemrc_native
