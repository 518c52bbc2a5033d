// SPDX-License-Identifier: BSD-2-Clause
// SHARDS in constant memory: the sampling rate falls as the footprint grows (Waldspurger et al., FAST 2015, section 3.2).
//
// At most `most_pages` pages are followed. When there would be one more, the page with the greatest hash is given up and
// its hash becomes the threshold. The paper then scales all counters down by the ratio of the thresholds; here each access
// counts with the inverse of the rate at which it was sampled, which comes to the same once divided by the final rate.
//
// Distances are counted in classes: one for each distance up to 512, then 256 to each power of two.
#pragma once

#include "recency_index.hpp"
#include "spatial_sample.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <stdexcept>
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

// The accesses to followed pages by class of their distance. Slots are kept by the caller, one for each page.
class PageSample {
  public:
    explicit PageSample(size_t most_pages) {
        const uint64_t unit = RecencyIndex::MIN_SLOTS;
        index_.restart(0, (4 * uint64_t(most_pages) + unit) / unit * unit);
    }

    bool is_full() { return index_.room() == 0; }

    // Takes an access to a page that is sampled at `rate`. `slot`: NO_SLOT if the page has none. Counts the distance if
    // it has one.
    void access(uint32_t &slot, double rate) {
        const uint32_t last = slot;
        slot = uint32_t(index_.next());
        uint32_t distance, fresh;
        index_.touch(&last, 1, &distance, &fresh);
        if (last == NO_SLOT)
            return;
        const size_t number = DistanceClasses::of(uint64_t(distance / rate));
        if (number >= weights_.size())
            weights_.resize(number + 1);
        weights_[number] += 1 / rate;
    }

    void count_cold(double rate) { cold_weight_ += 1 / rate; }
    void remove(uint32_t slot) { index_.remove(slot); }

    // Compacting: `rank` of the slot of each page, then `restart`.
    void rank(uint32_t &slot) { index_.rank(&slot, 1); }
    void restart() { index_.restart(index_.live(), index_.capacity()); }

    double cold_weight() const { return cold_weight_; }
    const std::vector<double> &weights() const { return weights_; }

  private:
    RecencyIndex index_;
    std::vector<double> weights_;
    double cold_weight_ = 0;
};

// The pages with the smallest hashes, at most so many, and the samples that follow them.
//
// The threshold depends on nothing but the set of pages seen: it is one less than the greatest of the `most_pages` + 1
// smallest hashes.
//
// For the error of the curve (a delete-a-group jackknife), pages are also divided into groups, by a hash of their own, and
// as many further samples follow the same pages without those of one group each.
class FollowedPages {
  public:
    static constexpr unsigned MOST_GROUPS = 8;
    static constexpr size_t BATCH = 2048;

    // The slots of a page: of all samples, where NO_SLOT is that of its own group.
    struct Slots {
        uint32_t of[MOST_GROUPS + 1];
        Slots() { std::fill(of, of + MOST_GROUPS + 1, NO_SLOT); }
    };

    // `groups`: of pages, at most MOST_GROUPS; 0: none. Throws std::invalid_argument.
    FollowedPages(size_t most_pages, unsigned groups) : most_pages_(most_pages) {
        if (groups > MOST_GROUPS)
            throw std::invalid_argument("too many groups");
        for (unsigned sample = 0; sample <= groups; ++sample)
            samples_.emplace_back(most_pages);
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

    // The slots of a page of a hash up to the threshold, and whether it is new. If it is, `limit` must come.
    std::pair<Slots *, bool> follow(uint64_t page) {
        const auto [place, fresh] = slots_.try_emplace(page);
        if (fresh)
            by_hash_.emplace(sampling_hash(page), page);
        return {&place->second, fresh};
    }

    // Calls visit(sample, slot, rate) for the samples of a page.
    template <typename Visit> void for_each_sample(uint64_t page, Slots &slots, Visit visit) {
        const size_t groups = samples_.size() - 1, own = groups ? 1 + grouping_hash(page) % groups : 0;
        const double all = rate(), others = all * (double(groups) - 1) / double(groups);
        for (size_t sample = 0; sample <= groups; ++sample) {
            if (sample && sample == own)
                continue;
            if (samples_[sample].is_full())
                compact(sample);
            visit(samples_[sample], slots.of[sample], sample ? others : all);
        }
    }

    // Gives up pages until there are as many as there may be. Slots are no longer valid.
    void limit() {
        if (slots_.size() > most_pages_)
            lower(by_hash_.top().first - 1);
    }

    // Gives up the pages of hashes above a threshold, which is at most the present one.
    void lower(uint64_t threshold) {
        threshold_ = threshold;
        while (!by_hash_.empty() && by_hash_.top().first > threshold_) { // two pages may share a hash
            const auto place = slots_.find(by_hash_.top().second);
            by_hash_.pop();
            for (size_t sample = 0; sample < samples_.size(); ++sample)
                if (place->second.of[sample] != NO_SLOT)
                    samples_[sample].remove(place->second.of[sample]);
            slots_.erase(place);
        }
    }

    uint64_t threshold() const { return threshold_; }
    double rate() const { return sampling_rate(threshold_); }
    const std::deque<PageSample> &samples() const { return samples_; }
    std::unordered_map<uint64_t, Slots> &slots() { return slots_; }

  private:
    void compact(size_t sample) {
        for (auto &[page, slots] : slots_)
            if (slots.of[sample] != NO_SLOT)
                samples_[sample].rank(slots.of[sample]);
        samples_[sample].restart();
    }

    size_t most_pages_;
    uint64_t threshold_ = UINT64_MAX;
    std::unordered_map<uint64_t, Slots> slots_; // of the pages followed
    std::priority_queue<std::pair<uint64_t, uint64_t>> by_hash_;
    std::deque<PageSample> samples_; // all pages; without each group. A deque, as its elements cannot be moved
};

class ShardsFixedSize {
  public:
    // As for FollowedPages.
    ShardsFixedSize(size_t most_pages, unsigned groups) : followed_(most_pages, groups) {}

    // Throws std::bad_alloc.
    void access(const uint64_t *pages, size_t count) {
        accesses_ += count;
        followed_.select(pages, count, [this](uint64_t page) {
            const auto [slots, fresh] = followed_.follow(page);
            followed_.for_each_sample(page, *slots, [fresh = fresh](PageSample &sample, uint32_t &slot, double rate) {
                sample.access(slot, rate);
                if (fresh)
                    sample.count_cold(rate);
            });
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
