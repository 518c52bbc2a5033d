// SPDX-License-Identifier: BSD-2-Clause
// Estimate of a page's place in its bucket: the middle, unless a loop empties the bucket. The rule is defined in
// host/litemrc/golden/monitor/loop_front.py. One per context; small enough for registers or LUT RAM.
#pragma once

#include "../common/records.hpp"

namespace litemrc {

constexpr int BUCKET_PAGES = GROUP_PAGES > 1 ? GROUP_PAGES / 2 : 1;             // a bucket holds at most half a group
constexpr int BUCKET_PAGES_LOG2 = width_of(BUCKET_PAGES) - (BUCKET_PAGES == 1); // width_of(1) is 1
constexpr int FRACTION_BITS = BUCKET_PAGES_LOG2 < 8 ? BUCKET_PAGES_LOG2 : 8;

template <typename Id> class LoopFront {
  public:
    void clear() {
        slope_ = slope_t(1) << FRACTION_BITS;
        forget();
    }

    // Buckets get new ids; the slope stays.
    void forget() {
        front_ = 0;
        candidate_ = 0;
        confidence_ = 0;
        votes_ = 0;
    }

    // A page of the closed bucket `id` with `pages` pages is hit. Returns the estimated number of newer pages in the bucket.
    pages_t hit(Id id, pages_t pages) {
        if (id == front_)
            return advance(pages);
        if (confidence_ != 0)
            confidence_ -= 1;
        if (id == candidate_)
            votes_ += 2;
        else if (votes_ != 0)
            votes_ -= 1;
        else {
            candidate_ = id;
            votes_ = 1;
        }
        if (votes_ < VOTES)
            return pages >> 1;
        move(id, pages);
        return pages - 1;
    }

  private:
    static constexpr int FULL_CONFIDENCE = 15, TRUSTED = 8, VOTES = 6, STEEPEST = 4;
    using slope_t = ap_uint<2 + FRACTION_BITS>;
    using place_t = ap_int<BUCKET_PAGES_LOG2 + 3 + FRACTION_BITS>; // down to -(BUCKET_PAGES + STEEPEST) pages

    pages_t advance(pages_t pages) {
        confidence_ = confidence_ < FULL_CONFIDENCE - 2 ? int(confidence_) + 2 : FULL_CONFIDENCE;
        votes_ = 0;
        if (place_ >= -(BUCKET_PAGES << FRACTION_BITS))
            place_ -= slope_;
        if (confidence_ < TRUSTED)
            return pages >> 1;
        const int inside = int(place_) >> FRACTION_BITS, last = int(pages) - 1;
        return inside < 0 ? 0 : inside < last ? inside : last;
    }

    void move(Id id, pages_t pages) {
        if (front_ != 0 && id > front_ && confidence_ != 0) {
            const int slope = int(slope_) + (int(place_) >> (BUCKET_PAGES_LOG2 + 1)); // floor, as the golden model
            const int least = 1 << FRACTION_BITS, most = (STEEPEST << FRACTION_BITS) - 1;
            slope_ = slope < least ? least : slope < most ? slope : most;
        }
        front_ = id;
        confidence_ = TRUSTED;
        place_ = int(pages) << FRACTION_BITS;
        votes_ = 0;
    }

    Id front_, candidate_; // 0: none
    ap_uint<4> confidence_;
    ap_uint<3> votes_;
    place_t place_; // pages, fixed point with FRACTION_BITS, like `slope_`
    slope_t slope_;
};

} // namespace litemrc
