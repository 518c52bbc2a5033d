// SPDX-License-Identifier: BSD-2-Clause
// Baselines of the exact engine: the usual trees over time slots, otherwise identical. Page numbers index an array, and
// slots (four per page) are renumbered when they run out, as in host/litemrc/native.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

// Prefix sums in log n steps (Fenwick 1994), as Bennett and Kruskal (1975) and Olken (1981) compute with trees.
class Fenwick {
  public:
    explicit Fenwick(size_t size) : sums_(size + 1) {}

    void add(size_t at, uint32_t amount) {
        for (++at; at < sums_.size(); at += at & -at)
            sums_[at] += amount;
    }

    // Sum of the numbers before `at`.
    uint32_t before(size_t at) const {
        uint32_t sum = 0;
        for (; at; at &= at - 1)
            sum += sums_[at];
        return sum;
    }

    // Sets all numbers below `ones` to 1, the others to 0.
    void fill(size_t ones) {
        std::fill(sums_.begin(), sums_.end(), 0);
        for (size_t at = 1; at < sums_.size(); ++at) {
            sums_[at] += at <= ones;
            if (at + (at & -at) < sums_.size())
                sums_[at + (at & -at)] += sums_[at];
        }
    }

  private:
    std::vector<uint32_t> sums_;
};

// One number per slot.
class PlainTree {
  public:
    explicit PlainTree(size_t slots) : tree_(slots) {}
    void set(size_t slot) { tree_.add(slot, 1); }
    void clear(size_t slot) { tree_.add(slot, uint32_t(-1)); }
    uint32_t before(size_t slot) const { return tree_.before(slot); }
    void fill(size_t ones) { tree_.fill(ones); }

  private:
    Fenwick tree_;
};

// One bit per slot, one number per block of 512 slots.
class BlockTree {
  public:
    explicit BlockTree(size_t slots) : words_(slots / 64 + WORDS), tree_(slots / BLOCK + 1), blocks_(slots / BLOCK + 1) {}

    void set(size_t slot) {
        words_[slot / 64] |= uint64_t(1) << (slot % 64);
        tree_.add(slot / BLOCK, 1);
    }
    void clear(size_t slot) {
        words_[slot / 64] &= ~(uint64_t(1) << (slot % 64));
        tree_.add(slot / BLOCK, uint32_t(-1));
    }
    uint32_t before(size_t slot) const {
        uint32_t sum = tree_.before(slot / BLOCK);
        for (size_t word = slot / BLOCK * WORDS; word < slot / 64; ++word)
            sum += uint32_t(__builtin_popcountll(words_[word]));
        return sum + uint32_t(__builtin_popcountll(words_[slot / 64] & ((uint64_t(1) << (slot % 64)) - 1)));
    }
    void fill(size_t ones) {
        std::fill(words_.begin(), words_.end(), 0);
        tree_ = Fenwick(blocks_);
        for (size_t slot = 0; slot < ones; ++slot)
            words_[slot / 64] |= uint64_t(1) << (slot % 64);
        for (size_t block = 0; block * BLOCK < ones; ++block)
            tree_.add(block, uint32_t(std::min(BLOCK, ones - block * BLOCK)));
    }

  private:
    static constexpr size_t BLOCK = 512, WORDS = BLOCK / 64;
    std::vector<uint64_t> words_;
    Fenwick tree_;
    size_t blocks_;
};

constexpr uint32_t NEVER = UINT32_MAX;

template <typename Tree> void run(const uint64_t *pages, size_t count, size_t footprint, uint64_t *histogram) {
    const size_t slots = 4 * footprint;
    Tree tree(slots);
    std::vector<uint32_t> last(footprint, NEVER);
    size_t next = 0;
    uint32_t live = 0;
    for (size_t i = 0; i < count; ++i) {
        if (next == slots) {
            for (uint32_t &slot : last)
                if (slot != NEVER)
                    slot = tree.before(slot);
            tree.fill(live);
            next = live;
        }
        uint32_t &slot = last[pages[i]];
        if (slot == NEVER) {
            ++histogram[0];
            ++live;
        } else {
            ++histogram[live - tree.before(slot)];
            tree.clear(slot);
        }
        tree.set(next);
        slot = uint32_t(next++);
    }
}

} // namespace

// Pages are below `footprint`; histogram[footprint + 1] must be zero.
extern "C" void fenwick_tree(const uint64_t *pages, size_t count, size_t footprint, uint64_t *histogram) {
    run<PlainTree>(pages, count, footprint, histogram);
}

extern "C" void block_tree(const uint64_t *pages, size_t count, size_t footprint, uint64_t *histogram) {
    run<BlockTree>(pages, count, footprint, histogram);
}
