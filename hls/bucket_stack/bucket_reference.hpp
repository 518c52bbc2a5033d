// Reference for the testbenches of bucket_stack: buckets as nodes of std::list with the pages in them, no ids, no tree,
// no stamps. It shares nothing with the unit but the records and the constants, and is not synthesizable.
#pragma once

#include "bucket_stack.hpp"

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
        if (op.kind == OP_INVALIDATE && places_[frame].owner != NOBODY) {
            places_[frame].bucket->erase(frame);
            places_[frame].owner = NOBODY;
        } else if (op.kind == OP_ACCESS) {
            Place &place = places_[frame];
            const bool miss = place.owner == NOBODY;
            if (miss)
                place.owner = op.context;
            answer.kind = miss ? POSITION_MISS : POSITION_HIT;
            answer.context = place.owner;
            answer.group = access(frame, stacks_[place.owner], place, miss);
        }
        end_operation();
        return answer;
    }

  private:
    using Bucket = std::set<int>;
    using Buckets = std::list<Bucket>; // newest, the open one, first
    static constexpr int NOBODY = -1;

    struct Stack {
        Buckets buckets = Buckets(1);
        const Bucket *last_hits[2] = {nullptr, nullptr};
    };
    struct Place {
        int owner = NOBODY;
        Buckets::iterator bucket;
    };

    int access(int frame, Stack &stack, Place &place, bool miss) {
        const auto open = stack.buckets.begin();
        if (!miss && place.bucket == open)
            return 0;
        int position = 0;
        if (!miss) {
            for (auto newer = open; newer != place.bucket; ++newer)
                position += int(newer->size());
            const Bucket *bucket = &*place.bucket;
            const bool in_loop = stack.last_hits[0] == bucket && stack.last_hits[1] == bucket;
            position += int(in_loop ? bucket->size() - 1 : bucket->size() / 2);
            stack.last_hits[1] = stack.last_hits[0];
            stack.last_hits[0] = bucket;
            place.bucket->erase(frame);
        }
        open->insert(frame);
        place.bucket = open;
        if (int(open->size()) == BUCKET_PAGES) {
            stack.buckets.emplace_front();
            ++ids_used_;
        }
        return position / GROUP_PAGES;
    }

    void end_operation() {
        if (delay_ == 0) {
            if (ids_used_ + 1 >= IDS - RENUMBER_DELAY)
                delay_ = RENUMBER_DELAY;
        } else if (--delay_ == 0) {
            ids_used_ = 0;
            for (Stack &stack : stacks_) {
                merge(stack.buckets);
                stack.last_hits[0] = stack.last_hits[1] = nullptr;
                ids_used_ += int(stack.buckets.size());
            }
        }
    }

    // From the oldest closed bucket towards the open one, which stays as it is.
    void merge(Buckets &buckets) {
        auto older = buckets.end();
        for (auto bucket = buckets.end(); --bucket != buckets.begin();) {
            const bool fits = older != buckets.end() && int(older->size() + bucket->size()) <= GROUP_PAGES;
            if (!bucket->empty() && !fits) {
                older = bucket;
                continue;
            }
            for (const int frame : *bucket) {
                older->insert(frame);
                places_[frame].bucket = older;
            }
            bucket = buckets.erase(bucket);
        }
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
