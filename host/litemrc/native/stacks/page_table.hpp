// SPDX-License-Identifier: BSD-2-Clause
// A map from 64-bit page numbers to 32-bit or 64-bit values, for hundreds of millions of pages.
//
// Open addressing over buckets of one cache line: five pages (three if values are wide), their values and the number used. A
// look-up touches one line unless the bucket overflowed into the next; its line can be fetched ahead. The bucket of a page is its hash,
// scaled to the number of buckets, which need not be a power of two: a large table grows by half, a small one fourfold.
// Memory: 64 bytes / 5 pages / 0.8 = 16 bytes a page just before growing, 24 just after, 40 while growing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

namespace litemrc_native {

template <typename Value> class BasicPageTable {
  public:
    explicit BasicPageTable(size_t pages = 0) { allocate(buckets_for(pages)); }
    ~BasicPageTable() { std::free(buckets_); }
    BasicPageTable(const BasicPageTable &) = delete;
    BasicPageTable &operator=(const BasicPageTable &) = delete;
    BasicPageTable(BasicPageTable &&other) noexcept { *this = std::move(other); }
    BasicPageTable &operator=(BasicPageTable &&other) noexcept {
        std::swap(buckets_, other.buckets_);
        std::swap(bucket_count_, other.bucket_count_);
        std::swap(size_, other.size_);
        return *this;
    }

    size_t size() const { return size_; }

    // Makes room for `more` pages, so that as many `insert`s need none. Moves every entry.
    // Throws std::bad_alloc.
    void reserve(size_t more) {
        if (size_ + more > capacity())
            grow(buckets_for(size_ + more));
    }

    void prefetch(uint64_t page) const { __builtin_prefetch(&buckets_[home(page)], 1); }

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
    Value &find_or_insert(uint64_t page, Value initial) {
        for (size_t at = home(page);; at = after(at)) {
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
        }
    }

    // Calls visit(page, value) for every page, in no useful order; `value` may be changed.
    template <typename Visit> void for_each(Visit visit) {
        for (size_t at = 0; at < bucket_count_; ++at)
            for (unsigned entry = 0; entry < buckets_[at].used; ++entry)
                visit(buckets_[at].pages[entry], buckets_[at].values[entry]);
    }

    // Calls visit(values, count) on the values of each bucket.
    template <typename Visit> void for_each_run(Visit visit) {
        for (size_t at = 0; at < bucket_count_; ++at)
            visit(buckets_[at].values, buckets_[at].used);
    }

    // Forgets all pages; keeps the memory.
    void clear() {
        for (size_t at = 0; at < bucket_count_; ++at)
            buckets_[at].used = 0;
        size_ = 0;
    }

  private:
    static constexpr unsigned PAGES = 60 / (sizeof(uint64_t) + sizeof(Value));
    static constexpr size_t SMALL_BUCKETS = 1 << 16; // 4 MB
    struct alignas(64) Bucket {
        uint64_t pages[PAGES];
        Value values[PAGES];
        uint32_t used;
    };
    static_assert(sizeof(Bucket) == 64, "a bucket is a cache line");

    size_t capacity() const { return bucket_count_ * PAGES / 5 * 4; }
    static size_t buckets_for(size_t pages) { return pages * 5 / (4 * PAGES) + 16; }

    static unsigned matches(const Bucket &bucket, uint64_t page) {
        unsigned found = 0;
        for (unsigned entry = 0; entry < PAGES; ++entry)
            found |= unsigned(bucket.pages[entry] == page) << entry;
        return found & ((1u << bucket.used) - 1);
    }

    size_t home(uint64_t page) const {
        uint64_t hash = (page ^ (page >> 32)) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio, as of Knuth
        hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u;          // the first step of splitmix64's mixer
        return size_t((static_cast<unsigned __int128>(hash) * bucket_count_) >> 64);
    }
    size_t after(size_t at) const { return at + 1 == bucket_count_ ? 0 : at + 1; }

    void allocate(size_t count) {
        void *memory = std::aligned_alloc(sizeof(Bucket), count * sizeof(Bucket));
        if (!memory)
            throw std::bad_alloc();
        buckets_ = static_cast<Bucket *>(memory);
        bucket_count_ = count;
        clear();
    }

    void grow(size_t needed) {
        BasicPageTable larger(0);
        std::free(std::exchange(larger.buckets_, nullptr));
        const size_t roomy = bucket_count_ < SMALL_BUCKETS ? 4 * bucket_count_ : bucket_count_ + bucket_count_ / 2;
        larger.allocate(needed > roomy ? needed : roomy);
        for_each([&](uint64_t page, Value value) { larger.find_or_insert(page, value); });
        *this = std::move(larger);
    }

    Bucket *buckets_ = nullptr;
    size_t bucket_count_ = 0;
    size_t size_ = 0;
};

using PageTable = BasicPageTable<uint32_t>;

} // namespace litemrc_native
