// SPDX-License-Identifier: BSD-2-Clause
// SHARDS in constant memory: the sampling rate falls as the footprint grows (Waldspurger et al., FAST 2015, section 3.2).
//
// At most `most_pages` pages are followed. When there would be one more, the page with the greatest hash is given up and
// its hash becomes the threshold. The paper then scales all counters down by the ratio of the thresholds; here each access
// counts with the inverse of the rate at which it was sampled, which comes to the same once divided by the final rate.
//
// Distances are counted in classes: one for each distance up to 512, then 256 to each power of two.
#pragma once

#include "group_index.hpp"
#include "recency_index.hpp"
#include "spatial_sample.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace litemrc_native {

class DistanceClasses {
  public:
    static constexpr unsigned BITS = 8;

    // Class of a distance below 2^63.
    static size_t of(uint64_t distance) {
        if (distance < (2u << BITS))
            return size_t(distance);
        const unsigned shift = 63 - unsigned(__builtin_clzll(distance)) - BITS;
        return (size_t(shift) << BITS) + size_t(distance >> shift);
    }

    // The greatest distance of a class.
    static uint64_t greatest(size_t number) {
        if (number < (2u << BITS))
            return number;
        const unsigned shift = unsigned(number >> BITS) - 1;
        return ((uint64_t(number) - (uint64_t(shift) << BITS) + 1) << shift) - 1;
    }
};

// Estimated accesses by class of their estimated distance.
class PageSample {
  public:
    // An access of stack distance `distance` among the pages sampled at `rate`, or 0: not known.
    void count(uint32_t distance, double rate) {
        if (!distance)
            return;
        const size_t number = DistanceClasses::of(uint64_t(int64_t(distance / rate)));
        if (number >= weights_.size())
            weights_.resize(number + 1);
        weights_[number] += 1 / rate;
    }
    void count_cold(double rate) { cold_weight_ += 1 / rate; }

    double cold_weight() const { return cold_weight_; }
    const std::vector<double> &weights() const { return weights_; }

  private:
    std::vector<double> weights_;
    double cold_weight_ = 0;
};

// The pages with the smallest hashes, at most so many, and the samples that follow them.
//
// The threshold depends on nothing but the set of pages seen: it is one less than the greatest of the `most_pages` + 1
// smallest hashes.
//
// For the error of the curve (a delete-a-group jackknife), pages are also divided into groups, by a hash of their own, and
// further samples count the same accesses without those to pages of one group each.
class FollowedPages {
  public:
    static constexpr unsigned GROUPS = GroupIndex::GROUPS;
    static constexpr size_t BATCH = 2048;

    struct Page {
        uint32_t slot = NO_SLOT; // of its last access
        uint8_t group = 0;
    };

    // `groups`: whether there are groups.
    FollowedPages(size_t most_pages, bool groups) : most_pages_(most_pages), samples_(groups ? GROUPS + 1 : 1) {
        const uint64_t unit = RecencyIndex::MIN_SLOTS, slots = (4 * uint64_t(most_pages) + unit) / unit * unit;
        if (groups)
            grouped_.restart(slots);
        else
            index_.restart(0, slots);
    }

    FollowedPages(const FollowedPages &) = delete;
    FollowedPages &operator=(const FollowedPages &) = delete;

    // Calls visit(page) for the pages that are followed, while they are.
    template <typename Visit> void select(const uint64_t *pages, size_t count, Visit visit) {
        uint64_t sampled[BATCH];
        while (count) {
            const size_t batch = std::min(count, BATCH);
            const size_t selected = select_sampled(pages, batch, threshold_, sampled);
            for (size_t i = 0; i < selected; ++i)
                if (sampling_hash(sampled[i]) <= threshold_) // it may have fallen within the batch
                    visit(sampled[i]);
            pages += batch;
            count -= batch;
        }
    }

