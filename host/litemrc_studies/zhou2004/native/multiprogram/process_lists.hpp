// The pages in memory of each process as a doubly linked list, most recently used first, and when each was used: so the
// least recently used page of one process, of several, or of all is found at the lists' ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litemrc_native {

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

} // namespace litemrc_native
