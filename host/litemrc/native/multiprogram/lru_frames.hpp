// Policies that evict the least recently used page of all processes, or of the process that needs a frame.
#pragma once

#include "frame_policy.hpp"
#include "process_lists.hpp"

#include <utility>

namespace litemrc_native {

// Common part of the policies; they differ in the process that loses a page.
class LruFrames : public FramePolicy {
  public:
    explicit LruFrames(size_t processes) : lists_(processes) {}

    void make_room(size_t pages) final { lists_.make_room(pages); }
    void touch(uint32_t process, uint32_t page) final { lists_.touch(process, page); }
    void remove(uint32_t process, uint32_t page) final { lists_.remove(process, page); }

    uint32_t admit(uint32_t process, uint32_t page) final {
        const uint32_t giver = giver_to(process);
        uint32_t victim = NONE;
        if (giver != NONE) {
            victim = lists_.oldest(giver);
            lists_.remove(giver, victim);
        }
        lists_.insert(process, page);
        return victim;
    }

  protected:
    // Returns the process that loses a page to this process; NONE: there is room.
    virtual uint32_t giver_to(uint32_t process) const = 0;

    // Returns the process, of those allowed by `may`, with the oldest least recently used page; NONE: none has a page.
    template <typename May> uint32_t with_oldest(May may) const {
        uint32_t found = NONE;
        for (uint32_t process = 0; process < lists_.processes(); ++process)
            if (lists_.size(process) && may(process) &&
                (found == NONE || lists_.oldest_use(process) < lists_.oldest_use(found)))
                found = process;
        return found;
    }

    ProcessLists lists_;
};

class GlobalLruFrames final : public LruFrames {
  public:
    GlobalLruFrames(uint64_t frames, size_t processes) : LruFrames(processes), frames_(frames) {}

  private:
    uint32_t giver_to(uint32_t) const override {
        if (lists_.size() < frames_)
            return NONE;
        return with_oldest([](uint32_t) { return true; });
    }

    const uint64_t frames_;
};

// Each process has frames of its own.
class PartitionFrames final : public LruFrames {
  public:
    explicit PartitionFrames(std::vector<uint64_t> shares) : LruFrames(shares.size()), shares_(std::move(shares)) {}

  private:
    uint32_t giver_to(uint32_t process) const override {
        return lists_.size(process) < shares_[process] ? NONE : process;
    }

    const std::vector<uint64_t> shares_;
};

} // namespace litemrc_native
