// SPDX-License-Identifier: BSD-2-Clause
// A map from 64-bit page numbers to 32-bit or 64-bit values, for hundreds of millions of pages.
//
// Open addressing over buckets of one cache line: five pages (three if values are wide), their values and the number used. A
// look-up touches one line unless the bucket overflowed into the next; its line can be fetched ahead. The bucket of a page is its hash,
// scaled to the number of buckets, which need not be a power of two: a large table grows by half, a small one fourfold.
// At most two thirds of the places are used: with more, look-ups often touch a third bucket, which nobody fetched ahead.
// Memory: 64 bytes / 5 pages / 0.67 = 19 bytes a page just before growing, 29 just after, 48 while growing.
#pragma once

#include "large_array.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace litemrc_native {

template <typename Value> class BasicPageTable {
  public:
    explicit BasicPageTable(size_t pages = 0) { buckets_.grow(buckets_for(pages)); }
    BasicPageTable(BasicPageTable &&other) noexcept { *this = std::move(other); }
    BasicPageTable &operator=(BasicPageTable &&other) noexcept {
        std::swap(buckets_, other.buckets_);
        std::swap(size_, other.size_);
        return *this;
    }

    size_t size() const { return size_; }

    bool has_room(size_t more) const { return size_ + more <= capacity(); }

    // Makes room for `more` pages, so that as many `insert`s need none. Moves every entry.
    // Throws std::bad_alloc.
    void reserve(size_t more) {
        if (!has_room(more))
            grow(buckets_for(size_ + more));
    }

    // The bucket where the search for a page begins; valid until the table grows.
    size_t home(uint64_t page) const {
        uint64_t hash = (page ^ (page >> 32)) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio, as of Knuth
        hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u;          // the first step of splitmix64's mixer
        return size_t((static_cast<unsigned __int128>(hash) * buckets_.size()) >> 64);
    }

    void prefetch(uint64_t page) const { prefetch_bucket(home(page)); }
    void prefetch_bucket(size_t at) const { __builtin_prefetch(buckets_.data() + at, 1); }
    // Once the bucket itself has arrived: the next one, if pages of this one had to go there.
    void prefetch_overflow(size_t at) const { __builtin_prefetch(buckets_.data() + at + buckets_[at].spilled, 1); }

    // The value of a page, or nullptr. Valid until the next insertion.
    Value *find(uint64_t page) {
        for (size_t at = home(page);; at = after(at)) {
            Bucket &bucket = buckets_[at];
            const unsigned found = matches(bucket, page);
            if (found)
                return &bucket.values[__builtin_ctz(found)];
            if (bucket.used < PAGES)
                return nullptr;
        }
    }

    // The value of a page, which enters with `initial` if it is new. Room must have been reserved.
    Value &find_or_insert(uint64_t page, Value initial) { return find_or_insert(page, initial, home(page)); }
    Value &find_or_insert(uint64_t page, Value initial, size_t home) {
        for (size_t at = home;; at = after(at)) {
            Bucket &bucket = buckets_[at];
            const unsigned found = matches(bucket, page);
            if (__builtin_expect(found != 0, 1))
                return bucket.values[__builtin_ctz(found)];
            if (bucket.used < PAGES) {
                const unsigned entry = bucket.used++;
                bucket.pages[entry] = page;
                bucket.values[entry] = initial;
                ++size_;
                return bucket.values[entry];
            }
            bucket.spilled = 1;
        }
    }

    // Calls visit(page, value) for every page, in no useful order; `value` may be changed.
    template <typename Visit> void for_each(Visit visit) {
        for (size_t at = 0; at < buckets_.size(); ++at)
            for (unsigned entry = 0; entry < buckets_[at].used; ++entry)
                visit(buckets_[at].pages[entry], buckets_[at].values[entry]);
    }

    // Whether holds(page) is true for every page; stops at the first for which it is not.
    template <typename Holds> bool all_of(Holds holds) const {
        for (size_t at = 0; at < buckets_.size(); ++at)
            for (unsigned entry = 0; entry < buckets_[at].used; ++entry)
                if (!holds(buckets_[at].pages[entry]))
                    return false;
        return true;
    }

    // Calls visit(values, count) on the values of each bucket.
    template <typename Visit> void for_each_run(Visit visit) {
        for (size_t at = 0; at < buckets_.size(); ++at)
            visit(buckets_[at].values, buckets_[at].used);
    }

    // Forgets all pages; keeps the memory.
    void clear() {
        for (size_t at = 0; at < buckets_.size(); ++at)
            buckets_[at].used = buckets_[at].spilled = 0;
        size_ = 0;
    }

  private:
    static constexpr unsigned PAGES = 60 / (sizeof(uint64_t) + sizeof(Value));
    static constexpr size_t SMALL_BUCKETS = 1 << 16; // 4 MB
    struct alignas(64) Bucket {
        uint64_t pages[PAGES];
        Value values[PAGES];
        uint16_t used, spilled; // spilled: whether a page passed it by
    };
    static_assert(sizeof(Bucket) == 64, "a bucket is a cache line");

    size_t capacity() const { return buckets_.size() * PAGES / 3 * 2; }
    static size_t buckets_for(size_t pages) { return pages * 3 / (2 * PAGES) + 16; }

    static unsigned matches(const Bucket &bucket, uint64_t page) {
        unsigned found = 0;
        for (unsigned entry = 0; entry < PAGES; ++entry)
            found |= unsigned(bucket.pages[entry] == page) << entry;
        return found & ((1u << bucket.used) - 1);
    }

    size_t after(size_t at) const { return at + 1 == buckets_.size() ? 0 : at + 1; }

    void grow(size_t needed) {
        const size_t count = buckets_.size(), roomy = count < SMALL_BUCKETS ? 4 * count : count + count / 2;
        BasicPageTable larger;
        larger.buckets_.restart(needed > roomy ? needed : roomy);
        for_each([&](uint64_t page, Value value) { larger.find_or_insert(page, value); });
        *this = std::move(larger);
    }

    LargeArray<Bucket> buckets_;
    size_t size_ = 0;
};

using PageTable = BasicPageTable<uint32_t>;

} // namespace litemrc_native
