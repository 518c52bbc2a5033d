// SPDX-License-Identifier: BSD-2-Clause
// Policies that evict the least recently used page of all processes, or of the process that needs a frame.
#pragma once

#include "frame_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace litemrc_native {

// The pages in memory of each process as a doubly linked list, most recently used first, and when each was used: so the
// least recently used page of one process, of several, or of all is found at the lists' ends.
class ProcessLists {
  public:
    explicit ProcessLists(size_t processes) : anchors_(uint32_t(processes)), links_(processes), sizes_(processes) {
        for (uint32_t anchor = 0; anchor < anchors_; ++anchor)
            links_[anchor] = {0, anchor, anchor};
    }

    // Page numbers below `pages` may be used from now on.
    void make_room(size_t pages) { links_.resize(anchors_ + pages); }

    size_t processes() const { return anchors_; }
    uint64_t size(uint32_t process) const { return sizes_[process]; }
    uint64_t size() const { return total_; }

    // Returns the least recently used page of a process with at least one page, and its time.
    uint32_t oldest(uint32_t process) const { return links_[process].newer - anchors_; }
    uint64_t oldest_use(uint32_t process) const { return links_[links_[process].newer].used; }

    void insert(uint32_t process, uint32_t page) {
        link_first(process, anchors_ + page);
        ++sizes_[process];
        ++total_;
    }

    void remove(uint32_t process, uint32_t page) {
        unlink(anchors_ + page);
        --sizes_[process];
        --total_;
    }

    void touch(uint32_t process, uint32_t page) {
        const uint32_t at = anchors_ + page;
        if (links_[process].older == at) {
            links_[at].used = ++clock_;
            return;
        }
        unlink(at);
        link_first(process, at);
    }

  private:
    struct Link {
        uint64_t used = 0;
        uint32_t older = 0, newer = 0;
    };

    void unlink(uint32_t at) {
        const Link link = links_[at];
        links_[link.older].newer = link.newer;
        links_[link.newer].older = link.older;
    }

    void link_first(uint32_t anchor, uint32_t at) {
        const uint32_t first = links_[anchor].older;
        links_[at] = {++clock_, first, anchor};
        links_[first].newer = at;
        links_[anchor].older = at;
    }

    const uint32_t anchors_;
    std::vector<Link> links_; // [process] is the anchor of its list, [anchors_ + n] page n
    std::vector<uint64_t> sizes_;
    uint64_t clock_ = 0, total_ = 0;
};

// Common part of the policies; they differ in the process that loses a page.
class LruFrames : public FramePolicy {
  public:
    LruFrames(size_t processes, Reclaim reclaim) : lists_(processes), reclaim_(reclaim) {}

    void make_room(size_t pages) final { lists_.make_room(pages); }
    void touch(uint32_t process, uint32_t page) final { lists_.touch(process, page); }
    void remove(uint32_t process, uint32_t page) final { lists_.remove(process, page); }

    uint32_t admit(uint32_t process, uint32_t page) final {
        const uint32_t giver = giver_to(process);
        const uint32_t victim = giver == NONE ? NONE : evict(giver);
        lists_.insert(process, page);
        return victim;
    }

    void reclaim(std::vector<uint32_t> &evicted) final {
        if (free_frames() >= reclaim_.below)
            return;
        while (free_frames() < reclaim_.to) {
            const Share share = reclaimed();
            if (!share.pages)
                return;
            for (uint64_t page = 0; page < share.pages; ++page)
                evicted.push_back(evict(share.process));
        }
    }

  protected:
    struct Share {
        uint32_t process = NONE;
        uint64_t pages = 0;
    };

    // Returns the process that loses a page to this process; NONE: it takes a free frame.
    virtual uint32_t giver_to(uint32_t process) const = 0;

    // Returns the pages that are reclaimed next in the background; none: no process can spare any.
    virtual Share reclaimed() const { return {}; }

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
    const Reclaim reclaim_;

  private:
    uint32_t evict(uint32_t process) {
        const uint32_t victim = lists_.oldest(process);
        lists_.remove(process, victim);
        return victim;
    }
};

class GlobalLruFrames final : public LruFrames {
  public:
    GlobalLruFrames(uint64_t frames, size_t processes, Reclaim reclaim = {})
        : LruFrames(processes, reclaim), frames_(frames) {}

    uint64_t free_frames() const override { return frames_ - lists_.size(); }

  private:
    uint32_t giver_to(uint32_t) const override { return free_frames() ? NONE : reclaimed().process; }

    Share reclaimed() const override { return {with_oldest([](uint32_t) { return true; }), 1}; }

    const uint64_t frames_;
};

// Each process has frames of its own.
class PartitionFrames final : public LruFrames {
  public:
    explicit PartitionFrames(std::vector<uint64_t> shares)
        : LruFrames(shares.size(), {}), shares_(std::move(shares)),
          frames_(std::accumulate(shares_.begin(), shares_.end(), uint64_t(0))) {}

    uint64_t free_frames() const override { return frames_ - lists_.size(); }

  private:
    uint32_t giver_to(uint32_t process) const override {
        return lists_.size(process) < shares_[process] ? NONE : process;
    }

    const std::vector<uint64_t> shares_;
    const uint64_t frames_;
};

} // namespace litemrc_native
