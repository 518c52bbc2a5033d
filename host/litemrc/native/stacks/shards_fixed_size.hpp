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

// The pages followed, and the accesses to them by class of their distance.
class PageSample {
  public:
    explicit PageSample(size_t most_pages) {
        const uint64_t unit = RecencyIndex::MIN_SLOTS;
        index_.restart(0, (4 * uint64_t(most_pages) + unit) / unit * unit);
    }

    // Counts an access to a page that is sampled at `rate`. Returns whether the page is new.
    bool access(uint64_t page, double rate) {
        if (index_.room() == 0)
            compact();
        uint32_t &slot = slots_.try_emplace(page, NO_SLOT).first->second;
        const uint32_t last = slot;
        slot = uint32_t(index_.next());
        uint32_t distance, fresh;
        index_.touch(&last, 1, &distance, &fresh);
        if (last == NO_SLOT) {
            cold_weight_ += 1 / rate;
            return true;
        }
        const size_t number = DistanceClasses::of(uint64_t(distance / rate));
        if (number >= weights_.size())
            weights_.resize(number + 1);
        weights_[number] += 1 / rate;
        return false;
    }

    void remove(uint64_t page) {
        index_.remove(slots_.at(page));
        slots_.erase(page);
    }

    size_t size() const { return slots_.size(); }
    double cold_weight() const { return cold_weight_; }
    const std::vector<double> &weights() const { return weights_; }

  private:
    void compact() {
        for (auto &[page, slot] : slots_)
            index_.rank(&slot, 1);
        index_.restart(index_.live(), index_.capacity());
    }

    std::unordered_map<uint64_t, uint32_t> slots_;
    RecencyIndex index_;
    std::vector<double> weights_;
    double cold_weight_ = 0;
};

// For the error of the curve (a delete-a-group jackknife), pages are also divided into groups, by a hash of their own, and
// as many further samples follow the same pages without those of one group each.
class ShardsFixedSize {
  public:
    // `groups`: of pages; 0: none.
    ShardsFixedSize(size_t most_pages, unsigned groups) : most_pages_(most_pages), sample_(most_pages) {
        for (unsigned group = 0; group < groups; ++group)
            without_.emplace_back(most_pages);
    }

    // Throws std::bad_alloc.
    void access(const uint64_t *pages, size_t count) {
        uint64_t sampled[BATCH];
        accesses_ += count;
        while (count) {
            const size_t batch = std::min(count, BATCH);
            const size_t selected = select_sampled(pages, batch, threshold_, sampled);
            for (size_t i = 0; i < selected; ++i)
                access_sampled(sampled[i]);
            pages += batch;
            count -= batch;
        }
    }

    uint64_t accesses() const { return accesses_; }
    double rate() const { return sampling_rate(threshold_); }

    // Its weights are the estimated number of accesses by class of their estimated distance.
    const PageSample &sample() const { return sample_; }
    const PageSample &sample_without(size_t group) const { return without_.at(group); }

  private:
    static constexpr size_t BATCH = 2048;

    void access_sampled(uint64_t page) {
        const uint64_t hash = sampling_hash(page);
        if (hash > threshold_)
            return; // the threshold fell within the batch
        const double rate = this->rate();
        const bool fresh = sample_.access(page, rate);
        const double others = rate * (double(without_.size()) - 1) / double(without_.size());
        for (size_t group = 0; group < without_.size(); ++group)
            if (group != group_of(page))
                without_[group].access(page, others);
        if (!fresh)
            return;
        by_hash_.emplace(hash, page);
        if (sample_.size() > most_pages_)
            give_up_greatest();
    }

    void give_up_greatest() {
        threshold_ = by_hash_.top().first - 1;
        while (!by_hash_.empty() && by_hash_.top().first > threshold_) { // two pages may share a hash
            const uint64_t page = by_hash_.top().second;
            by_hash_.pop();
            sample_.remove(page);
            for (size_t group = 0; group < without_.size(); ++group)
                if (group != group_of(page))
                    without_[group].remove(page);
        }
    }

    size_t group_of(uint64_t page) const { return grouping_hash(page) % without_.size(); }

    size_t most_pages_;
    uint64_t threshold_ = UINT64_MAX;
    uint64_t accesses_ = 0;
    std::priority_queue<std::pair<uint64_t, uint64_t>> by_hash_;
    PageSample sample_;
    std::deque<PageSample> without_; // elements that cannot be moved
};

} // namespace litemrc_native