    // A page of a hash up to the threshold, and whether it is new. If it is, `limit` must come.
    std::pair<Page *, bool> follow(uint64_t page) {
        const auto [place, fresh] = pages_.try_emplace(page);
        if (fresh) {
            by_hash_.emplace(sampling_hash(page), page);
            place->second.group = uint8_t(grouping_hash(page) % GROUPS);
        }
        return {&place->second, fresh};
    }

    // Takes an access to a page, and counts its distance if it has a slot. `cold`: it is also counted as a first access.
    void access(Page &page, bool cold) {
        if ((has_groups() ? grouped_.room() : index_.room()) == 0)
            compact();
        const double all = rate(), others = all * (double(GROUPS) - 1) / double(GROUPS);
        const uint32_t last = page.slot;
        uint32_t distance, fresh;
        GroupIndex::Numbers younger;
        if (has_groups()) {
            page.slot = grouped_.next();
            grouped_.touch(&last, &page.group, 1, &younger);
            distance = GroupIndex::distance(last, younger);
        } else {
            page.slot = uint32_t(index_.next());
            index_.touch(&last, 1, &distance, &fresh);
        }
        samples_[0].count(distance, all);
        if (cold)
            samples_[0].count_cold(all);
        for (size_t group = 0; group + 1 < samples_.size(); ++group) {
            if (group == page.group)
                continue;
            samples_[group + 1].count(distance ? distance - younger[group] : 0, others);
            if (cold)
                samples_[group + 1].count_cold(others);
        }
    }

    // Gives up pages until there are as many as there may be. Slots are no longer valid.
    void limit() {
        if (pages_.size() > most_pages_)
            lower(by_hash_.top().first - 1);
    }

    // Gives up the pages of hashes above a threshold, which is at most the present one.
    void lower(uint64_t threshold) {
        threshold_ = threshold;
        while (!by_hash_.empty() && by_hash_.top().first > threshold_) { // two pages may share a hash
            const auto place = pages_.find(by_hash_.top().second);
            by_hash_.pop();
            const Page &page = place->second;
            if (page.slot != NO_SLOT && has_groups())
                grouped_.remove(page.slot, page.group);
            else if (page.slot != NO_SLOT)
                index_.remove(page.slot);
            pages_.erase(place);
        }
    }

    uint64_t threshold() const { return threshold_; }
    double rate() const { return sampling_rate(threshold_); }
    const std::vector<PageSample> &samples() const { return samples_; } // all pages; without each group
    const std::unordered_map<uint64_t, Page> &pages() const { return pages_; }

  private:
    bool has_groups() const { return samples_.size() > 1; }

    void compact() {
        for (auto &[number, page] : pages_)
            if (has_groups())
                grouped_.rank(page.slot);
            else
                index_.rank(&page.slot, 1);
        if (has_groups())
            grouped_.compact(grouped_.capacity());
        else
            index_.restart(index_.live(), index_.capacity());
    }

    size_t most_pages_;
    uint64_t threshold_ = UINT64_MAX;
    std::unordered_map<uint64_t, Page> pages_; // those followed
    std::priority_queue<std::pair<uint64_t, uint64_t>> by_hash_;
    std::vector<PageSample> samples_;
    RecencyIndex index_; // without groups
    GroupIndex grouped_; // with groups
};

class ShardsFixedSize {
  public:
    // As for FollowedPages.
    ShardsFixedSize(size_t most_pages, bool groups) : followed_(most_pages, groups) {}

    // Throws std::bad_alloc.
    void access(const uint64_t *pages, size_t count) {
        accesses_ += count;
        followed_.select(pages, count, [this](uint64_t number) {
            const auto [page, fresh] = followed_.follow(number);
            followed_.access(*page, fresh);
            followed_.limit();
        });
    }

    uint64_t accesses() const { return accesses_; }
    double rate() const { return followed_.rate(); }

    // Its weights are the estimated number of accesses by class of their estimated distance.
    const PageSample &sample() const { return followed_.samples()[0]; }
    const PageSample &sample_without(size_t group) const { return followed_.samples().at(group + 1); }

  private:
    FollowedPages followed_;
    uint64_t accesses_ = 0;
};

} // namespace litemrc_native
