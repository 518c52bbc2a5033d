// SPDX-License-Identifier: BSD-2-Clause
// SHARDS of a fixed size over a part of a trace, joined to its neighbours' exactly.
//
// How far the threshold has fallen at an access depends on the set of pages seen before, in this part or earlier. So parts
// are read twice: for the pages with the smallest hashes (`SmallestHashes`), and again with those of all earlier parts. Then
// the threshold of each access is that of one engine, and so is what is counted in the part: distances since an access of
// the same part, and first accesses of the whole trace. What depends on the earlier parts is the first access in this part
// to each page, at the threshold of its time; joining counts it.
#pragma once

#include "shards_fixed_size.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace litemrc_native {

// The pages seen that are followed, and the threshold, without their samples.
class SmallestHashes {
  public:
    explicit SmallestHashes(size_t most_pages) : followed_(most_pages, false) {}

    void access(const uint64_t *pages, size_t count) {
        followed_.select(pages, count, [this](uint64_t page) {
            if (followed_.follow(page).second)
                followed_.limit();
        });
    }

    // Takes what another one has seen.
    void join(const uint64_t *pages, size_t count, uint64_t threshold) {
        followed_.lower(std::min(threshold, followed_.threshold()));
        access(pages, count);
    }

    uint64_t threshold() const { return followed_.threshold(); }
    std::vector<uint64_t> pages() {
        std::vector<uint64_t> found;
        for (const auto &[page, place] : followed_.pages())
            found.push_back(page);
        std::sort(found.begin(), found.end());
        return found;
    }

  private:
    FollowedPages followed_;
};

class ShardsSizePart {
  public:
    // As for FollowedPages.
    ShardsSizePart(size_t most_pages, bool groups) : followed_(most_pages, groups) {}

    // Begins with the pages, and the threshold, of SmallestHashes of all earlier parts.
    void begin(const uint64_t *pages, size_t count, uint64_t threshold) {
        followed_.lower(threshold);
        for (size_t i = 0; i < count; ++i)
            followed_.follow(pages[i]);
    }

    // Throws std::bad_alloc.
    void access(const uint64_t *pages, size_t count) {
        accesses_ += count;
        followed_.select(pages, count, [this](uint64_t number) {
            const auto [page, fresh] = followed_.follow(number);
            if (page->slot == NO_SLOT)
                add_first(number);
            followed_.access(*page, fresh);
            followed_.limit();
        });
    }

    // Begins as the end of an earlier part: its pages in the order of their last access.
    void restore(const uint64_t *order, size_t count) {
        for (size_t i = 0; i < count; ++i)
            touch(order[i]);
    }

    // Takes the first accesses of the following part, each at its threshold, and the threshold at its end. Accesses to
    // pages of this part are counted, the others remain first accesses.
    void join(const uint64_t *firsts, const uint64_t *thresholds, size_t count, uint64_t end) {
        for (size_t i = 0; i < count; ++i) {
            if (thresholds[i] < followed_.threshold())
                followed_.lower(thresholds[i]);
            if (touch(firsts[i]))
                add_first(firsts[i]);
        }
        followed_.lower(std::min(end, followed_.threshold()));
    }

    uint64_t accesses() const { return accesses_; }
    uint64_t threshold() const { return followed_.threshold(); }
    const std::vector<PageSample> &samples() const { return followed_.samples(); }

    // The pages of first accesses, in their order, and the threshold at each.
    const std::vector<uint64_t> &firsts() const { return firsts_; }
    const std::vector<uint64_t> &thresholds() const { return thresholds_; }

    // The pages accessed here that are still followed, in the order of their last access.
    std::vector<uint64_t> order() {
        std::vector<std::pair<uint32_t, uint64_t>> found;
        for (const auto &[number, page] : followed_.pages())
            if (page.slot != NO_SLOT)
                found.emplace_back(page.slot, number);
        std::sort(found.begin(), found.end());
        std::vector<uint64_t> pages;
        for (const auto &[slot, number] : found)
            pages.push_back(number);
        return pages;
    }

  private:
    void add_first(uint64_t page) {
        firsts_.push_back(page);
        thresholds_.push_back(followed_.threshold());
    }

    // Counts the distance of an access to a page that is here. Returns whether it was not.
    bool touch(uint64_t number) {
        const auto [page, fresh] = followed_.follow(number);
        followed_.access(*page, false);
        return fresh;
    }

    FollowedPages followed_;
    uint64_t accesses_ = 0;
    std::vector<uint64_t> firsts_, thresholds_;
};

} // namespace litemrc_native
