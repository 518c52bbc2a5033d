// SPDX-License-Identifier: BSD-2-Clause
// Set-associative caches, LRU; write-back and write-allocate, or write-through: golden/monitor/cache_hierarchy.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace litemrc_qemu {

struct CacheShape {
    uint64_t bytes;
    uint32_t ways, line_bytes; // sets and lines are powers of two
    bool write_through = false; // and a store that misses allocates no line
};

class Cache {
  public:
    explicit Cache(const CacheShape &shape)
        : ways_(shape.ways), write_through_(shape.write_through), mask_(shape.bytes / (shape.ways * shape.line_bytes) - 1) {
        while ((1u << shift_) < shape.line_bytes)
            ++shift_;
        lines_.assign(shape.bytes / shape.line_bytes, EMPTY);
    }

    struct Miss {
        bool missed, writes_back;
        uint64_t victim; // first byte of the line that is written back
    };

    // Accesses one line. The rest of a miss is the caller's: write the victim to the next level, then fetch the line.
    Miss access(uint64_t address, bool write) {
        const uint64_t line = address >> shift_;
        uint64_t *set = &lines_[size_t(line & mask_) * ways_];
        ++accesses;
        if (set[0] >> 1 == line) {
            set[0] |= write;
            return {false, false, 0};
        }
        return search(set, line, write);
    }

    // A store to a write-through cache; the caller passes it on.
    void store_through(uint64_t address) {
        const uint64_t line = address >> shift_;
        uint64_t *const set = &lines_[size_t(line & mask_) * ways_];
        ++accesses;
        uint32_t way = 0;
        while (way < ways_ && set[way] >> 1 != line)
            ++way;
        if (way == ways_) {
            ++misses;
            return;
        }
        for (; way; --way)
            set[way] = set[way - 1];
        set[0] = line << 1;
    }

    bool write_through() const { return write_through_; }
    uint64_t first_byte(uint64_t address) const { return address >> shift_ << shift_; }
    uint32_t shift() const { return shift_; }

    uint64_t accesses = 0, misses = 0, write_backs = 0;

  private:
    static constexpr uint64_t EMPTY = ~uint64_t(0) - 1; // clean; no line has this number

    Miss search(uint64_t *set, uint64_t line, bool write) {
        uint32_t way = 1;
        while (way < ways_ && set[way] >> 1 != line)
            ++way;
        const bool missed = way == ways_;
        const uint64_t entry = missed ? line << 1 : set[way];
        if (missed)
            --way;
        const uint64_t last = set[way];
        for (; way; --way)
            set[way] = set[way - 1];
        set[0] = entry | write;
        const bool writes_back = missed && (last & 1);
        misses += missed;
        write_backs += writes_back;
        return {missed, writes_back, last >> 1 << shift_};
    }

    uint32_t ways_, shift_ = 0;
    bool write_through_;
    uint64_t mask_;
    std::vector<uint64_t> lines_; // of each set, most recently used first: number * 2 + dirty
};

template <typename Memory> void move_line(Cache *level, Cache *end, uint64_t first_byte, bool write, Memory &&memory);

// Accesses one line of `level`; transfers of the level before `end` go to memory(address, write), in order.
template <typename Memory> void access_levels(Cache *level, Cache *end, uint64_t address, bool write, Memory &&memory) {
    if (level == end)
        return memory(address, write);
    if (write && level->write_through()) {
        level->store_through(address);
        return access_levels(level + 1, end, address, true, memory);
    }
    const Cache::Miss miss = level->access(address, write);
    if (__builtin_expect(!miss.missed, 1))
        return;
    if (miss.writes_back)
        move_line(level, end, miss.victim, true, memory);
    move_line(level, end, level->first_byte(address), false, memory);
}

// Moves a line of `level` to or from the next one, whose lines may be shorter; to memory it is one transfer.
template <typename Memory> void move_line(Cache *level, Cache *end, uint64_t first_byte, bool write, Memory &&memory) {
    const uint64_t bytes = uint64_t(1) << level->shift();
    const uint64_t step = level + 1 == end ? bytes : std::min(bytes, uint64_t(1) << level[1].shift());
    for (uint64_t byte = 0; byte < bytes; byte += step)
        access_levels(level + 1, end, first_byte + byte, write, memory);
}

} // namespace litemrc_qemu
