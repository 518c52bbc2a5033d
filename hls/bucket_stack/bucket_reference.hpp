// SPDX-License-Identifier: BSD-2-Clause
// Reference for the testbenches of bucket_stack: buckets are nodes of a std::list that contain their pages; no ids, tree or
// stamps. It shares only records and constants with the unit, and is not synthesizable.
#pragma once

#include "bucket_stack.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <set>
#include <vector>

namespace litemrc {

class BucketReference {
  public:
    BucketReference() { clear(); }

    Position step(const Op &op) {
        Position answer{POSITION_NONE, 0, 0, op.epoch_end};
        const int frame = op.frame;
        if (op.kind == OP_CLEAR) {
            clear();
            answer.kind = POSITION_CLEAR;
            return answer;
        }
        if (op.kind == OP_INVALIDATE) {
            if (places_[frame].owner != NOBODY)
                places_[frame].bucket->erase(frame);
            places_[frame].owner = NOBODY;
            places_[frame].claim = op.write ? int(op.context) : NOBODY;
        } else if (op.kind == OP_ACCESS) {
            Place &place = places_[frame];
            const bool miss = place.owner == NOBODY;
            if (miss)
                place.owner = place.claim != NOBODY ? place.claim : int(op.context);
            answer.kind = miss ? POSITION_MISS : POSITION_HIT;
            answer.context = place.owner;
            answer.group = access(frame, stacks_[place.owner], place, miss);
        }
        end_operation();
        return answer;
    }

  private:
    using Bucket = std::set<int>;
    using Buckets = std::list<Bucket>; // newest first: one or two of the open id, then two of each closed one
    static constexpr int NOBODY = -1;

    // The loop's front in floating point, which is exact here; the unit uses fixed point.
    struct Front {
        const Bucket *bucket = nullptr, *candidate = nullptr;
        int confidence = 0, votes = 0;
        double place = 0, slope = 1;
    };
    struct Stack {
        Buckets buckets = Buckets(1);
        int open = 1; // buckets of the open id
        Front front;
    };
    struct Place {
        int owner = NOBODY;
        int claim = NOBODY; // since the page last became invalid
        Buckets::iterator bucket;
    };

    int access(int frame, Stack &stack, Place &place, bool miss) {
        const auto open = stack.buckets.begin();
        if (!miss && place.bucket == open)
            return 0;
        int position = 0;
        if (!miss) {
            const bool is_open = stack.open == 2 && place.bucket == std::next(open);
            for (auto newer = open; newer != place.bucket && !is_open; ++newer)
                position += int(newer->size());
            if (!is_open)
                position += place_in(*place.bucket, stack);
            place.bucket->erase(frame);
        }
        open->insert(frame);
        place.bucket = open;
        if (int(open->size()) == CLOSING_PAGES) {
            stack.buckets.emplace_front();
            ids_used_ += stack.open == 2;
            stack.open = 3 - stack.open;
        }
        return position / GROUP_PAGES;
    }

    // Pages of the bucket newer than the accessed page, by the rule of LoopFront in the golden model.
    static int place_in(const Bucket &bucket, Stack &stack) {
        Front &front = stack.front;
        const int pages = int(bucket.size());
        if (&bucket == front.bucket) {
            front.confidence = std::min(15, front.confidence + 2);
            front.votes = 0;
            if (front.place >= -BUCKET_PAGES)
                front.place -= front.slope;
            const int place = int(std::floor(front.place));
            return front.confidence < 8 ? pages / 2 : std::max(0, std::min(place, pages - 1));
        }
        front.confidence = std::max(0, front.confidence - 1);
        if (&bucket == front.candidate) {
            front.votes += 2;
        } else if (front.votes > 0) {
            --front.votes;
        } else {
            front.candidate = &bucket;
            front.votes = 1;
        }
        if (front.votes < 6)
            return pages / 2;
        if (front.bucket && front.confidence > 0 && is_newer(bucket, *front.bucket, stack)) {
            const double unit = 1.0 / std::min(BUCKET_PAGES, 256);
            const double correction = std::floor(front.place / (2 * BUCKET_PAGES) / unit) * unit;
            front.slope = std::max(1.0, std::min(front.slope + correction, 4 - unit));
        }
        front.bucket = &bucket;
        front.confidence = 8;
        front.place = pages;
        front.votes = 0;
        return pages - 1;
    }

    static bool is_newer(const Bucket &bucket, const Bucket &other, const Stack &stack) {
        for (const Bucket &next : stack.buckets)
            if (&next == &bucket || &next == &other)
                return &next == &bucket;
        return false;
    }

    void end_operation() {
        if (delay_ == 0) {
            if (ids_used_ + 1 >= IDS - CONTEXTS - RENUMBER_DELAY)
                delay_ = RENUMBER_DELAY;
        } else if (--delay_ == 0) {
            ids_used_ = 0;
            for (Stack &stack : stacks_) {
                merge_pairs(stack);
                merge(stack);
                stack.front.bucket = stack.front.candidate = nullptr;
                stack.front.confidence = stack.front.votes = 0;
                ids_used_ += (int(stack.buckets.size()) - stack.open) / 2 + 1;
            }
        }
    }

    // Moves the pages of a bucket into an older one if that has room for them. Returns whether it is empty then.
    bool moved(const Bucket &bucket, Buckets::iterator older) {
        if (int(older->size() + bucket.size()) > BUCKET_PAGES)
            return bucket.empty();
        for (const int frame : bucket) {
            older->insert(frame);
            places_[frame].bucket = older;
        }
        return true;
    }

    // Merges the two buckets of each closed id; empties the newer one.
    void merge_pairs(Stack &stack) {
        for (auto newer = std::next(stack.buckets.begin(), stack.open); newer != stack.buckets.end(); std::advance(newer, 2))
            if (moved(*newer, std::next(newer)))
                newer->clear();
    }

    // Merges the closed buckets from the oldest on, and completes the newest id with an empty bucket.
    void merge(Stack &stack) {
        Buckets &buckets = stack.buckets;
        auto older = buckets.end();
        const auto last_open = std::next(buckets.begin(), stack.open - 1);
        for (auto bucket = buckets.end(); --bucket != last_open;) {
            if (older == buckets.end() ? bucket->empty() : moved(*bucket, older))
                bucket = buckets.erase(bucket);
            else
                older = bucket;
        }
        if ((int(buckets.size()) - stack.open) % 2)
            buckets.emplace(std::next(last_open));
    }

    void clear() {
        places_ = std::vector<Place>(FRAMES);
        stacks_ = std::vector<Stack>(CONTEXTS);
        ids_used_ = CONTEXTS;
        delay_ = 0;
    }

    std::vector<Place> places_;
    std::vector<Stack> stacks_;
    int ids_used_, delay_;
};

} // namespace litemrc
